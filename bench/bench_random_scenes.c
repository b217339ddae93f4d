/* bench_random_scenes.c: does water ever stop? Scenes at random (tests/random_scene.h): after each
 * frame all numbers must be finite and time must have gone on.
 *
 * Prints the seed and the words of each scene that fails, and at the end how many there were.
 * usage: bench_random_scenes [SCENES [FRAMES [SEED [coarse]]]]
 */
#include "bench.h"

#include "../tests/random_scene.h"

#include <inttypes.h>
#include <string.h>

typedef enum verdict { RAN, STOPPED, NOT_STARTED } verdict;

static verdict run(rv_context *ctx, const random_scene *r, int frames, char *why, size_t size) {
    rv_scene *scene = NULL;
    rv_status status = rv_scene_parse(ctx, r->words, "random", &scene);
    if (status == RV_OK)
        status = rv_scene_start(scene);
    verdict out = status == RV_OK ? RAN : NOT_STARTED;
    double time = 0;
    int frame = 0;
    for (; frame < frames && out == RAN; frame++) {
        rv_frame now;
        status = rv_scene_step(scene);
        if (status != RV_OK || !random_scene_is_sound(scene, time))
            out = STOPPED;
        else if (rv_scene_info(scene, &now) == RV_OK)
            time = now.time;
    }
    snprintf(why, size, "frame %d: %s", frame, status != RV_OK ? rv_context_error(ctx) : "unsound");
    rv_scene_destroy(scene);
    return out;
}

int main(int argc, char **argv) {
    int scenes = argc > 1 ? atoi(argv[1]) : 1000, frames = argc > 2 ? atoi(argv[2]) : 100;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL);
    double coarse = argc > 4 ? atof(argv[4]) : 1;
    int counts[3] = {0};
    printf("%d scenes of %d frames, seeds from %" PRIu64 " on\n", scenes, frames, seed);
    if (!random_scene_write_block())
        bench_check(NULL, RV_ERROR_OUTPUT);
    double begun = bench_clock(CLOCK_MONOTONIC);
    for (int i = 0; i < scenes; i++) {
        char why[256];
        rv_context *ctx = bench_context(1);
        random_scene r = random_scene_draw(seed + (uint64_t)i, 0.6, coarse);
        verdict v = run(ctx, &r, frames, why, sizeof why);
        counts[v]++;
        if (v != RAN)
            printf("%s seed %" PRIu64 ", %s\n    %s\n", v == STOPPED ? "STOPPED" : "not started",
                   seed + (uint64_t)i, why, r.words);
        fflush(stdout);
        rv_context_destroy(ctx);
    }
    printf("%d ran, %d stopped, %d did not start; %.0f s\n", counts[RAN], counts[STOPPED],
           counts[NOT_STARTED], bench_clock(CLOCK_MONOTONIC) - begun);
    return counts[STOPPED] > 0;
}
