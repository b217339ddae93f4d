# The programs of the tests for Windows, which tests/windows/check_windows.sh runs under wine.
file(GLOB windows_tests CONFIGURE_DEPENDS tests/unit/test_*.c tests/physics/test_*.c tests/faults/test_*.c)
add_custom_target(tests DEPENDS ravine_cli)
# Not those of signals, links, limits and rights of users, which POSIX alone has, nor what the faults put
# between the program and the system of Linux.
list(FILTER windows_tests EXCLUDE REGEX
    "/test_(bad_files|checkpoint_file|file|film|machine|support|full_disk|power_cut|race).c$"
)
foreach(source tests/same_bits/driver.c ${windows_tests})
    get_filename_component(program ${source} NAME_WE)
    if(program STREQUAL "driver")
        set(program same_bits)
    endif()
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
endforeach()
