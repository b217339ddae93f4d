# Every tests/fuzz/fuzz_X.c is a libFuzzer program. Its corpus is tests/fuzz/corpus/X; words for the
# fuzzers of recipes and scenes come from the tables.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_include_directories(${name} PRIVATE src)
    target_link_libraries(${name} PRIVATE ravine ravine_flags m)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

add_custom_command(
    OUTPUT fuzz/words.dict
    COMMAND ${CMAKE_COMMAND} -E make_directory fuzz
    COMMAND awk -f ${PROJECT_SOURCE_DIR}/tests/fuzz/words.awk
            ${PROJECT_SOURCE_DIR}/include/ravine/steps.def
            ${PROJECT_SOURCE_DIR}/src/scene/scene.def > fuzz/words.dict
    DEPENDS include/ravine/steps.def src/scene/scene.def tests/fuzz/words.awk
    VERBATIM
)
add_custom_target(fuzz_words ALL DEPENDS fuzz/words.dict)
