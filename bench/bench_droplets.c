/* bench_droplets.c: drops and drop-steps per second, beside a plain loop of the same method.
 *
 * Prints one line a run: map, radius, threads, drops and drop-steps a second, the ratio to the
 * plain loop of the same run, and memory per cell. Parameters are those of Beyer's tables 6.1
 * and 6.2. usage: bench_droplets [quick]
 */
#include "bench.h"

#include <math.h>
#include <string.h>

/* ---- the plain loop: one drop after the other, as one would write it down from the thesis ---- */

static unsigned long long plain_state;

static float plain_random(void) {
    plain_state = plain_state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(plain_state >> 40) / 16777216.0f;
}

static float height_at(const float *h, int w, float x, float y) {
    int ix = (int)x, iy = (int)y;
    float u = x - (float)ix, v = y - (float)iy;
    const float *c = h + iy * w + ix;
    return (c[0] * (1 - u) + c[1] * u) * (1 - v) + (c[w] * (1 - u) + c[w + 1] * u) * v;
}

static float plain_take(float *h, int n, float px, float py, float radius, float amount) {
    int x0 = (int)ceilf(px - radius), x1 = (int)floorf(px + radius);
    int y0 = (int)ceilf(py - radius), y1 = (int)floorf(py + radius);
    x0 = x0 < 0 ? 0 : x0, y0 = y0 < 0 ? 0 : y0;
    x1 = x1 >= n ? n - 1 : x1, y1 = y1 >= n ? n - 1 : y1;
    float w[70 * 70], sum = 0, taken = 0;
    int k = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float dx = (float)x - px, dy = (float)y - py;
            float t = radius - sqrtf(dx * dx + dy * dy);
            w[k] = t > 0 ? t : 0;
            sum += w[k++];
        }
    k = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float left = h[y * n + x] - amount * w[k++] / sum;
            left = left > 0 ? left : 0;
            taken += h[y * n + x] - left;
            h[y * n + x] = left;
        }
    return taken;
}

/* `h` is n x n in 0 ... 1; returns the number of drop-steps. */
static unsigned long long plain_loop(float *h, int n, long drops, const rv_droplets_params *p) {
    unsigned long long steps = 0;
    float edge = (float)(n - 1);
    for (long i = 0; i < drops; i++) {
        float x = plain_random() * edge, y = plain_random() * edge, dx = 0, dy = 0;
        float speed = 1, water = 1, sediment = 0;
        for (int s = 0; s < (int)p->max_path; s++) {
            steps++;
            int ix = (int)x, iy = (int)y;
            float u = x - (float)ix, v = y - (float)iy;
            float *c = h + iy * n + ix;
            float gx = (c[1] - c[0]) * (1 - v) + (c[n + 1] - c[n]) * v;
            float gy = (c[n] - c[0]) * (1 - u) + (c[n + 1] - c[1]) * u;
            dx = dx * p->inertia - gx * (1 - p->inertia);
            dy = dy * p->inertia - gy * (1 - p->inertia);
            float length = sqrtf(dx * dx + dy * dy);
            if (length == 0)
                break;
            dx /= length, dy /= length;
            float nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= edge || ny >= edge)
                break;
            float dh = height_at(h, n, nx, ny) - height_at(h, n, x, y);
            float fall = -dh > p->min_slope ? -dh : p->min_slope;
            float capacity = fall * speed * water * p->capacity;
            if (dh > 0 || sediment > capacity) {
                float amount = dh > 0 ? (sediment < dh ? sediment : dh)
                                      : (sediment - capacity) * p->deposition;
                c[0] += amount * (1 - u) * (1 - v);
                c[1] += amount * u * (1 - v);
                c[n] += amount * (1 - u) * v;
                c[n + 1] += amount * u * v;
                bool trapped = dh > sediment;
                sediment -= amount;
                if (trapped && speed * speed <= dh * p->gravity)
                    break;
            } else {
                float amount = (capacity - sediment) * p->erosion;
                amount = amount < -dh ? amount : -dh;
                sediment += plain_take(h, n, x, y, p->radius, amount);
            }
            float energy = speed * speed - dh * p->gravity;
            speed = energy > 0 ? sqrtf(energy) : 0;
            water *= 1 - p->evaporation;
            x = nx, y = ny;
        }
    }
    return steps;
}

/* ---- the comparison ---- */

static rv_terrain *make_land(rv_context *ctx, int n) {
    rv_terrain *land;
    rv_terrain_desc desc = {n, n, 5000.0f / (float)n};
    bench_check(ctx, rv_terrain_create(ctx, &desc, &land));
    rv_noise_params noise = rv_noise_params_default();
    noise.relief = 1.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    return land;
}

typedef struct rate {
    double drops, steps; /* per second */
} rate;

static rate measure_plain(int n, long drops, const rv_droplets_params *p) {
    rv_context *ctx = bench_context(0);
    rv_terrain *land = make_land(ctx, n);
    size_t size = (size_t)n * (size_t)n * sizeof(float);
    float *h = malloc(size);
    if (!h)
        bench_check(NULL, RV_ERROR_MEMORY);
    memcpy(h, rv_terrain_field(land, "height"), size);
    double start = bench_clock(CLOCK_MONOTONIC);
    unsigned long long steps = plain_loop(h, n, drops, p);
    double seconds = bench_clock(CLOCK_MONOTONIC) - start;
    free(h);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return (rate){(double)drops / seconds, (double)steps / seconds};
}

static rate measure_ravine(int n, int threads, const rv_droplets_params *p, double *bytes) {
    rv_context *ctx = bench_context(threads);
    rate best = {0, 0};
    for (int turn = 0; turn < 2; turn++) {
        rv_terrain *land = make_land(ctx, n);
        rv_report report;
        double start = bench_clock(CLOCK_MONOTONIC);
        bench_check(ctx, rv_step_run(land, RV_STEP_droplets, p, &report));
        double seconds = bench_clock(CLOCK_MONOTONIC) - start;
        if ((double)report.drop_steps / seconds > best.steps)
            best = (rate){(double)p->drops / seconds, (double)report.drop_steps / seconds};
        rv_terrain_destroy(land);
    }
    *bytes = (double)rv_context_memory_peak(ctx) / ((double)n * (double)n);
    rv_context_destroy(ctx);
    return best;
}

static void compare(int n, float radius, long drops, const int *threads, int thread_count) {
    rv_droplets_params p = rv_droplets_params_default();
    p.inertia = 0.3f, p.capacity = 8, p.deposition = 0.2f, p.erosion = 0.7f;
    p.evaporation = 0.02f, p.min_slope = 0.01f, p.gravity = 10, p.max_path = 64;
    p.radius = radius;
    p.drops = drops;
    rate plain = measure_plain(n, drops, &p);
    printf("%5d %6g %9ld  plain loop  %10.0f %8.2f M  %6.2f\n", n, (double)radius, drops,
           plain.drops, plain.steps / 1e6, 1.0);
    for (int i = 0; i < thread_count; i++) {
        double bytes;
        rate r = measure_ravine(n, threads[i], &p, &bytes);
        printf("%5d %6g %9ld  %2d thread%s  %10.0f %8.2f M  %6.2f  %5.1f B/cell\n", n,
               (double)radius, drops, threads[i], threads[i] == 1 ? " " : "s", r.drops,
               r.steps / 1e6, r.steps / plain.steps, bytes);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx = bench_context(0);
    int cores = rv_context_threads(ctx);
    rv_context_destroy(ctx);
    int threads[8], count = 0;
    for (int t = 1; t <= cores && count < 8; t *= 2)
        threads[count++] = t;
    printf("  map radius     drops               drops/s  drop-steps/s  to plain\n");
    int sizes[] = {256, 512, 1024, 2048};
    for (int i = 0; i < (quick ? 2 : 4); i++)
        compare(sizes[i], 4, quick ? 50000 : 400000, threads, count);
    float radii[] = {1, 2, 6, 8};
    for (int i = 0; !quick && i < 4; i++)
        compare(256, radii[i], 100000, threads, count);
    return 0;
}
