# The page of the studio: it builds, and does in chromium what it says. Left out where WebAssembly is, or where npm or
# chromium is not there: tools/setup.sh says so.

find_program(STUDIO_NPM npm)
find_program(STUDIO_CHROMIUM chromium)
if(NOT TEST wasm.build OR NOT STUDIO_NPM OR NOT STUDIO_CHROMIUM
    OR NOT EXISTS ${PROJECT_SOURCE_DIR}/studio/node_modules/.installed-from)
    message(STATUS "The page of the studio is left out of the tests: tools/setup.sh test says what it needs.")
    return()
endif()

set(studio_page ${CMAKE_BINARY_DIR}/also/studio)
add_test(NAME studio.build COMMAND
    sh ${PROJECT_SOURCE_DIR}/studio/build.sh $<TARGET_FILE:ravine_cli> ${wasm_tree}
    ${wasm_threads_tree} ${studio_page}
)
set_tests_properties(studio.build PROPERTIES
    LABELS studio FIXTURES_REQUIRED build.wasm FIXTURES_SETUP build.studio TIMEOUT ${RAVINE_TEST_SECONDS}
)
# What watches the clock has the machine for itself; the rest goes in halves, side by side.
foreach(which timed 1/2 2/2)
    string(REGEX REPLACE "/.*" "" name ${which})
    ravine_add_test(studio.page.${name} studio ${WASM_NODE} ${PROJECT_SOURCE_DIR}/tests/studio/test_studio.mjs
        ${studio_page} $<TARGET_FILE:ravine_cli> ${which}
    )
    set_tests_properties(studio.page.${name} PROPERTIES ENVIRONMENT CHROMIUM=${STUDIO_CHROMIUM} COST 60)
endforeach()
set_tests_properties(studio.page.timed PROPERTIES PROCESSORS 2)
