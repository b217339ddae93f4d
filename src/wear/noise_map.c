/* noise_map.c: layered gradient or value noise over a map.
 *
 * K. Perlin, Improving noise, SIGGRAPH 2002: gradients on a lattice, quintic fade.
 * F. K. Musgrave in Texturing and Modeling: A Procedural Approach, 2003: octaves, ridged
 * multifractal.
 *
 * The cell (x, y) lies at p = (x cell fx, y cell fy), fx and fy in features per metre, so that any
 * resolution samples the same land. Octave i looks at
 *
 *     q = R_i L^i (p + c_i b) + s_i,   n_i = noise(q), -1 to 1,   a_i = gain^i d_i
 *
 * with L the lacunarity. R_i turns the lattice, each octave by another angle, and s_i is random: no
 * lattice lies along the axes or on another. b, which warps the land, is `warp` features times two
 * sums of three octaves of Perlin noise; c_i = 0.7^i, since detail that is bent as much as the
 * mountains is smeared. d_i fades out what the map is too coarse to show: 1 where a feature spans
 * three cells or more, 0 where it spans one and a half or less (the first octave always stays).
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
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>

enum {
    GRADIENTS = 64,   /* directions */
    CHUNK = 256,      /* cells of a row that are made together */
    WARP_OCTAVES = 3, /* of each of the two noises that bend the land */
    MOST_OCTAVES = 16,
    CREASES = 50 /* in the largest feature, where `crease` is auto */
};

/* A feature is shown fully from SHOWN cells on, and not at all up to HIDDEN. */
static const float SHOWN = 3.0f, HIDDEN = 1.5f;

/* Slower than the land it bends and with little detail, or the land would fold over itself. */
static const struct {
    double frequency; /* beside that of the first octave */
    float height;
} WARP[WARP_OCTAVES] = {{0.4, 1}, {0.8, 0.4f}, {1.6, 0.16f}};

typedef struct octave {
    double turn_x, turn_y;   /* cosine and sine of the turn, times the frequency L^i */
    double shift_x, shift_y; /* lattice cells */
    uint64_t key;            /* hashed with lattice points */
    float height;            /* a_i */
    float crease;            /* e_i */
    double bent;             /* c_i */
} octave;

typedef struct noise {
    octave octaves[MOST_OCTAVES], warps[2][WARP_OCTAVES];
    int count;
    float gradients[GRADIENTS][2];
    double step_x, step_y; /* features between neighbouring cells */
    float warp;
    int basis, shape;
    int width;
    float *made;
} noise;

/* A chunk of a row on its way through the octaves. */
typedef struct chunk {
    int count;
    double x[CHUNK], y[CHUNK];           /* p */
    double bend_x[CHUNK], bend_y[CHUNK]; /* b */
    float value[CHUNK];                  /* n_i */
} chunk;

/* The four corners of one lattice cell. Neighbouring cells of the map mostly lie in the same one,
 * so it is kept until they do not. */
typedef struct lattice_cell {
    double x, y;        /* lower corner */
    float corner[4][2]; /* gradients, or values in [0] */
} lattice_cell;

static void find_corners(const noise *n, const octave *o, bool gradients, lattice_cell *cell) {
    for (int i = 0; i < 4; i++) {
        uint64_t x = (uint64_t)(int64_t)cell->x + (uint64_t)(i & 1);
        uint64_t y = (uint64_t)(int64_t)cell->y + (uint64_t)(i >> 1);
        uint64_t bits = rvi_mix(rvi_mix(x ^ o->key) + y);
        if (gradients) {
            const float *gradient = n->gradients[bits >> 58];
            cell->corner[i][0] = gradient[0];
            cell->corner[i][1] = gradient[1];
        } else {
            cell->corner[i][0] = 2 * rvi_unit(bits) - 1;
        }
    }
}

static float fade(float t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static float mix(float a, float b, float share) {
    return a + share * (b - a);
}

/* n_i of every cell of the chunk. */
static void look(const noise *n, const octave *o, bool gradients, chunk *c) {
    lattice_cell cell = {.x = NAN};
    for (int i = 0; i < c->count; i++) {
        double px = c->x[i] + o->bent * c->bend_x[i], py = c->y[i] + o->bent * c->bend_y[i];
        double x = o->turn_x * px - o->turn_y * py + o->shift_x;
        double y = o->turn_y * px + o->turn_x * py + o->shift_y;
        double left = rvi_floor(x), top = rvi_floor(y);
        if (left != cell.x || top != cell.y) {
            cell.x = left;
            cell.y = top;
            find_corners(n, o, gradients, &cell);
        }
        float fx = (float)(x - left), fy = (float)(y - top);
        float v[4];
        for (int k = 0; k < 4; k++)
            v[k] = gradients ? cell.corner[k][0] * (fx - (float)(k & 1)) +
                                   cell.corner[k][1] * (fy - (float)(k >> 1))
                             : cell.corner[k][0];
        float u = fade(fx);
        float value = mix(mix(v[0], v[1], u), mix(v[2], v[3], u), fade(fy));
        c->value[i] =
            gradients ? value * 1.41421356f : value; /* gradient noise ends at sqrt(1/2) */
    }
}

static void bend(const noise *n, chunk *c) {
    float by[2][CHUNK] = {{0}};
    for (int axis = 0; axis < 2; axis++)
        for (int o = 0; o < WARP_OCTAVES; o++) {
            look(n, &n->warps[axis][o], true, c);
            for (int i = 0; i < c->count; i++)
                by[axis][i] += n->warps[axis][o].height * c->value[i];
        }
    for (int i = 0; i < c->count; i++) {
        c->bend_x[i] = (double)(n->warp * by[0][i]);
        c->bend_y[i] = (double)(n->warp * by[1][i]);
    }
}

static void add_octave(const noise *n, const octave *o, const chunk *c, float *weight, float *sum) {
    const float crease = o->crease;
    for (int i = 0; i < c->count; i++) {
        float value = c->value[i];
        float size = sqrtf(value * value + crease * crease) - crease;
        if (n->shape == RV_noise_shape_ridged) {
            float ridge = weight[i] * ((1 - size) * (1 - size));
            weight[i] = rvi_minf(1, 2 * ridge);
            sum[i] += o->height * ridge;
        } else {
            sum[i] += o->height * (n->shape == RV_noise_shape_billow ? size : value);
        }
    }
}

static void make_chunk(const noise *n, int x, int y) {
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
        look(n, &n->octaves[o], n->basis == RV_noise_basis_perlin, &c);
        add_octave(n, &n->octaves[o], &c, weight, sum);
    }
    float *to = n->made + (size_t)y * (size_t)n->width + (size_t)x;
    for (int i = 0; i < c.count; i++)
        to[i] = sum[i];
}

/* Row by row: a cell with many octaves takes its time, and who wants to stop waits for a block. */
static void make_row(void *arg, int64_t y) {
    const noise *n = arg;
    for (int x = 0; x < n->width; x += CHUNK)
        make_chunk(n, x, (int)y);
}

/* Octave i of one of the three noises. */
static octave make_octave(uint64_t seed, int which, int i, double frequency, float height) {
    /* A lattice looks the same after a quarter turn. Steps of the golden section keep octaves
     * apart; angles from 11 to 34 and from 56 to 79 degrees favour neither the axes nor the
     * diagonals. */
    uint64_t draw = (uint64_t)(which * 64 + i);
    float place = rvi_unit(rvi_random(seed, (uint64_t)which, 3)) + (float)i * 0.618034f;
    place -= rvi_floorf(place);
    float angle = (float)(RVI_PI / 8) * (0.5f + 2 * place + (place < 0.5f ? 0 : 1));
    return (octave){
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

static void prepare(noise *n, const rv_noise_params *p, float cell) {
    double fx = (double)(isnan(p->frequency_x) ? p->frequency : p->frequency_x) / 1000;
    double fy = (double)(isnan(p->frequency_y) ? p->frequency : p->frequency_y) / 1000;
    n->step_x = fx * (double)cell;
    n->step_y = fy * (double)cell;
    double finest = n->step_x > n->step_y ? n->step_x : n->step_y;
    double frequency = 1, bent = 1;
    double crease = first_crease(p->crease, finest, cell);
    float height = 1;
    for (int i = 0; i < p->octaves; i++) {
        float cells = (float)(1 / (finest * frequency)); /* that a feature spans */
        if (i > 0 && cells <= HIDDEN)
            break;
        float shown = i == 0 ? 1 : rvi_minf(1, (cells - HIDDEN) / (SHOWN - HIDDEN));
        octave *o = &n->octaves[n->count++];
        *o = make_octave(p->seed, 0, i, frequency, height * shown);
        o->crease = (float)(crease * frequency);
        o->bent = bent;
        bent *= 0.7;
        frequency *= (double)p->lacunarity;
        height *= p->gain;
    }
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0; i < WARP_OCTAVES; i++)
            n->warps[axis][i] =
                make_octave(p->seed, 1 + axis, i, WARP[i].frequency, WARP[i].height);
    for (int i = 0; i < GRADIENTS; i++) {
        float angle = ((float)i + 0.5f) * (float)(2 * RVI_PI / GRADIENTS);
        n->gradients[i][0] = rvi_cosf(angle);
        n->gradients[i][1] = rvi_sinf(angle);
    }
}

rv_status rvi_noise_make(rvi_job *job, const rv_noise_params *p, float *out) {
    const rv_terrain *land = job->land;
    noise n = {.warp = p->warp, .basis = p->basis, .shape = p->shape, .width = land->width};
    prepare(&n, p, land->cell);
    n.made = out;
    return rvi_parallel(job->ctx, land->height, make_row, &n);
}
