# Two programs of the tests for ARM, without the libraries that are there for this machine only:
# png_plain.c stands in for libpng, and a header for cmocka. They need no shared library to run.
add_executable(same_bits tests/same_bits/driver.c tests/wasm/png_plain.c src/formats/format.c)
add_executable(test_float_state tests/unit/test_float_state.c)
target_include_directories(test_float_state PRIVATE tests tests/arm)
target_compile_definitions(same_bits PRIVATE RAVINE_PNG)
foreach(program same_bits test_float_state)
    target_include_directories(${program} PRIVATE src)
    target_link_libraries(${program} PRIVATE ravine ravine_flags m)
    target_link_options(${program} PRIVATE -static)
endforeach()
