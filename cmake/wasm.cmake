# What WebAssembly with WASI has instead of threads and other programs, and its flags.

# Its one thread: base/threads.c asks for more and does without, or gets those that JavaScript lends.
option(RAVINE_WASM_THREADS "WebAssembly with several threads, on shared memory" OFF)
add_library(Threads::Threads INTERFACE IMPORTED)
target_include_directories(Threads::Threads INTERFACE ${PROJECT_SOURCE_DIR}/cmake/wasm)
set(ravine_left_out "${ravine_twins}(_windows)?.c") # those with _none stand for them
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)

# All browsers since 2023 and Node since 16 have these instructions. None changes a bit.
target_compile_options(ravine_flags INTERFACE
    -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext
    -ftls-model=local-exec # clang 14 asks for it where memory is copied in bulk
)
# The number of the process only makes names of temporary files; WASI has none and gives 42.
target_compile_definitions(ravine_flags INTERFACE _WASI_EMULATED_GETPID)
# The stack lies below everything else, so that a stack that is too small ends in a trap.
target_link_options(ravine_flags INTERFACE LINKER:--stack-first LINKER:-z,stack-size=1048576)
target_link_libraries(ravine_flags INTERFACE wasi-emulated-getpid)

if(RAVINE_WASM_THREADS)
    target_compile_options(ravine_flags INTERFACE -matomics)
    # Of the memory, which JavaScript makes, studio/wasm/threads.mjs knows the sizes. The C library was built
    # without atomic instructions and none of it but memcpy and its like is called from lent threads;
    # errno is a plain variable in it, so those who read it are built like it.
    target_link_options(ravine_flags INTERFACE
        LINKER:--shared-memory LINKER:--import-memory LINKER:--no-check-features
        LINKER:--initial-memory=4194304 LINKER:--max-memory=4294967296
        LINKER:--export=__stack_pointer LINKER:--export=rvi_thread_lend
        LINKER:--export=rvi_thread_work LINKER:--export=rvi_thread_fail
        LINKER:--export=rvi_thread_cores LINKER:--export=malloc
    )
    set_source_files_properties(
        src/base/archive.c src/base/file.c src/base/run_files.c
        PROPERTIES COMPILE_OPTIONS "-mno-atomics;-mno-bulk-memory"
    )
    target_sources(Threads::Threads INTERFACE ${PROJECT_SOURCE_DIR}/cmake/wasm/pthread_lent.c)
endif()
