# WebAssembly modules: ravine.wasm is the whole library, whose functions a page or a program in Node
# calls; same_bits.wasm prints the table of hashes, layout.wasm where the members of structs lie; bench_one_core.wasm is for bench/wasm.sh.

add_executable(ravine_module $<TARGET_OBJECTS:ravine>)
set_target_properties(ravine_module PROPERTIES OUTPUT_NAME ravine LINKER_LANGUAGE C)
# Out go all functions of ravine.h, memory to hand things over in, and the table that callbacks enter.
target_link_options(ravine_module PRIVATE
    -mexec-model=reactor LINKER:--export-dynamic LINKER:--export=malloc LINKER:--export=free
    LINKER:--export-table LINKER:--growable-table LINKER:--strip-all
)
target_link_libraries(ravine_module PRIVATE ravine_flags m)

if(RAVINE_TESTS)
    # libpng is not there for WebAssembly. Here a stand-in writes pictures without packing them and
    # reads them again, so that the whole table can be compared.
    add_executable(same_bits tests/same_bits/driver.c tests/wasm/png_plain.c src/formats/format.c)
    target_compile_definitions(same_bits PRIVATE RAVINE_PNG)
    target_include_directories(same_bits PRIVATE src)
    target_link_libraries(same_bits PRIVATE ravine ravine_flags m)
    add_executable(layout tests/wasm/layout.c)
    target_link_libraries(layout PRIVATE ravine ravine_flags)
    add_executable(lanes_check tests/wasm/lanes_check.c)
    target_include_directories(lanes_check PRIVATE src)
    target_link_libraries(lanes_check PRIVATE ravine_flags m)
endif()

if(RAVINE_BENCH)
    add_executable(bench_one_core bench/bench_one_core.c)
    target_link_libraries(bench_one_core PRIVATE ravine ravine_flags m)
endif()
