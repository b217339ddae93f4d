# Packages: `make package` makes a .deb and a .tar.gz of what `make install` installs.
set(CPACK_PACKAGE_NAME ravine)
set(CPACK_PACKAGE_VENDOR "The Ravine authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "terrain generator with hydraulic and thermal erosion")
set(CPACK_PACKAGE_DESCRIPTION "Ravine makes terrain, or reads a heightmap, and erodes it as water and
gravity do: droplets, shallow water, runoff, thermal erosion, rivers over
geological time, and water that wears closed meshes. The same recipe gives
the same bytes on every machine. The package holds the program, recipes,
and the C library with its header.")
# Who makes a package answers for it, as Debian's tools have it, or as git knows who that is.
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT DEFINED ENV{DEBEMAIL})
    find_program(GIT git)
    foreach(part name email)
        set(git_${part} "")
        if(GIT)
            execute_process(COMMAND ${GIT} config user.${part} OUTPUT_VARIABLE git_${part}
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        endif()
    endforeach()
    set(CPACK_PACKAGE_CONTACT "${git_name} <${git_email}>")
    if(NOT git_email)
        set(CPACK_PACKAGE_CONTACT "The Ravine authors <root@localhost>")
    endif()
endif()
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME
    ravine-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ DEB)
if(WIN32)
    set(CPACK_GENERATOR ZIP)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS sensible-utils) # opens the browser
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, gdal-bin")
if(openexr_name MATCHES "^lib(OpenEXR)Core-([0-9]+)_([0-9]+)\\.so\\.([0-9]+)$") # libopenexr-3-1-30, as Debian names it
    string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS
        ", libopenexr-${CMAKE_MATCH_2}-${CMAKE_MATCH_3}-${CMAKE_MATCH_4}")
endif()
include(CPack)
