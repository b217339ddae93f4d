# What Windows has instead of POSIX, and its flags. Built by mingw-w64, whose pthread.h is used as it is.
find_package(Threads REQUIRED)
set(ravine_left_out "(program|machine|file_owner|console|interrupt)(_none)?.c|(loaded_library|gdal|exr|opencl)(_windows)?.c")

set(CMAKE_FIND_LIBRARY_SUFFIXES .a) # no library beside the program

# The calls of POSIX for files: names in UTF-8, and a name given to a file that is open.
set(ravine_more_sources cmake/windows/posix_files.c)
target_include_directories(ravine_flags BEFORE INTERFACE ${PROJECT_SOURCE_DIR}/cmake/windows)
target_compile_definitions(ravine_flags INTERFACE
    _WIN32_WINNT=0x0A00 WIN32_LEAN_AND_MEAN __USE_MINGW_ANSI_STDIO=1 # which prints as C says
)
# isnan() and its like as the compiler knows them, not as calls that look at one number through the x87.
target_compile_options(ravine_flags INTERFACE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/windows/number_kinds.h"
)
# gcc spills vectors of 32 and 64 bytes to a stack that Windows aligns to 16 (its bug 54412).
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(src/water/sph_lanes8.c src/water/sph_lanes16.c PROPERTIES
        COMPILE_OPTIONS -Wa,-muse-unaligned-vector-move
    )
endif()
# One file that runs everywhere, without the libraries of the compiler beside it.
target_link_options(ravine_flags INTERFACE -static)
