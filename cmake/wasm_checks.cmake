# The library as WebAssembly in Node: it builds, gives the hashes of the table, and can be called from
# JavaScript. Left out where clang cannot build for it or Node is not there: tools/setup.sh says so.

find_program(WASM_CLANG clang)
find_program(WASM_AR llvm-ar)
find_program(WASM_NODE NAMES node nodejs)
set(wasm_try ${CMAKE_BINARY_DIR}/CMakeFiles/wasm_try)
file(WRITE ${wasm_try}.c "#include <stdio.h>\nint main(void) { return puts(\"\"); }\n")
execute_process(COMMAND ${WASM_CLANG} --target=wasm32-wasi ${wasm_try}.c -o ${wasm_try}.wasm
    RESULT_VARIABLE wasm_failed OUTPUT_QUIET ERROR_QUIET
)
if(wasm_failed OR NOT WASM_CLANG OR NOT WASM_AR OR NOT WASM_NODE)
    message(STATUS "WebAssembly is left out of the tests: tools/setup.sh test says what it needs.")
    return()
endif()

set(wasm_tree ${CMAKE_BINARY_DIR}/also/wasm)
set(wasm_table ${PROJECT_SOURCE_DIR}/tests/same_bits/hashes.txt)
add_test(NAME wasm.build COMMAND
    sh ${PROJECT_SOURCE_DIR}/tests/also_build.sh ${CMAKE_COMMAND} ${PROJECT_SOURCE_DIR} ${wasm_tree} ""
    --preset wasm -DRAVINE_TESTS=ON -DRAVINE_ASSERTS=ON
)
set_tests_properties(wasm.build PROPERTIES
    LABELS wasm FIXTURES_SETUP build.wasm COST 100 TIMEOUT 1800
)
set(wasm_threads_tree ${CMAKE_BINARY_DIR}/also/wasm_threads)
add_test(NAME wasm.build_threads COMMAND
    sh ${PROJECT_SOURCE_DIR}/tests/also_build.sh ${CMAKE_COMMAND} ${PROJECT_SOURCE_DIR} ${wasm_threads_tree} ""
    --preset wasm-threads -DRAVINE_TESTS=ON -DRAVINE_ASSERTS=ON
)
set_tests_properties(wasm.build_threads PROPERTIES
    LABELS wasm FIXTURES_SETUP build.wasm COST 100 TIMEOUT 1800
)
ravine_add_test(wasm.same_bits wasm
    sh ${PROJECT_SOURCE_DIR}/tests/same_bits/check_hashes.sh ${WASM_NODE} ${wasm_table}
    ${PROJECT_SOURCE_DIR}/studio/wasm/run.mjs ${wasm_tree}/same_bits.wasm
)
ravine_add_test(wasm.same_bits_threads wasm
    sh ${PROJECT_SOURCE_DIR}/tests/same_bits/check_hashes.sh ${WASM_NODE} ${wasm_table}
    ${PROJECT_SOURCE_DIR}/studio/wasm/run.mjs ${wasm_threads_tree}/same_bits.wasm 4
)
ravine_add_test(wasm.lanes wasm
    ${WASM_NODE} ${PROJECT_SOURCE_DIR}/studio/wasm/run.mjs ${wasm_tree}/lanes_check.wasm
)
file(GLOB wasm_sources CONFIGURE_DEPENDS tests/wasm/test_*.mjs)
foreach(source IN LISTS wasm_sources)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "wasm." name ${name})
    ravine_add_test(${name} wasm
        ${WASM_NODE} ${source} ${wasm_tree} ${wasm_table} ${wasm_threads_tree}
        $<TARGET_FILE:ravine_cli> ${PROJECT_SOURCE_DIR}
    )
endforeach()
set_tests_properties(wasm.recipes PROPERTIES COST 60)
