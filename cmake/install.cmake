# What `make install` puts where: library, headers, program, recipes, man page, completion, and the two ways
# for a C program to find the library: pkg-config and find_package(ravine).
include(CMakePackageConfigHelpers)

# The man page and the completions are printed by the program, where it runs.
if(NOT CMAKE_CROSSCOMPILING)
    set(printed "")
    foreach(page IN ITEMS "ravine.1 --man" "ravine.bash --completion bash" "_ravine --completion zsh"
            "ravine.fish --completion fish")
        separate_arguments(words UNIX_COMMAND ${page})
        list(POP_FRONT words name)
        add_custom_command(
            OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}
            COMMAND ravine_cli help ${words} > ${name}.part
            COMMAND ${CMAKE_COMMAND} -E rename ${name}.part ${name}
            DEPENDS ravine_cli
            VERBATIM
        )
        list(APPEND printed ${CMAKE_CURRENT_BINARY_DIR}/${name})
    endforeach()
    add_custom_target(ravine_pages ALL DEPENDS ${printed})
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravine.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravine.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ravine
    )
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_ravine
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    )
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravine.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    )
endif()

if(BUILD_SHARED_LIBS)
    set(beside "$ORIGIN")
    if(APPLE)
        set(beside "@loader_path")
    endif()
    set_target_properties(ravine_cli PROPERTIES
        INSTALL_RPATH "${beside}/../${CMAKE_INSTALL_LIBDIR}"
    )
endif()
install(TARGETS ravine EXPORT ravineTargets)
install(TARGETS ravine_cli)
install(FILES include/ravine/ravine.h include/ravine/steps.def
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ravine
)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${recipes} DESTINATION ${CMAKE_INSTALL_DATADIR}/ravine/recipes)

# The page of the studio, where it was built: `make studio`.
set(RAVINE_STUDIO "" CACHE PATH "Folder of the built page of the studio, to install it")
if(RAVINE_STUDIO)
    install(CODE "if(NOT EXISTS \"${RAVINE_STUDIO}/index.html\")
        message(STATUS \"The page of the studio was not built, so it is not installed: make studio builds it.\")
    endif()")
    install(DIRECTORY ${RAVINE_STUDIO}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ravine/studio OPTIONAL)
endif()

# Both files find the rest from where they lie, so that an installed tree can be moved.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ravine)
configure_package_config_file(cmake/ravineConfig.cmake.in ravineConfig.cmake
    INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(ravineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT ravineTargets NAMESPACE ravine:: DESTINATION ${package_dir})
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/ravineConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/ravineConfigVersion.cmake
    DESTINATION ${package_dir}
)

file(RELATIVE_PATH pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}
)
# Whoever links a static library links what it needs, too.
set(pc_libs_private "-lm -pthread -ldl")
set(pc_requires_private "")
if(RAVINE_PNG)
    set(pc_requires_private "libpng zlib")
endif()
if(NOT BUILD_SHARED_LIBS)
    set(pc_libs "${pc_libs_private}")
    set(pc_requires ${pc_requires_private})
endif()
configure_file(cmake/ravine.pc.in ravine.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
