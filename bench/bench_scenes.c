/* bench_scenes.c: milliseconds of whole frames of the presets, beside those of the document.
 *
 * Each scene runs until it has its water, or as much of it as stays, and then some frames are
 * measured. The columns are those of table 7.2 of V. Skorkovska, Modeling of Erosion Impacts on the
 * Terrain (2012), in means a frame; `least` is the quickest frame, and `times` how many of ours fit
 * into one of hers, on her machine. usage: bench_scenes [quick]
 */
#include "bench.h"

#include <string.h>

typedef struct preset {
    const char *name;
    size_t particles; /* of table 7.1 */
    double frame;     /* ms, of table 7.2 */
} preset;

static const preset scenes[] = {{"river", 12125, 1885},
                                {"lake", 12528, 2905},
                                {"detailed_lake", 12096, 4316},
                                {"tube", 12528, 727}};

/* At most so many frames until the water is there, and those that are measured. */
typedef struct lengths {
    int filling, measured;
} lengths;

static rv_scene *fill(rv_context *ctx, const preset *r, int frames) {
    rv_scene *scene;
    rv_frame now;
    bench_check(ctx, rv_scene_create(ctx, r->name, &scene));
    bench_check(ctx, rv_scene_start(scene));
    for (int f = 0; f < frames; f++) {
        bench_check(ctx, rv_scene_step(scene));
        if (f % 16 != 0)
            continue;
        bench_check(ctx, rv_scene_info(scene, &now));
        if ((double)now.particles >= 0.98 * (double)r->particles)
            break;
    }
    return scene;
}

static void measure(const preset *r, int threads, lengths n) {
    rv_context *ctx = bench_context(threads);
    rv_scene *scene = fill(ctx, r, n.filling);
    rv_frame now;
    double particles = 0, faces = 0, press = 0, force = 0, advance = 0, frame = 0, least = 1e9;
    double work = bench_clock(CLOCK_PROCESS_CPUTIME_ID), looks = 0;
    for (int f = 0; f < n.measured; f++) {
        bench_check(ctx, rv_scene_step(scene));
        double begun = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(ctx, rv_scene_info(scene, &now));
        looks += bench_clock(CLOCK_PROCESS_CPUTIME_ID) - begun;
        particles += now.ms.particles / n.measured;
        faces += now.ms.faces / n.measured;
        press += now.ms.pressure / n.measured;
        force += now.ms.force / n.measured;
        advance += now.ms.advance / n.measured;
        frame += now.ms.frame / n.measured;
        least = now.ms.frame < least ? now.ms.frame : least;
    }
    work = 1e3 * (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - work - looks) / n.measured;
    printf("%-13s %6zu %6zu %7d %9.2f %6.2f %6.2f %6.2f %7.2f %6.1f %6.1f %6.1f %6.0f\n", r->name,
           now.particles, now.faces, threads, particles, faces, press, force, advance, frame, least,
           work, r->frame / frame);
    fflush(stdout);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    lengths n = quick ? (lengths){40, 10} : (lengths){1500, 60};
    printf("scene          water  faces threads particles  faces  press  force advance  frame  "
           "least   work  times\n");
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++)
        for (int threads = 1; threads <= 2; threads++)
            measure(&scenes[s], threads, n);
    return 0;
}
