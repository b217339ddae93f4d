# EXR by OpenEXR's C core, whose headers the build needs and whose library, of the same version, is loaded when a
# file needs it. Without the headers exr_none.c stands for it.
find_path(OPENEXR_INCLUDE OpenEXR/openexr.h)
find_library(OPENEXR_LIBRARY OpenEXRCore)
set(openexr_name "")
if(OPENEXR_INCLUDE AND OPENEXR_LIBRARY)
    file(REAL_PATH ${OPENEXR_LIBRARY} openexr_name)
    if(NOT APPLE) # the name that machines look for: libOpenEXRCore-3_1.so.30
        string(REGEX MATCH "lib[^/]*\\.so\\.[0-9]+" openexr_name ${openexr_name})
    endif()
endif()
if(openexr_name)
    target_include_directories(ravine_flags SYSTEM INTERFACE ${OPENEXR_INCLUDE})
    set_source_files_properties(src/formats/exr.c PROPERTIES
        COMPILE_DEFINITIONS RVI_OPENEXR_NAME="${openexr_name}"
    )
else()
    message(STATUS "OpenEXR is not here: Ravine will neither read nor write .exr, and say so.")
    string(REPLACE "|exr|" "|" ravine_left_out ${ravine_left_out})
    string(APPEND ravine_left_out "|exr.c")
endif()
