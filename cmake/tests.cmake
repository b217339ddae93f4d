# Tests of this build. Every tests/{unit,physics,faults}/test_X.c is a program, every
# tests/cli/test_X.sh a use of the program `ravine`; each runs in its own empty folder. The target
# `tests` builds what they need, and those with the label `check` are what `make check` runs.
find_path(CMOCKA_INCLUDE cmocka.h REQUIRED)
find_library(CMOCKA_LIBRARY cmocka REQUIRED)

file(GLOB test_sources CONFIGURE_DEPENDS
    tests/unit/test_*.c tests/physics/test_*.c tests/faults/test_*.c
)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux") # these put themselves between the library and the calls of that system
    list(FILTER test_sources EXCLUDE REGEX "/faults/test_(full_disk|power_cut|race).c$")
endif()
file(GLOB cli_tests CONFIGURE_DEPENDS tests/cli/test_*.sh)
# These watch the clock or take their time: not for slow builds nor for `make check`.
set(timed_tests test_bar test_checkpoint test_docs test_gallery test_interrupt test_kills)

# These run on one thread, or on a device, where the thread sanitizer has nothing to see.
set(lone_tests test_bad_files test_brush test_canvas test_device_views test_drainage test_exr test_file test_machine
    test_math test_mesh_files test_png test_random test_raw_npy test_relief test_settings test_sidecar test_support
    test_text test_wall_index
)

# These ask all of their cases under the address sanitizer, too.
set(whole_tests test_math test_text)

# These judge large lands that other tests make small ones of: sanitizers would see nothing more.
set(land_tests test_drop_sizes test_real_land)

# These run the code of a driver, in which sanitizers see what is not ours.
set(driver_tests test_device)

# On some kernels sanitizers start only when memory lies where they expect it.
set(steady "")
execute_process(COMMAND setarch -R true RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
    set(steady setarch -R)
endif()

# ravine_add_test(NAME LABEL COMMAND...). Where checks.cmake builds a tree called LABEL, the test
# waits for it.
function(ravine_add_test name label)
    add_test(NAME ${name} COMMAND
        sh ${PROJECT_SOURCE_DIR}/tests/run_in.sh ${CMAKE_BINARY_DIR}/run/${name} ${ARGN}
    )
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} FIXTURES_REQUIRED build.${label} TIMEOUT ${RAVINE_TEST_SECONDS}
    )
endfunction()

# ravine_only_all(TESTS...): these take long, and only `make test-all` runs them.
function(ravine_only_all)
    set_property(TEST ${ARGN} APPEND PROPERTY LABELS long)
endfunction()

# ravine_add_same_bits(TREE NAME LABEL [THREADS...]): does one build give the hashes of the table, with
# each of these numbers of threads (1, 2, 3 and 7 unless told)?
function(ravine_add_same_bits tree name label)
    ravine_add_test(${name} ${label}
        ${steady} sh ${PROJECT_SOURCE_DIR}/tests/same_bits/check_hashes.sh
        ${tree}/tests/same_bits ${PROJECT_SOURCE_DIR}/tests/same_bits/hashes.txt ${ARGN}
    )
endfunction()

# ravine_add_tests(TREE OTHER KINDS...): tests with the programs that lie in TREE. In this build they
# are called unit.X and labelled unit; in the tree OTHER they are called OTHER.unit.X and labelled OTHER,
# and run in short form (support_short in tests/support.h).
function(ravine_add_tests tree other)
    foreach(source IN LISTS test_sources cli_tests)
        get_filename_component(program ${source} NAME_WE)
        get_filename_component(kind ${source} DIRECTORY)
        get_filename_component(kind ${kind} NAME)
        if(NOT kind IN_LIST ARGN OR (other AND program IN_LIST timed_tests))
            continue()
        elseif(other AND (program IN_LIST driver_tests OR program IN_LIST land_tests))
            continue()
        elseif(other STREQUAL "tsan" AND program IN_LIST lone_tests)
            continue()
        endif()
        string(REGEX REPLACE "^test_" "${kind}." name ${program})
        set(label ${kind})
        if(other)
            set(name ${other}.${name})
            set(label ${other})
        endif()
        if(source MATCHES "[.]sh$")
            ravine_add_test(${name} ${label} ${steady} bash ${source})
        else()
            ravine_add_test(${name} ${label} ${steady} ${tree}/tests/${program})
        endif()
        set_property(TEST ${name} PROPERTY ENVIRONMENT
            RAVINE=${tree}/ravine SOURCE=${PROJECT_SOURCE_DIR}
            UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1
        )
        if(other AND NOT (other STREQUAL "asan" AND program IN_LIST whole_tests))
            set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT RAVINE_SHORT=1)
        elseif(NOT other AND NOT program IN_LIST timed_tests)
            set_property(TEST ${name} APPEND PROPERTY LABELS check)
        endif()
    endforeach()
endfunction()

function(ravine_add_test_program name source)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE ravine ravine_flags m)
    # Most of a test's time goes by in the library: to optimise the test takes longer than it saves.
    target_compile_options(${name} PRIVATE
        $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0;-g1>
    )
endfunction()

ravine_add_test_program(same_bits tests/same_bits/driver.c)
ravine_add_same_bits(${CMAKE_BINARY_DIR} same_bits same_bits)
set_property(TEST same_bits APPEND PROPERTY LABELS check)
ravine_add_same_bits(${CMAKE_BINARY_DIR} same_bits.device same_bits 2)
set_property(TEST same_bits.device PROPERTY ENVIRONMENT RAVINE_DEVICE=1 RAVINE_CACHE=kernels
    "RAVINE_LINES=noise noise_ridged noise_billow noise_value noise_value_ridged noise_value_billow noise_seed noise_axes noise_warp noise_add noise_multiply faults_add cone thermal thermal_open thermal_cut thermal_mask thermal_strip droplets pipes pipes_4 pipes_paper pipes_wall pipes_backward pipes_forward pipes_spring pipes_springs pipes_rain pipes_hardness pipes_twice pipes_strip runoff runoff_four runoff_wall runoff_paper runoff_fine runoff_floor runoff_rain runoff_mask runoff_strip runoff_wide runoff_infiltration runoff_twice"
)
add_custom_target(tests DEPENDS ravine_cli same_bits)
# What `make test` runs under the thread sanitizer.
add_custom_target(tests_of_threads DEPENDS same_bits)

# These look inside the library, which a shared one does not allow.
if(NOT BUILD_SHARED_LIBS)
    foreach(source IN LISTS test_sources)
        get_filename_component(program ${source} NAME_WE)
        ravine_add_test_program(${program} ${source})
        target_include_directories(${program} PRIVATE tests src ${CMOCKA_INCLUDE})
        target_compile_definitions(${program} PRIVATE RAVINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
        target_link_libraries(${program} PRIVATE ${CMOCKA_LIBRARY} Threads::Threads)
        if(RAVINE_PNG)
            target_compile_definitions(${program} PRIVATE RAVINE_PNG)
            target_link_libraries(${program} PRIVATE PNG::PNG ZLIB::ZLIB)
        endif()
        add_dependencies(tests ${program})
        if(source MATCHES "/unit/" AND NOT program IN_LIST lone_tests)
            add_dependencies(tests_of_threads ${program})
        endif()
    endforeach()
    ravine_add_tests(${CMAKE_BINARY_DIR} "" unit physics faults cli)
    # The longest go first, so that none runs on alone at the end.
    set_tests_properties(physics.droplets unit.contract unit.plan unit.scene PROPERTIES COST 40)
    if(TEST cli.interrupt)
        set_tests_properties(cli.interrupt PROPERTIES RUN_SERIAL ON)
    endif()
endif()

# The API from other languages, through a shared library of the same objects.
if(NOT RAVINE_SANITIZE)
    set(shared ravine)
    if(NOT BUILD_SHARED_LIBS)
        set(shared ravine_shared)
        add_library(ravine_shared SHARED $<TARGET_OBJECTS:ravine>)
        target_link_libraries(ravine_shared PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
        if(RAVINE_PNG)
            target_link_libraries(ravine_shared PRIVATE PNG::PNG ZLIB::ZLIB)
        endif()
    endif()
    ravine_add_test(api.cpp api
        sh ${PROJECT_SOURCE_DIR}/tests/api/test_cpp.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:${shared}>
    )
    ravine_add_test(api.library_page api sh ${PROJECT_SOURCE_DIR}/tests/api/test_library_page.sh
        ${PROJECT_SOURCE_DIR} $<TARGET_FILE:${shared}>
    )
    ravine_add_test(api.ctypes api python3 ${PROJECT_SOURCE_DIR}/tests/api/test_ctypes.py
        $<TARGET_FILE:${shared}> $<TARGET_FILE:ravine_cli>
    )
    set(both $<TARGET_FILE:ravine>)
    set(needs "${CMAKE_C_FLAGS} -lm -pthread")
    if(NOT BUILD_SHARED_LIBS)
        list(APPEND both $<TARGET_FILE:ravine_shared>)
        if(RAVINE_PNG)
            string(APPEND needs " $<TARGET_FILE:PNG::PNG> $<TARGET_FILE:ZLIB::ZLIB>")
        endif()
    endif()
    ravine_add_test(api.fast_math api
        sh ${PROJECT_SOURCE_DIR}/tests/api/test_fast_math.sh ${PROJECT_SOURCE_DIR} ${both}
    )
    set_property(TEST api.fast_math PROPERTY ENVIRONMENT "NEEDS=${needs}")
    add_dependencies(tests ${shared})
    foreach(name api.cpp api.fast_math api.library_page api.ctypes)
        set_property(TEST ${name} APPEND PROPERTY LABELS check)
    endforeach()
    include(cmake/python_checks.cmake)
endif()
