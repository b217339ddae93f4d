# The rest of `make test`: Ravine built in other ways, and what holds for the sources themselves. What
# takes long is left to `make test-all` (ravine_only_all).

# ravine_also(NAME OPTIONS... [TARGETS targets...]): a test that builds the tree also/NAME; tests
# with the label NAME run after it.
function(ravine_also name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS")
    add_test(NAME build.${name} COMMAND
        sh ${PROJECT_SOURCE_DIR}/tests/also_build.sh ${CMAKE_COMMAND} ${PROJECT_SOURCE_DIR}
        ${CMAKE_BINARY_DIR}/also/${name} "${arg_TARGETS}" ${arg_UNPARSED_ARGUMENTS}
    )
    # They take long and others wait for them: start them first.
    set_tests_properties(build.${name} PROPERTIES
        LABELS build FIXTURES_SETUP build.${name} COST 100 TIMEOUT 1800
    )
endfunction()

set(also ${CMAKE_BINARY_DIR}/also)
set(strict -DRAVINE_WERROR=ON -DRAVINE_TESTS=ON)

# The tests again under the sanitizers. They run each line of the table with one number of threads, in turns.
ravine_also(asan --preset asan)
ravine_add_tests(${also}/asan asan unit physics faults cli)
ravine_add_same_bits(${also}/asan asan.same_bits asan turn 1 1 7)
ravine_also(tsan --preset tsan TARGETS tests_of_threads)
ravine_add_tests(${also}/tsan tsan unit)
# One thread cannot race.
ravine_add_same_bits(${also}/tsan tsan.same_bits tsan turn 1 2 7)
# Of these `make test` runs the shorter ones of the library under the address sanitizer, and the table of hashes.
get_property(names DIRECTORY PROPERTY TESTS)
list(FILTER names INCLUDE REGEX "^(asan[.](physics|cli)|tsan|build[.]tsan)")
foreach(program brush contract film_of_steps float_state plan scene)
    list(APPEND names asan.unit.${program})
endforeach()
ravine_only_all(${names} asan.faults.allocations)

# The fuzzers: first their corpus, then some seconds of new input.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(program ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" name ${program})
    set(words "")
    if(name MATCHES "^(recipe|scene)$")
        set(words -dict=${also}/asan/fuzz/words.dict)
    endif()
    ravine_add_test(fuzz.${name} asan
        ${steady} sh ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_some.sh ${also}/asan/fuzz/${program}
        ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name} -max_total_time=3 ${words}
    )
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
endforeach()

# The same bits from both compilers, at both ends of optimisation, for this processor and for all.
# Clang's warnings about the tests come with the sanitizers, those about the benchmarks come here.
ravine_also(clang --preset clang TARGETS same_bits benchmarks)
set(bits ${strict} -DRAVINE_ASSERTS=ON TARGETS same_bits)
# Each compiler, not optimised and optimised, for any processor and for this one: each pair of these, not each triple.
ravine_also(gcc_O0 -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON ${bits})
foreach(tree gcc_O3 clang_O3 clang_O0)
    string(REGEX MATCH "^[a-z]+" compiler ${tree})
    string(REGEX MATCH "O.$" level ${tree})
    ravine_also(${tree}_native -DCMAKE_C_COMPILER=${compiler}
        -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-${level} -march=native" ${bits}
    )
endforeach()
# The build of this tree and that of clang run each line of the table with each number of threads; these four with
# one, and with another one in the next of them.
set(turn 0)
foreach(tree clang gcc_O0 clang_O0_native gcc_O3_native clang_O3_native)
    set(threads "")
    if(NOT tree STREQUAL "clang")
        math(EXPR turn "${turn} + 1")
        set(threads turn ${turn})
    endif()
    ravine_add_same_bits(${also}/${tree} same_bits.${tree} ${tree} ${threads})
    set_tests_properties(same_bits.${tree} PROPERTIES LABELS same_bits)
    ravine_only_all(build.${tree} same_bits.${tree})
endforeach()
ravine_only_all(cli.gallery cli.kills)

# The longest: they start as soon as they can, so that none runs on alone at the end.
set_tests_properties(asan.physics.droplets asan.physics.drop_order asan.physics.particles
    asan.unit.contract asan.unit.plan asan.unit.scene asan.cli.devices asan.faults.allocations
    tsan.same_bits tsan.unit.float_state cli.gallery cli.docs cli.checkpoint same_bits.device PROPERTIES COST 60
)

# The laws, and that their checker sees a breach.
ravine_add_test(laws laws
    sh ${PROJECT_SOURCE_DIR}/tests/laws/check_laws.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
)
set_property(TEST laws APPEND PROPERTY LABELS check)
ravine_add_test(laws.breaches laws
    sh ${PROJECT_SOURCE_DIR}/tests/laws/test_laws.sh ${PROJECT_SOURCE_DIR}
)
ravine_only_all(laws.breaches)
ravine_add_test(laws.mutations laws
    sh ${PROJECT_SOURCE_DIR}/tests/laws/test_mutations.sh ${PROJECT_SOURCE_DIR}
)
ravine_add_test(laws.fast_math laws ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B refused
    -DCMAKE_C_FLAGS=-Ofast
)
set_tests_properties(laws.fast_math PROPERTIES
    PASS_REGULAR_EXPRESSION "refuses the compiler[ \n]+flag -Ofast"
)

# The door: what a person types, and a C program that uses what was installed.
set(door ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS --unset=MAKELEVEL
    make --no-print-directory -C ${PROJECT_SOURCE_DIR} BUILD=${CMAKE_BINARY_DIR}/door
)
ravine_add_test(door.demo door ${door} demo DEMO=${CMAKE_BINARY_DIR}/run/door.demo)
set_tests_properties(door.demo PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP build.door COST 50)
ravine_add_test(door.install door ${door} install DESTDIR= PREFIX=${CMAKE_BINARY_DIR}/run/door.install)
set_tests_properties(door.install PROPERTIES FIXTURES_SETUP installed)
ravine_add_test(door.example door
    sh ${PROJECT_SOURCE_DIR}/tests/install/test_example.sh ${PROJECT_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/run/door.install ${CMAKE_COMMAND}
)
set_tests_properties(door.example PROPERTIES FIXTURES_REQUIRED installed)

# The library of the Python package, which its tests run little, is built in half the time.
set(python_quick CMAKE_ARGS=-DCMAKE_C_FLAGS_RELEASE=-O1)
ravine_add_test(door.package door ${CMAKE_COMMAND} -E env DEBFULLNAME=Test DEBEMAIL=test@debian.org
    ${python_quick} ${door} package)
set_tests_properties(door.package PROPERTIES FIXTURES_REQUIRED installed FIXTURES_SETUP packages)
ravine_add_test(door.packages door
    sh ${PROJECT_SOURCE_DIR}/tests/install/test_package.sh ${PROJECT_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/run/door.install ${CMAKE_BINARY_DIR}/door
)
set_tests_properties(door.packages PROPERTIES FIXTURES_REQUIRED packages)
ravine_only_all(door.package door.packages)

include(cmake/wasm_checks.cmake)
include(cmake/arm_checks.cmake)
include(cmake/studio_checks.cmake)
include(cmake/outside_checks.cmake)
