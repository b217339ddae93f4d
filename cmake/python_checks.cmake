# The Python package: pip installs it in a fresh environment, pytest tests it there, and
# docs/python.md is what its script writes. Left out where Python has not all that this needs:
# tools/setup.sh says so.

set(ravine_python "")
foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import setuptools, wheel, pip, pytest, numpy, venv"
        RESULT_VARIABLE python_failed OUTPUT_QUIET ERROR_QUIET
    )
    if(python_failed EQUAL 0 AND NOT ravine_python)
        set(ravine_python ${candidate})
    endif()
endforeach()
if(NOT ravine_python)
    message(STATUS "Python is left out of the tests: tools/setup.sh test says what it needs.")
    return()
endif()

set(python_environment ${CMAKE_BINARY_DIR}/run/python.install/environment)
ravine_add_test(python.install python
    sh ${PROJECT_SOURCE_DIR}/tests/python/install.sh ${PROJECT_SOURCE_DIR} ${ravine_python}
    $<TARGET_FILE:${shared}>
)
ravine_add_test(python.tests python ${python_environment}/bin/python -B -m pytest -q
    -p no:cacheprovider --rootdir=. --basetemp=made ${PROJECT_SOURCE_DIR}/tests/python
)
ravine_add_test(python.page python
    sh ${PROJECT_SOURCE_DIR}/tests/python/check_page.sh ${PROJECT_SOURCE_DIR}
    ${python_environment}/bin/python
)
set_tests_properties(python.install PROPERTIES FIXTURES_SETUP python)
set_tests_properties(python.tests python.page PROPERTIES FIXTURES_REQUIRED python
    ENVIRONMENT "RAVINE=$<TARGET_FILE:ravine_cli>;SOURCE=${PROJECT_SOURCE_DIR}"
)
