/* bench_render.c: seconds that the step render takes, beside plain rays without any light.
 *
 * Prints one line for each look of one land: CPU seconds of the whole step, PNG included, best of
 * several, half of that, which is what two cores need at least, and how many times as long a plain
 * loop takes in the same run that casts a ray for each of as many pixels, from cell to cell,
 * and does nothing where they hit. usage: bench_render [quick]
 */
#include "bench.h"

#include <string.h>

static double cpu_now(void) {
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static rv_terrain *make_land(rv_context *ctx, int size) {
    char text[256];
    snprintf(text, sizeof text,
             "terrain size=%d cell=%g noise seed=7 shape=ridged octaves=9 frequency=0.17 warp=0.3 "
             "relief=2200 droplets drops=%d border=apron",
             size, 10240.0 / size, size * size / 8);
    rv_terrain *land;
    bench_check(ctx, rv_recipe_run_text(ctx, text, NULL, &land));
    return land;
}

/* Parallel rays that come down at 22 degrees from the south-west, a cell at a time. */
static double plain_rays(const rv_terrain *land, int width, int height) {
    int w = rv_terrain_width(land), h = rv_terrain_height(land);
    const float *z = rv_terrain_field(land, "height");
    float top = 0, fall = 0.404f * rv_terrain_cell(land), sum = 0;
    for (int i = 0; i < w * h; i++)
        top = z[i] > top ? z[i] : top;
    double start = cpu_now();
    for (int i = 0; i < width * height; i++) {
        /* Where the ray is as high as the highest point: rows of the picture from near to far. */
        float back = top / fall, at = (float)(i / width) / (float)height * ((float)h + back);
        float x = (float)(i % width) / (float)width * (float)w, y = (float)h + back - at, up = top;
        while (y >= 0 && up > -1e4f) {
            int cx = (int)x, cy = (int)y;
            if (cy < h && cx >= 0 && cx < w && z[cy * w + cx] > up)
                break;
            x += 0.6f;
            y -= 0.8f;
            up -= fall;
        }
        sum += up;
    }
    return cpu_now() - start + (sum == 0.5f ? 1 : 0);
}

static void measure_looks(rv_context *ctx, rv_terrain *land, int width, int height, int tries) {
    static const char *const names[] = {"alpine", "desert", "clay", "map"};
    double plain = plain_rays(land, width, height);
    for (int look = 0; look < 4; look++) {
        rv_render_params p = rv_render_params_default();
        p.file = "bench_render.png";
        p.look = look;
        p.width = width;
        p.height = height;
        double best = 1e9;
        for (int t = 0; t < tries; t++) {
            double start = cpu_now();
            bench_check(ctx, rv_step_run(land, RV_STEP_render, &p, NULL));
            double took = cpu_now() - start;
            best = took < best ? took : best;
        }
        printf("%-7s %4d x %4d cells  %4d x %4d pixels  %6.2f s CPU  %6.2f s on two cores  plain "
               "rays alone %.2f times that\n",
               names[look], rv_terrain_width(land), rv_terrain_height(land), width, height, best,
               best / 2, plain / best);
    }
    remove("bench_render.png");
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx;
    if (rv_context_create(NULL, &ctx) != RV_OK)
        return 1;
    rv_terrain *land = make_land(ctx, quick ? 128 : 1024);
    measure_looks(ctx, land, quick ? 192 : 1920, quick ? 108 : 1080, quick ? 1 : 5);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return 0;
}
