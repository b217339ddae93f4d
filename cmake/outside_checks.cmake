# Ravine in other programs, for `make test-all`: the add-on in Blender, the export in Godot, the program for Windows
# under wine, and the recipes of package managers. outside.setup installs what these need while other tests run; what
# is not to be had is left out, and its test says so.

# ravine_add_outside(NAME COMMAND...)
function(ravine_add_outside name)
    ravine_add_test(outside.${name} outside
        ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS --unset=MFLAGS --unset=MAKELEVEL ${ARGN}
    )
    set_tests_properties(outside.${name} PROPERTIES FIXTURES_REQUIRED outside COST 60 TIMEOUT 1800)
    ravine_only_all(outside.${name})
endfunction()

set(tests ${PROJECT_SOURCE_DIR}/tests)
set(program $<TARGET_FILE:ravine_cli>)
ravine_add_outside(setup sh ${PROJECT_SOURCE_DIR}/tools/setup.sh all)
ravine_add_outside(blender ${python_quick} sh ${tests}/blender/check_blender.sh ${PROJECT_SOURCE_DIR} ${also} ${program})
ravine_add_outside(windows bash ${tests}/windows/check_windows.sh ${PROJECT_SOURCE_DIR} ${also} ${program})
ravine_add_outside(godot sh ${tests}/godot/check_godot.sh ${PROJECT_SOURCE_DIR} ${program})
ravine_add_outside(recipes bash ${tests}/install/use_recipes.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(outside.setup PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP outside COST 200)
set_tests_properties(outside.recipes PROPERTIES FIXTURES_REQUIRED "")
set_tests_properties(outside.blender outside.windows outside.godot PROPERTIES SKIP_REGULAR_EXPRESSION
    "there is no blender here;Windows is not tested;there is no godot3-server here"
)
# Both build the library of the Python package, in build/python, with the same options.
set_tests_properties(outside.blender door.package PROPERTIES RESOURCE_LOCK python_package)
