# Run by CPack before it packs: what Debian's rules want and others do not, a packed man page and a changelog
# in Debian's form.
if(NOT CPACK_GENERATOR STREQUAL DEB)
    return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
execute_process(COMMAND gzip -9n ${share}/man/man1/ravine.1 COMMAND_ERROR_IS_FATAL ANY)
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${share}/doc/ravine/changelog "ravine (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md beside this file.

 -- ${CPACK_PACKAGE_CONTACT}  ${day}
")
execute_process(COMMAND gzip -9n ${share}/doc/ravine/changelog COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/doc/ravine/LICENSE ${share}/doc/ravine/copyright)
