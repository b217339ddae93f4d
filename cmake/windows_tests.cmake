# The tests for Windows: there as they are, elsewhere under CMAKE_CROSSCOMPILING_EMULATOR, which is wine. Those with
# the label `differs` are of what is other on Windows: numbers as text, files, threads, the floating-point state.
enable_testing()
file(GLOB windows_tests CONFIGURE_DEPENDS tests/unit/test_*.c tests/physics/test_*.c)
# Not those of signals, links, limits and rights of users, which POSIX alone has, nor that of the order in which
# threads wake up, which needs pauses below a millisecond.
list(FILTER windows_tests EXCLUDE REGEX
    "/test_(bad_files|checkpoint_file|file|film|machine|support|threads).c$"
)
set(differs context file_names float_state maps math mesh_files png random raw_npy recipe recipe_run settings sidecar text)

# tests/arm/cmocka.h stands in for cmocka.
add_custom_target(tests DEPENDS ravine_cli)
add_custom_target(tests_that_differ DEPENDS ravine_cli)
function(ravine_windows_test name label program source)
    add_executable(${program} ${source})
    target_include_directories(${program} PRIVATE tests src tests/arm)
    target_compile_definitions(${program} PRIVATE RAVINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_compile_options(${program} PRIVATE -O1)
    target_link_libraries(${program} PRIVATE ravine ravine_flags m)
    if(RAVINE_PNG)
        target_compile_definitions(${program} PRIVATE RAVINE_PNG)
        target_link_libraries(${program} PRIVATE PNG::PNG ZLIB::ZLIB)
    endif()
    add_dependencies(tests ${program})
    if(label STREQUAL "differs")
        add_dependencies(tests_that_differ ${program})
    endif()
    add_test(NAME ${name} COMMAND
        sh ${PROJECT_SOURCE_DIR}/tests/run_in.sh ${CMAKE_BINARY_DIR}/run/${name} ${ARGN}
    )
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} TIMEOUT ${RAVINE_TEST_SECONDS} ENVIRONMENT RAVINE_SHORT=1
    )
endfunction()

foreach(source IN LISTS windows_tests)
    get_filename_component(program ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${program})
    set(label rest)
    if(name IN_LIST differs)
        set(label differs)
    endif()
    ravine_windows_test(${name} ${label} ${program} ${source}
        ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>
    )
endforeach()

# Without libpng the pictures of the table are those of png_plain.c.
set(driver tests/same_bits/driver.c)
if(NOT RAVINE_PNG)
    list(APPEND driver tests/wasm/png_plain.c src/formats/format.c)
endif()
set(bits sh ${PROJECT_SOURCE_DIR}/tests/same_bits/check_hashes.sh)
set(table ${PROJECT_SOURCE_DIR}/tests/same_bits/hashes.txt)
if(CMAKE_CROSSCOMPILING)
    set(call ${CMAKE_CROSSCOMPILING_EMULATOR} ${table} $<TARGET_FILE:same_bits> 2)
else()
    set(call $<TARGET_FILE:same_bits> ${table} 2)
endif()
ravine_windows_test(same_bits differs same_bits "${driver}" ${bits} ${call})
if(NOT RAVINE_PNG)
    target_compile_definitions(same_bits PRIVATE RAVINE_PNG)
endif()
