/* bench_wear.c: milliseconds of a frame of water that wears the bed of a channel.
 *
 * Prints one line a run: particles, faces, threads, milliseconds a frame of time and of work of all
 * cores, and the part of the wear. The document (V. Skorkovska, 2012, table 7.2) has 1885 ms a
 * frame for 12,125 particles and 4244 faces. usage: bench_wear [quick]
 */
#include "bench.h"

#include "base/random.h"
#include "scene/wear.h"

#include <math.h>
#include <string.h>

typedef struct channel {
    double width, depth, cell; /* m */
    size_t n, m;
} channel;

static double height_at(double x, double y, double depth, double cell) {
    double off = (y - 0.5 * depth) / depth - 0.1 * sin(6 * x / depth);
    return cell * (3 + 60 * off * off + 0.4 * sin(x / cell * 0.7) * cos(y / cell * 0.9));
}

/* A slab with a winding groove; its base and sides are out of the box. */
static rv_mesh *make_bed(rv_context *ctx, const channel *c) {
    size_t n = c->n, m = c->m, row = m + 1, layer = (n + 1) * row, rim = 2 * (n + m);
    rv_mesh *mesh = NULL;
    bench_check(ctx, rvi_mesh_create(ctx, layer + 1 + rim, 2 * n * m + 3 * rim, false, &mesh));
    uint32_t *to = mesh->corners, under = (uint32_t)layer;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            double *p = mesh->points + 3 * (i * row + j);
            p[0] = c->width * (double)i / (double)n;
            p[1] = c->depth * (double)j / (double)m;
            p[2] = height_at(p[0], p[1], c->depth, c->cell);
        }
    double *middle = mesh->points + 3 * (layer + rim);
    middle[0] = 0.5 * c->width;
    middle[1] = 0.5 * c->depth;
    middle[2] = -4 * c->cell;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            uint32_t a = (uint32_t)(i * row + j), b = a + (uint32_t)row;
            const uint32_t two[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(to, two, sizeof two);
            to += 6;
        }
    for (size_t k = 0; k < rim; k++) {
        size_t at[2][2];
        for (size_t e = 0; e < 2; e++) {
            size_t s = (k + e) % rim;
            at[e][0] = s < n ? s : s < n + m ? n : s < 2 * n + m ? 2 * n + m - s : 0;
            at[e][1] = s < n ? 0 : s < n + m ? s - n : s < 2 * n + m ? m : rim - s;
        }
        uint32_t a = (uint32_t)(at[0][0] * row + at[0][1]),
                 b = (uint32_t)(at[1][0] * row + at[1][1]);
        uint32_t c0 = under + (uint32_t)k, c1 = under + (uint32_t)((k + 1) % rim);
        const uint32_t three[9] = {c0, c1, b, c0, b, a, c1, c0, under + (uint32_t)rim};
        memcpy(to, three, sizeof three);
        to += 9;
        memcpy(mesh->points + 3 * c0, mesh->points + 3 * a, 3 * sizeof(double));
        mesh->points[3 * c0 + 2] = -2 * c->cell;
    }
    return mesh;
}

static void measure(size_t particles, size_t n, size_t m, int threads, int frames) {
    channel c = {
        .n = n, .m = m, .cell = 0.02, .width = 0.02 * (double)n, .depth = 0.02 * (double)m};
    rv_context *ctx = bench_context(threads);
    rv_mesh *bed = make_bed(ctx, &c);
    rvi_sph_desc sph = rvi_sph_desc_default();
    sph.spacing = 0.02f;
    sph.high[0] = c.width;
    sph.high[1] = c.depth;
    sph.high[2] = 1;
    sph.most = particles;
    rvi_sph *water;
    rvi_edit_mesh *rock;
    rvi_wear *wear;
    double start = bench_clock(CLOCK_MONOTONIC);
    bench_check(ctx, rvi_edit_create(bed, &rock));
    double created = bench_clock(CLOCK_MONOTONIC);
    bench_check(ctx, rvi_sph_create(ctx, &sph, bed, &water));
    double walled = bench_clock(CLOCK_MONOTONIC);
    float speed[3] = {1, 0, 0};
    size_t count = 0;
    for (double z = 0.03; count < particles && z < 0.97; z += 0.02)
        for (double y = 0.03; y < c.depth - 0.02; y += 0.02)
            for (double x = 0.03; x < c.width - 0.02; x += 0.02) {
                bool in = height_at(x, y, c.depth, c.cell) + 0.02 < z && count < particles;
                if (in && rvi_sph_add(water, (const double[3]){x, y, z}, speed, 0) == RV_OK)
                    count++;
            }
    double filled = bench_clock(CLOCK_MONOTONIC);
    rvi_wear_desc desc = rvi_wear_desc_default(sph.spacing);
    desc.limit = 0.05f;
    bench_check(ctx, rvi_wear_create(ctx, &desc, water, rock, &wear));
    for (int f = 0; f < 3; f++) {
        bench_check(ctx, rvi_sph_step(water, 1));
        bench_check(ctx, rvi_wear_step(wear));
    }
    double times[2] = {0}, works[2] = {0};
    for (int f = 0; f < frames; f++)
        for (int k = 0; k < 2; k++) {
            double wall = bench_clock(CLOCK_MONOTONIC);
            double work = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
            bench_check(ctx, k == 0 ? rvi_sph_step(water, 1) : rvi_wear_step(wear));
            times[k] += 1e3 * (bench_clock(CLOCK_MONOTONIC) - wall) / frames;
            works[k] += 1e3 * (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - work) / frames;
        }
    printf("%6zu particles %6zu faces %d threads: frame %6.1f ms (work %6.1f), wear %5.1f ms "
           "(work %5.1f); rock %.2f s, walls %.2f s, fill %.2f s\n",
           rvi_sph_view_of(water).count, rock->live_faces, threads, times[0] + times[1],
           works[0] + works[1], times[1], works[1], created - start, walled - created,
           filled - walled);
    rvi_wear_destroy(wear);
    rvi_edit_destroy(rock);
    rvi_sph_destroy(water);
    rv_mesh_destroy(bed);
    rv_context_destroy(ctx);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    for (int threads = 1; threads <= 2; threads++) {
        measure(12000, 100, 40, threads, quick ? 20 : 60);
        if (!quick)
            measure(97000, 400, 120, threads, 20);
    }
    return 0;
}
