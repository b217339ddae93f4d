# Runs a port of vcpkg without vcpkg: -DPORT=FOLDER -DTREE=BUILT -DCURRENT_PACKAGES_DIR=OUT. Its functions do here what
# its manual says, with a tree that is built already.
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    if(NOT EXISTS "${arg_SOURCE_PATH}/CMakeLists.txt")
        message(FATAL_ERROR "There is no CMakeLists.txt in ${arg_SOURCE_PATH}.")
    endif()
endfunction()

function(vcpkg_cmake_install)
    execute_process(COMMAND ${CMAKE_COMMAND} --install "${TREE}" --prefix "${CURRENT_PACKAGES_DIR}"
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
    if(NOT files)
        message(FATAL_ERROR "${arg_CONFIG_PATH} holds nothing.")
    endif()
    file(COPY ${files} DESTINATION "${CURRENT_PACKAGES_DIR}/share/ravine")
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake")
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/lib/pkgconfig")
        message(FATAL_ERROR "There is no lib/pkgconfig.")
    endif()
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
    foreach(name IN LISTS arg_TOOL_NAMES)
        file(COPY "${CURRENT_PACKAGES_DIR}/bin/${name}" DESTINATION "${CURRENT_PACKAGES_DIR}/tools/ravine")
        file(REMOVE "${CURRENT_PACKAGES_DIR}/bin/${name}")
    endforeach()
    file(GLOB left "${CURRENT_PACKAGES_DIR}/bin/*")
    if(NOT left)
        file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/bin")
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    file(COPY ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/ravine")
    file(RENAME "${CURRENT_PACKAGES_DIR}/share/ravine/LICENSE" "${CURRENT_PACKAGES_DIR}/share/ravine/copyright")
endfunction()

include("${PORT}/portfile.cmake")
