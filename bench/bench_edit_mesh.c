/* bench_edit_mesh: what it takes to edit a mesh of 100,000 faces: moves with their exact test,
 * splits, flips, and tessellation. CPU time of one thread, best of several; the volume of all faces
 * in plain doubles, once over the mesh, is the yardstick of the same run. */
#include "bench.h"

#include <math.h>

#include "base/random.h"
#include "mesh/tessellate.h"

enum { TRIES = 7, MOST = 50000 };

static rv_mesh *make_torus(rv_context *ctx, int n, int m) {
    rv_mesh *mesh;
    size_t vertices = (size_t)n * (size_t)m;
    bench_check(ctx, rvi_mesh_create(ctx, vertices, 2 * vertices, false, &mesh));
    uint32_t *out = mesh->corners;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double a = 2 * 3.141592653589793 * i / n, b = 2 * 3.141592653589793 * j / m;
            double *p = mesh->points + 3 * (size_t)(i * m + j);
            p[0] = (1 + 0.3 * cos(b)) * cos(a);
            p[1] = (1 + 0.3 * cos(b)) * sin(a);
            p[2] = 0.3 * sin(b);
            uint32_t here = (uint32_t)(i * m + j), right = (uint32_t)((i + 1) % n * m + j);
            uint32_t above = (uint32_t)(i * m + (j + 1) % m);
            uint32_t both = (uint32_t)((i + 1) % n * m + (j + 1) % m);
            uint32_t two[6] = {here, right, both, here, both, above};
            for (int k = 0; k < 6; k++)
                *out++ = two[k];
        }
    return mesh;
}

static uint32_t which[MOST];
static double to[MOST][3];

/* Seconds for one round of moves of `count` vertices that lie together, by up to `far` metres. */
static double time_moves(rvi_edit_mesh *s, size_t count, double far, size_t *refused) {
    double best = INFINITY;
    *refused = 0;
    for (uint64_t t = 0; t < TRIES; t++) {
        for (size_t i = 0; i < count; i++) {
            which[i] = (uint32_t)i;
            rvi_edit_place(s, which[i], to[i]);
            for (uint64_t k = 0; k < 3; k++)
                to[i][k] += far * (2.0 * (double)rvi_unit(rvi_random(t, i, k)) - 1);
        }
        size_t stayed;
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(s->ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, &stayed));
        double took = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = took < best ? took : best;
        *refused += stayed;
    }
    return best;
}

static double time_volume(const rvi_edit_mesh *s) {
    double best = INFINITY, sink = 0;
    for (int t = 0; t < TRIES; t++) {
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t f = 0; f < s->faces; f++) {
            rvi_spot a = s->spots[s->edges.corners[3 * f]],
                     b = s->spots[s->edges.corners[3 * f + 1]],
                     c = s->spots[s->edges.corners[3 * f + 2]];
            sink += ((double)a.x * (double)b.y - (double)a.y * (double)b.x) * (double)c.z +
                    ((double)a.y * (double)b.z - (double)a.z * (double)b.y) * (double)c.x +
                    ((double)a.z * (double)b.x - (double)a.x * (double)b.z) * (double)c.y;
        }
        double took = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = took < best && sink != 0 ? took : best;
    }
    return best;
}

static double time_splits(rvi_edit_mesh *s, size_t count, size_t *done) {
    double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    *done = 0;
    for (size_t i = 0; i < count; i++)
        *done +=
            rvi_edit_split(s, (uint32_t)(rvi_random(5, i, 0) % (3 * s->faces)), NULL) == RVI_DONE;
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double time_flips(rvi_edit_mesh *s, size_t count, size_t *done) {
    double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    *done = 0;
    for (size_t i = 0; i < count; i++)
        *done += rvi_edit_flip(s, (uint32_t)(rvi_random(6, i, 0) % (3 * s->faces))) == RVI_DONE;
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static rvi_contact contacts[MOST];

/* Drops on the first vertices, to be divided to half of the edges there are; then once more, when
 * nothing is left to do. */
static void time_tessellation(rvi_edit_mesh *s, size_t count) {
    rvi_tess_desc desc = rvi_tess_desc_default(0.012);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < count && turn == 0; i++) {
            rvi_contact *c = &contacts[i];
            rvi_edit_place(s, i % 5000, c->at);
            for (int k = 0; k < 3; k++)
                c->at[k] *= 1.002;
            c->face = s->edges.leaving[i % 5000] / 3;
            rvi_edit_nearest(s, c->at, &c->face, c->weights);
        }
        rvi_tess_report report;
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(s->ctx, rvi_tessellate(s, &desc, contacts, count, &report));
        double took = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
        printf("tessellate %6zu contacts   %8.3f ms  %zu splits, %zu flips, %zu refused, %zu "
               "beyond\n",
               count, 1e3 * took, report.splits, report.flips, report.refused, report.beyond);
    }
}

static rvi_edit_mesh *fresh_mesh(rv_context *ctx) {
    rv_mesh *mesh = make_torus(ctx, 500, 100);
    rvi_edit_mesh *s;
    bench_check(ctx, rvi_edit_create(mesh, &s));
    rv_mesh_destroy(mesh);
    return s;
}

int main(void) {
    rv_context *ctx = bench_context(1);
    double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    rvi_edit_mesh *s = fresh_mesh(ctx);
    printf("create    %7zu faces      %8.3f ms\n", s->live_faces,
           1e3 * (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start));
    double plain = time_volume(s);
    printf("volume    %7zu faces      %8.3f ms in doubles: the yardstick\n", s->live_faces,
           1e3 * plain);
    static const size_t counts[] = {500, 5000, 50000};
    static const double far[] = {1e-5, 1e-3, 1e-2};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            size_t refused;
            rvi_edit_destroy(s);
            s = fresh_mesh(ctx);
            double took = time_moves(s, counts[i], far[k], &refused);
            printf("move      %7zu vertices   %8.3f ms  %6.3f us each, %.2f times the yardstick "
                   "(by %g m, %zu of %zu held back)\n",
                   counts[i], 1e3 * took, 1e6 * took / (double)counts[i], took / plain, far[k],
                   refused, TRIES * counts[i]);
        }
    rvi_edit_destroy(s);
    s = fresh_mesh(ctx);
    size_t done;
    double took = time_splits(s, 20000, &done);
    printf("split     %7zu edges      %8.3f ms  %6.3f us each\n", done, 1e3 * took,
           1e6 * took / 20000);
    took = time_flips(s, 20000, &done);
    printf("flip      %7zu of 20000   %8.3f ms  %6.3f us each\n", done, 1e3 * took,
           1e6 * took / 20000);
    rvi_edit_destroy(s);
    s = fresh_mesh(ctx);
    time_tessellation(s, 5000);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
    return 0;
}
