/* hello_mountain.c: makes a mountain, erodes it with drops of water, and saves it.
 *
 * After `make install`, either
 *     cc hello_mountain.c -o hello_mountain $(pkg-config --cflags --libs ravine)
 * or, in a CMakeLists.txt,
 *     find_package(ravine REQUIRED)
 *     add_executable(hello_mountain hello_mountain.c)
 *     target_link_libraries(hello_mountain ravine::ravine)
 */
#include <ravine/ravine.h>
#include <stdio.h>

/* Each call returns a status; the first that is not RV_OK ends the work. */
static rv_status make_mountain(rv_terrain *land) {
    rv_noise_params noise = rv_noise_params_default();
    noise.shape = RV_noise_shape_ridged;
    noise.seed = 7;
    noise.relief = 900.0f; /* metres */
    rv_status status = rv_step_run(land, RV_STEP_noise, &noise, NULL);
    if (status != RV_OK) {
        return status;
    }

    rv_droplets_params droplets = rv_droplets_params_default();
    droplets.drops = 60000;
    rv_report report;
    status = rv_step_run(land, RV_STEP_droplets, &droplets, &report);
    if (status != RV_OK) {
        return status;
    }
    printf("eroded %.0f m3 = deposited %.0f + left the map %.0f + still suspended %.0f\n",
           report.ledger.eroded, report.ledger.deposited, report.ledger.left_map,
           report.ledger.suspended);

    rv_save_params save = rv_save_params_default();
    save.file = "mountain.png";
    return rv_step_run(land, RV_STEP_save, &save, NULL);
}

int main(void) {
    rv_context *ctx = NULL;
    rv_status status = rv_context_create(NULL, &ctx);
    if (status != RV_OK) {
        fprintf(stderr, "hello_mountain: %s\n", rv_status_text(status));
        return 1;
    }

    rv_terrain *land = NULL;
    const rv_terrain_desc size = {.width = 256, .height = 256, .cell = 10.0f};
    status = rv_terrain_create(ctx, &size, &land);
    if (status == RV_OK) {
        status = make_mountain(land);
    }
    if (status == RV_OK) {
        printf("mountain.png: terrain hash %016llx\n", (unsigned long long)rv_terrain_hash(land));
    } else {
        fprintf(stderr, "hello_mountain: %s\n", rv_context_error(ctx));
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return status == RV_OK ? 0 : 1;
}
