# Flags for everything that is built here, as the target ravine_flags, and the refusal of those that
# would change the bits of a result.

set(all_flags "${CMAKE_C_FLAGS} ${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS}")
foreach(type DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
    string(APPEND all_flags " ${CMAKE_C_FLAGS_${type}}")
endforeach()
string(REGEX MATCH
    "-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-fno-signed-zeros|-ffp-contract=(fast|on)|-ffp-model=[a-z]*|-mrecip[^ ]*|-mfpmath=387"
    bad_flag "${all_flags}"
)
if(bad_flag)
    message(FATAL_ERROR
        "Ravine gives the same bits everywhere and therefore refuses the compiler flag ${bad_flag}."
    )
endif()

if(RAVINE_ASSERTS)
    foreach(type RELEASE RELWITHDEBINFO MINSIZEREL)
        string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
    endforeach()
endif()

add_library(ravine_flags INTERFACE)
target_compile_definitions(ravine_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(APPLE) # else flock() and the number of cores are hidden there
    target_compile_definitions(ravine_flags INTERFACE _DARWIN_C_SOURCE)
endif()
# The last two keep the bits and let loops be vectorised.
target_compile_options(ravine_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
target_compile_options(ravine_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Named whole numbers are enums in C17, and clang 18 and later doubt that they may meet a float.
target_compile_options(ravine_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion>)
if(RAVINE_WERROR)
    target_compile_options(ravine_flags INTERFACE -Werror)
endif()

if(RAVINE_SANITIZE)
    set(sanitize -fsanitize=${RAVINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(ravine_flags INTERFACE ${sanitize} $<$<CONFIG:RelWithDebInfo>:-g1>) # lines are enough
    target_link_options(ravine_flags INTERFACE ${sanitize})
    # A hundred programs are linked, by this one in half the time.
    find_program(RAVINE_LLD ld.lld)
    if(RAVINE_LLD AND CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_CROSSCOMPILING AND NOT APPLE)
        target_link_options(ravine_flags INTERFACE -fuse-ld=lld)
    endif()
endif()
if(RAVINE_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "RAVINE_FUZZ needs clang, which brings libFuzzer.")
    endif()
endif()
