/* noise_map.c: layered noise over a map.
 *
 * J. P. Lewis, Algorithms for solid noise synthesis, SIGGRAPH 1989: sparse convolution noise.
 * K. Perlin, Improving noise, SIGGRAPH 2002: gradients on a lattice, quintic fade.
 * F. K. Musgrave in Texturing and Modeling: A Procedural Approach, 2003: octaves, ridged
 * multifractal.
 *
 * The cell (x, y) lies at p = (x cell fx, y cell fy), fx and fy in features per metre, so that any
 * resolution samples the same land. Octave i looks at
 *
 *     q = R_i L^i (p + c_i b) + s_i,   n_i = noise(q),   a_i = gain^i d_i
 *
 * with L the lacunarity. R_i turns the lattice, each octave by another angle, and s_i is random: no
 * lattice lies along the axes or on another. b, which warps the land, is `warp` features times two
 * sums of three octaves of noise; c_i = 0.7^i, since detail that is bent as much as the
 * mountains is smeared. d_i fades out what the map is too coarse to show: 1 where a feature spans
 * three cells or more, 0 where it spans one and a half or less (the first octave always stays).
 *
 * Gradient noise knows its lattice: the directions of its slopes have a fourth harmonic of 0.1, and
 * whatever wears the fine octaves down leaves large features with straight sides, square to each
 * other. Sparse noise is the sum over points c_j, one somewhere in the middle of each lattice cell,
 *
 *     noise(q) = s sum of max(0, 1 - |q - c_j|^2 / r^2)^4 g_j . (q - c_j)
 *
 * with a random unit vector g_j. Since points are not at lattice points, no direction is favoured
 * (all harmonics below 0.02). With r = 1.1 only the nine cells around q count. Gradient and value
 * noise lie between -1 and 1, and so does this in all but one place of 7000, where points crowd.
 *
 *     plain   sum of a_i n_i
 *     billow  sum of a_i u_i
 *     ridged  sum of a_i r_i,  r_i = w_i (1 - u_i)^2,  w_0 = 1,  w_(i+1) = min(1, 2 r_i)
 *
 * so ridged land is rough only where it is high. u_i is |n_i| with a rounded crease:
 *
 *     u_i = sqrt(n_i^2 + e_i^2) - e_i,   e_i = 3/4 max(crease, 2 cells) L^i max(fx, fy)
 *
 * |n_i| bends on a line without width, which no grid can show: each octave would draw hairlines a
 * cell wide. Since n_i rises by about 3/2 in a feature where it crosses 0, the crease is as wide as
 * `crease` says, in metres and in every octave, as crests are in nature; of octaves that are finer
 * than it little is left. With crease=0 it is Musgrave's |n_i|.
 */
#include "wear/noise_map.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "device/device.h"
#include "wear/noise_cell.h"

#include <assert.h>
#include <math.h>

enum {
    CHUNK = 256, /* cells of a row that are made together */
    SLICE = 256, /* rows that a device makes between two questions whether to stop */
    CREASES = 50 /* in the largest feature, where `crease` is auto */
};

/* A feature is shown fully from SHOWN cells on, and not at all up to HIDDEN. */
static const float SHOWN = 3.0f, HIDDEN = 1.5f;

/* Slower than the land it bends and with little detail, or the land would fold over itself. */
static const struct {
    double frequency; /* beside that of the first octave */
    float height;
} WARP[RVI_WARP_OCTAVES] = {{0.4, 1}, {0.8, 0.4f}, {1.6, 0.16f}};

static_assert((int)RVI_NOISE_RIDGED == (int)RV_noise_shape_ridged &&
                  (int)RVI_NOISE_BILLOW == (int)RV_noise_shape_billow &&
                  (int)RVI_NOISE_SPARSE == (int)RV_noise_basis_sparse &&
                  (int)RVI_NOISE_PERLIN == (int)RV_noise_basis_perlin,
              "kernels know the options by these numbers");

typedef struct noise_work {
    rvi_noise n;
    float *made;
} noise_work;

/* A chunk of a row on its way through the octaves. */
typedef struct chunk {
    int count;
    double x[CHUNK], y[CHUNK];           /* p */
    double bend_x[CHUNK], bend_y[CHUNK]; /* b */
    double left[CHUNK], top[CHUNK];      /* lattice cells */
    float at_x[CHUNK], at_y[CHUNK];      /* places in them */
    float value[CHUNK];                  /* n_i */
} chunk;

/* n_i of every cell of the chunk. Neighbours mostly lie in the same lattice cell: its random
 * numbers are kept until they do not. */
static void look_sparse(const rvi_noise *n, const rvi_octave *o, chunk *c) {
    float x[RVI_SPARSE_LANES] = {0}, y[RVI_SPARSE_LANES] = {0};
    float gradient_x[RVI_SPARSE_LANES] = {0}, gradient_y[RVI_SPARSE_LANES] = {0};
    const rvi_v4 one = rvi_v4_all(1), none = rvi_v4_all(0);
    const rvi_v4 shrink = rvi_v4_all(1 / (RVI_SPARSE_REACH * RVI_SPARSE_REACH));
    for (int i = 0; i < c->count; i++) {
        if (i == 0 || c->left[i] != c->left[i - 1] || c->top[i] != c->top[i - 1])
            for (int k = 0; k < RVI_SPARSE_LANES; k++) {
                if (k % 4 == 3)
                    continue;
                rvi_sparse_point p =
                    rvi_noise_point(o->key, c->left[i], c->top[i], k % 4 - 1, k / 4 - 1);
                x[k] = p.x;
                y[k] = p.y;
                gradient_x[k] = n->gradients[p.gradient][0];
                gradient_y[k] = n->gradients[p.gradient][1];
            }
        rvi_v4 at_x = rvi_v4_all(c->at_x[i]), at_y = rvi_v4_all(c->at_y[i]), sum = none;
        for (int k = 0; k < RVI_SPARSE_LANES; k += 4) {
            rvi_v4 dx = at_x - rvi_v4_load(x + k), dy = at_y - rvi_v4_load(y + k);
            rvi_v4 near = rvi_v4_max(one - (dx * dx + dy * dy) * shrink, none);
            near *= near;
            sum +=
                near * near * (rvi_v4_load(gradient_x + k) * dx + rvi_v4_load(gradient_y + k) * dy);
        }
        c->value[i] = RVI_SPARSE_SCALE * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
    }
}

static void look_perlin(const rvi_noise *n, const rvi_octave *o, chunk *c) {
    float corner[4][2] = {{0}};
    for (int i = 0; i < c->count; i++) {
        if (i == 0 || c->left[i] != c->left[i - 1] || c->top[i] != c->top[i - 1])
            for (int k = 0; k < 4; k++) {
                uint64_t bits = rvi_noise_corner(o->key, c->left[i], c->top[i], k);
                corner[k][0] = n->gradients[bits >> 58][0];
                corner[k][1] = n->gradients[bits >> 58][1];
            }
        float x = c->at_x[i], y = c->at_y[i], v[4];
        for (int k = 0; k < 4; k++)
            v[k] = rvi_noise_slope(corner[k][0], corner[k][1], x, y, k);
        c->value[i] = rvi_noise_between(v[0], v[1], v[2], v[3], x, y) * RVI_GRADIENT_SCALE;
    }
}

static void look_value(const rvi_octave *o, chunk *c) {
    float v[4] = {0};
    for (int i = 0; i < c->count; i++) {
        if (i == 0 || c->left[i] != c->left[i - 1] || c->top[i] != c->top[i - 1])
            for (int k = 0; k < 4; k++)
                v[k] = 2 * rvi_unit(rvi_noise_corner(o->key, c->left[i], c->top[i], k)) - 1;
        c->value[i] = rvi_noise_between(v[0], v[1], v[2], v[3], c->at_x[i], c->at_y[i]);
    }
}

static void look(const rvi_noise *n, const rvi_octave *o, int basis, chunk *c) {
    for (int i = 0; i < c->count; i++) {
        double px = c->x[i] + o->bent * c->bend_x[i], py = c->y[i] + o->bent * c->bend_y[i];
        rvi_lattice_place at =
            rvi_noise_place(o->turn_x, o->turn_y, o->shift_x, o->shift_y, px, py);
        c->left[i] = at.left;
        c->top[i] = at.top;
        c->at_x[i] = at.x;
        c->at_y[i] = at.y;
    }
    if (basis == RVI_NOISE_SPARSE)
        look_sparse(n, o, c);
    else if (basis == RVI_NOISE_PERLIN)
        look_perlin(n, o, c);
    else
        look_value(o, c);
}

static void bend(const rvi_noise *n, chunk *c) {
    float by[2][CHUNK] = {{0}};
    for (int axis = 0; axis < 2; axis++)
        for (int o = 0; o < RVI_WARP_OCTAVES; o++) {
            look(n, &n->warps[axis][o], n->warp_basis, c);
            for (int i = 0; i < c->count; i++)
                by[axis][i] += n->warps[axis][o].height * c->value[i];
        }
    for (int i = 0; i < c->count; i++) {
        c->bend_x[i] = (double)(n->warp * by[0][i]);
        c->bend_y[i] = (double)(n->warp * by[1][i]);
    }
}

static void add_octave(const rvi_noise *n, const rvi_octave *o, const chunk *c, float *weight,
                       float *sum) {
    const float crease = o->crease, height = o->height;
    const int shape = n->shape;
    for (int i = 0; i < c->count; i++)
        sum[i] += rvi_noise_add(shape, height, crease, c->value[i], &weight[i]);
}

static void make_chunk(const noise_work *work, int x, int y) {
    const rvi_noise *n = &work->n;
    chunk c = {.count = rvi_mini(CHUNK, n->width - x)};
    float weight[CHUNK], sum[CHUNK];
    for (int i = 0; i < c.count; i++) {
        c.x[i] = (double)(x + i) * n->step_x;
        c.y[i] = (double)y * n->step_y;
        c.bend_x[i] = c.bend_y[i] = 0;
        weight[i] = 1;
        sum[i] = 0;
    }
    if (n->warp > 0)
        bend(n, &c);
    for (int o = 0; o < n->count; o++) {
        look(n, &n->octaves[o], n->basis, &c);
        add_octave(n, &n->octaves[o], &c, weight, sum);
    }
    float *to = work->made + (size_t)y * (size_t)n->width + (size_t)x;
    for (int i = 0; i < c.count; i++)
        to[i] = sum[i];
}

/* Row by row: a cell with many octaves takes its time, and who wants to stop waits for a block. */
static void make_row(void *arg, int64_t y) {
    const noise_work *work = arg;
    for (int x = 0; x < work->n.width; x += CHUNK)
        make_chunk(work, x, (int)y);
}

/* Octave i of one of the three noises. `frequency`: lattice cells in a feature of the first one. */
static rvi_octave make_octave(uint64_t seed, int which, int i, double frequency, float height) {
    /* A lattice looks the same after a quarter turn. Steps of the golden section keep octaves
     * apart; angles from 11 to 34 and from 56 to 79 degrees favour neither the axes nor the
     * diagonals. */
    uint64_t draw = (uint64_t)(which * 64 + i);
    float place = rvi_unit(rvi_random(seed, (uint64_t)which, 3)) + (float)i * 0.618034f;
    place -= rvi_floorf(place);
    float angle = (float)(RVI_PI / 8) * (0.5f + 2 * place + (place < 0.5f ? 0 : 1));
    return (rvi_octave){
        .turn_x = (double)rvi_cosf(angle) * frequency,
        .turn_y = (double)rvi_sinf(angle) * frequency,
        .shift_x = 1024 * (double)rvi_unit(rvi_random(seed, draw, 0)),
        .shift_y = 1024 * (double)rvi_unit(rvi_random(seed, draw, 1)),
        .key = rvi_random(seed, draw, 2),
        .height = height,
    };
}

/* e of the first octave. `finest`: features in a cell. */
static double first_crease(float crease, double finest, float cell) {
    double width = isnan(crease) ? 1.0 / CREASES : (double)(crease / cell) * finest; /* features */
    double least = 2 * finest;
    return 0.75 * (width > 0 && width < least ? least : width);
}

static void prepare(rvi_noise *n, const rv_noise_params *p, float cell) {
    double fx = (double)(isnan(p->frequency_x) ? p->frequency : p->frequency_x) / 1000;
    double fy = (double)(isnan(p->frequency_y) ? p->frequency : p->frequency_y) / 1000;
    n->step_x = fx * (double)cell;
    n->step_y = fy * (double)cell;
    double finest = n->step_x > n->step_y ? n->step_x : n->step_y;
    const double density = p->basis == RV_noise_basis_sparse ? RVI_SPARSE_DENSITY : 1;
    double frequency = 1, bent = 1;
    double crease = first_crease(p->crease, finest, cell);
    float height = 1;
    for (int i = 0; i < p->octaves; i++) {
        float cells = (float)(1 / (finest * frequency)); /* that a feature spans */
        if (i > 0 && cells <= HIDDEN)
            break;
        float shown = i == 0 ? 1 : rvi_minf(1, (cells - HIDDEN) / (SHOWN - HIDDEN));
        rvi_octave *o = &n->octaves[n->count++];
        *o = make_octave(p->seed, 0, i, density * frequency, height * shown);
        o->crease = (float)(crease * frequency);
        o->bent = bent;
        bent *= 0.7;
        frequency *= (double)p->lacunarity;
        height *= p->gain;
    }
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0; i < RVI_WARP_OCTAVES; i++)
            n->warps[axis][i] =
                make_octave(p->seed, 1 + axis, i, density * WARP[i].frequency, WARP[i].height);
    for (int i = 0; i < RVI_GRADIENTS; i++) {
        float angle = ((float)i + 0.5f) * (float)(2 * RVI_PI / RVI_GRADIENTS);
        n->gradients[i][0] = rvi_cosf(angle);
        n->gradients[i][1] = rvi_sinf(angle);
    }
}

/* Rows in slices, so that a stop need not wait for all of them. */
static rv_status make_on_device(rvi_job *job, const rvi_noise *n, float *out) {
    const rv_terrain *land = job->land;
    size_t bytes = rvi_cells(land) * sizeof *out;
    rv_status status = RV_OK;
    for (int first = 0; first < land->height && status == RV_OK; first += SLICE) {
        int rows = rvi_mini(SLICE, land->height - first);
        const rvi_device_arg args[] = {
            {RVI_DEVICE_TABLE, n, sizeof *n},
            {first == 0 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE, out, bytes},
            {RVI_DEVICE_VALUE, &first, sizeof first},
        };
        status = rvi_device_run(job->device, "noise_map", "noise_cells", (size_t)land->width,
                                (size_t)rows, args, 3);
        if (status == RV_OK)
            status = rvi_poll(job->ctx);
    }
    return status;
}

rv_status rvi_noise_make(rvi_job *job, const rv_noise_params *p, float *out) {
    const rv_terrain *land = job->land;
    noise_work work = {
        .n = {.warp = p->warp,
              .basis = p->basis,
              .warp_basis = p->basis == RV_noise_basis_sparse ? RVI_NOISE_SPARSE : RVI_NOISE_PERLIN,
              .shape = p->shape,
              .width = land->width},
        .made = out};
    prepare(&work.n, p, land->cell);
    if (job->device)
        return make_on_device(job, &work.n, out);
    return rvi_parallel(job->ctx, land->height, make_row, &work);
}
