/* worn_river.c: water erodes a river bed for some frames; then the rock is saved.
 *
 * After `make install`
 *     cc worn_river.c -o worn_river $(pkg-config --cflags --libs ravine)
 */
#include <ravine/ravine.h>
#include <stdio.h>

/* Each call returns a status; the first that is not RV_OK ends the work. */
static rv_status wear_river(rv_scene *scene) {
    rv_status status = RV_OK;
    for (int i = 0; i < 60 && status == RV_OK; i++) {
        status = rv_scene_step(scene);
    }
    rv_frame now;
    if (status == RV_OK) {
        status = rv_scene_info(scene, &now);
    }
    if (status != RV_OK) {
        return status;
    }
    printf("%lu particles eroded %g m3 from %lu faces in %g s\n", (unsigned long)now.particles,
           now.ledger.eroded, (unsigned long)now.faces, now.time);

    rv_mesh *rock;
    status = rv_scene_mesh(scene, &rock);
    if (status == RV_OK) {
        status = rv_mesh_save(rock, "river.obj", NULL);
        rv_mesh_destroy(rock);
    }
    return status;
}

int main(void) {
    rv_context *ctx;
    if (rv_context_create(NULL, &ctx) != RV_OK) {
        return 1;
    }
    rv_scene *scene;
    rv_status status = rv_scene_create(ctx, "river", &scene);
    if (status == RV_OK) {
        status = wear_river(scene);
        rv_scene_destroy(scene);
    }
    if (status != RV_OK) {
        fprintf(stderr, "%s\n", rv_context_error(ctx));
    }
    rv_context_destroy(ctx);
    return status != RV_OK;
}
