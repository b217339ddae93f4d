# 64-bit ARM in an emulator: the same bits, whatever the floating-point state of the caller. Some lines of
# the table for each kind of work, since the emulator is slow. Left out where the cross compiler or the
# emulator is not there.

find_program(ARM_GCC aarch64-linux-gnu-gcc)
find_program(ARM_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(NOT ARM_GCC OR NOT ARM_QEMU)
    message(STATUS "ARM is left out of the tests: tools/setup.sh test says what it needs.")
    return()
endif()

ravine_also(arm --preset arm -DRAVINE_TESTS=ON -DRAVINE_ASSERTS=ON -DCMAKE_BUILD_TYPE=None
    -DCMAKE_C_FLAGS=-O1 TARGETS same_bits test_float_state
)
ravine_add_test(arm.same_bits arm
    sh ${PROJECT_SOURCE_DIR}/tests/same_bits/check_hashes.sh ${ARM_QEMU}
    ${PROJECT_SOURCE_DIR}/tests/same_bits/hashes.txt ${also}/arm/same_bits 2
)
string(CONCAT arm_lines "noise_warp faults_circle_atan blur cone resize_cubic_up save_r16 hillshade_tint "
    "render texture_occlusion droplets runoff particles thermal thermal_slope same_pipes_forward rivers "
    "drain_both pipes layers strata_folds measure flood mesh_glb scene"
)
set_property(TEST arm.same_bits PROPERTY ENVIRONMENT "RAVINE_LINES=${arm_lines}")
ravine_add_test(arm.float_state arm ${ARM_QEMU} ${also}/arm/test_float_state)
set_property(TEST arm.float_state PROPERTY ENVIRONMENT RAVINE_SHORT=1)
ravine_only_all(build.arm arm.same_bits arm.float_state)
