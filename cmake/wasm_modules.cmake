# WebAssembly modules: ravine.wasm is the whole library, whose functions a page or a program in Node
# calls, with several threads ravine-threads.wasm; same_bits.wasm prints the table of hashes, layout.wasm
# where the members of structs lie; bench_one_core.wasm and bench_four_threads.wasm are for bench/wasm.sh.

add_executable(ravine_module $<TARGET_OBJECTS:ravine>)
set_target_properties(ravine_module PROPERTIES OUTPUT_NAME ravine LINKER_LANGUAGE C)
# Out go all functions of ravine.h, memory to hand things over in, and the table that callbacks enter.
target_link_options(ravine_module PRIVATE
    -mexec-model=reactor LINKER:--export-dynamic LINKER:--export=malloc LINKER:--export=free
    LINKER:--export-table LINKER:--growable-table LINKER:--strip-all
)
target_link_libraries(ravine_module PRIVATE ravine_flags m)
if(RAVINE_WASM_THREADS)
    set_target_properties(ravine_module PROPERTIES OUTPUT_NAME ravine-threads)
endif()

if(NOT RAVINE_WASM_THREADS)
    add_executable(layout studio/wasm/layout.c)
    target_link_libraries(layout PRIVATE ravine ravine_flags)
endif()

# ravine_program(NAME SOURCES...): a program, which runs to its end. With several threads it has to wait
# until JavaScript has lent them, so it is built like a library that exports main.
function(ravine_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE ravine ravine_flags m)
    if(RAVINE_WASM_THREADS)
        target_link_options(${name} PRIVATE
            -mexec-model=reactor LINKER:--export=exit LINKER:--export=__original_main
        )
    endif()
endfunction()

if(RAVINE_TESTS)
    # libpng is not there for WebAssembly. Here a stand-in writes pictures without packing them and
    # reads them again, so that the whole table can be compared.
    ravine_program(same_bits tests/same_bits/driver.c tests/wasm/png_plain.c src/formats/format.c)
    target_compile_definitions(same_bits PRIVATE RAVINE_PNG)
    target_include_directories(same_bits PRIVATE src)
endif()
if(RAVINE_TESTS AND NOT RAVINE_WASM_THREADS)
    add_executable(lanes_check tests/wasm/lanes_check.c)
    target_include_directories(lanes_check PRIVATE src)
    target_link_libraries(lanes_check PRIVATE ravine_flags m)
endif()

if(RAVINE_BENCH)
    ravine_program(bench_one_core bench/bench_one_core.c)
    ravine_program(bench_four_threads bench/bench_four_threads.c)
endif()
