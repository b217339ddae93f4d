# What WebAssembly with WASI has instead of threads and other programs, and its flags.

# Its one thread: base/threads.c asks for more and does without.
add_library(Threads::Threads INTERFACE IMPORTED)
target_include_directories(Threads::Threads INTERFACE ${PROJECT_SOURCE_DIR}/cmake/wasm)
set(ravine_left_out "(program|machine|file_owner).c") # those with _none stand for them
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
