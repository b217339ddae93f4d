/* bench_meshes.c: cells a second for meshes of land, and faces a second for the exact check of
 * them.
 *
 * Prints one line a map and error: best of three, in seconds of processor time on one thread.
 * Beside it stands how much longer the check takes than copying the mesh once, which no check can
 * beat. usage: bench_meshes [quick]
 */
#include "bench.h"

#include <string.h>

static double seconds(clock_t from) {
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static void count(void *user, const rv_fault *fault) {
    (void)fault;
    ++*(int *)user;
}

static double copy_time(const rv_mesh *mesh) {
    size_t points = 3 * rv_mesh_vertex_count(mesh) * sizeof(double);
    size_t faces = 3 * rv_mesh_face_count(mesh) * sizeof(uint32_t);
    char *room = calloc(points + faces, 1);
    if (room == NULL)
        exit(1);
    clock_t from = clock();
    enum { TIMES = 10 };
    for (int i = 0; i < TIMES; i++) {
        memcpy(room, rv_mesh_points(mesh), points);
        memcpy(room + points, rv_mesh_faces(mesh), faces);
        if (room[i] == 'x') /* so that no copy is left out */
            puts("");
    }
    double took = seconds(from) / TIMES;
    free(room);
    return took > 1e-9 ? took : 1e-9;
}

static void measure(rv_context *ctx, const rv_terrain *land, float error) {
    double made = 1e9, checked = 1e9, copied = 1e9;
    size_t faces = 0;
    for (int i = 0; i < 3; i++) {
        rv_mesh *mesh;
        int faults = 0;
        clock_t from = clock();
        bench_check(ctx, rv_mesh_from_terrain(land, error, 100.0f, &mesh));
        made = seconds(from) < made ? seconds(from) : made;
        from = clock();
        bench_check(ctx, rv_mesh_check(mesh, count, &faults));
        checked = seconds(from) < checked ? seconds(from) : checked;
        copied = copy_time(mesh) < copied ? copy_time(mesh) : copied;
        faces = rv_mesh_face_count(mesh);
        if (faults > 0)
            puts("The mesh is not valid.");
        rv_mesh_destroy(mesh);
    }
    double cells = (double)rv_terrain_width(land) * (double)rv_terrain_height(land);
    printf("mesh %5d error %5g: %7.2f million cells a second, %8zu faces; check %6.0f ns a face, "
           "%.0f copies\n",
           rv_terrain_width(land), (double)error, 1e-6 * cells / made, faces,
           1e9 * checked / (double)faces, checked / copied);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx = bench_context(1);
    for (int size = 256; size <= (quick ? 256 : 1024); size *= 2) {
        rv_terrain *land;
        bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){size, size, 10.0f}, &land));
        bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        measure(ctx, land, 0.0f);
        measure(ctx, land, 1.0f);
        measure(ctx, land, 10.0f);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
    return 0;
}
