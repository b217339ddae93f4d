# The kernels, files that end in .cl, as strings, each with the files that it includes, so that the program
# needs no other file to run them.
file(GLOB kernels CONFIGURE_DEPENDS src/*/*.cl src/steps/*/*.cl)
list(FILTER kernels EXCLUDE REGEX "/prelude.cl$")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    set(kernels "") # no device there, and a page that loads the library should not wait for their text
endif()

# Appends `file` to `text`, after what it includes; each file once.
function(add_kernel_file file)
    get_property(seen GLOBAL PROPERTY kernel_seen)
    if(file IN_LIST seen)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY kernel_seen ${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} includes REGEX "^#include \"")
    foreach(line IN LISTS includes)
        string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" name "${line}")
        add_kernel_file(${PROJECT_SOURCE_DIR}/src/${name})
    endforeach()
    file(READ ${file} own)
    string(REGEX REPLACE "#include [^\n]*\n" "\n" own "${own}")
    set_property(GLOBAL APPEND_STRING PROPERTY kernel_text "${own}")
endfunction()

set(kernel_arrays "")
set(kernel_table "")
foreach(kernel IN LISTS kernels)
    get_filename_component(name ${kernel} NAME_WE)
    set_property(GLOBAL PROPERTY kernel_seen "")
    set_property(GLOBAL PROPERTY kernel_text "")
    add_kernel_file(${kernel})
    get_property(text GLOBAL PROPERTY kernel_text)
    string(LENGTH "${text}" size)
    string(HEX "${text}" bytes) # as numbers: a string may not be that long in C
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND kernel_arrays "static const char text_of_${name}[] = {${bytes}0};\n")
    string(APPEND kernel_table "    {\"${name}\", text_of_${name}, sizeof text_of_${name} - 1},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/device/kernels.c @ONLY CONTENT
"#include \"device/kernels.h\"

@kernel_arrays@
const rvi_kernel_text rvi_kernel_texts[] = {
@kernel_table@    {0}};
const int rvi_kernel_text_count = (int)(sizeof rvi_kernel_texts / sizeof rvi_kernel_texts[0]) - 1;
")
list(APPEND ravine_sources ${PROJECT_BINARY_DIR}/generated/device/kernels.c)
