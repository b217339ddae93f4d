/* landforms.c: geomorphons, landforms by what is seen from a cell.
 *
 * J. Jasiewicz and T. F. Stepinski, Geomorphons: a pattern recognition approach to classification
 * and mapping of landforms, Geomorphology 182, 2013. Along each of eight directions, up to L cells
 * away and not beyond the edge or a hole, from cell 0 at distances d(k) metres:
 *
 *     up = max atan((z(k) - z(0)) / d(k)),  down = min atan((z(k) - z(0)) / d(k))
 *     the land there is higher where up + down > t, lower where up + down < -t, else level
 *
 * The numbers of directions with higher and with lower land name the form (the paper's figure 4).
 * The sum of angles is compared by its tangent: tan(a + b) = (tan a + tan b) / (1 - tan a tan b).
 */
#include "measure/landforms.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

const char *const rvi_landform_names[RVI_LANDFORMS + 1] = {"none",      "flat",   "peak",  "ridge",
                                                           "shoulder",  "spur",   "slope", "hollow",
                                                           "footslope", "valley", "pit"};

enum { FL = 1, PK, RI, SH, SP, SL, HO, FS, VA, PI };

/* By how many directions are lower (rows) and higher (columns). */
static const unsigned char FORMS[9][9] = {
    {FL, FL, FL, FS, FS, VA, VA, VA, PI}, {FL, FL, FS, FS, FS, VA, VA, VA, 0},
    {FL, SH, SL, SL, HO, HO, VA, 0, 0},   {SH, SH, SL, SL, SL, HO, 0, 0, 0},
    {SH, SH, SP, SL, SL, 0, 0, 0, 0},     {RI, RI, SP, SP, 0, 0, 0, 0, 0},
    {RI, RI, RI, 0, 0, 0, 0, 0, 0},       {RI, RI, 0, 0, 0, 0, 0, 0, 0},
    {PK, 0, 0, 0, 0, 0, 0, 0, 0},
};

static const int EAST[8] = {1, 1, 0, -1, -1, -1, 0, 1}, SOUTH[8] = {0, 1, 1, 1, 0, -1, -1, -1};

typedef struct looking {
    const rvi_ground *ground;
    int steps[2]; /* along rows and columns, and along diagonals */
    double flat;  /* tangent of the angle that counts as level */
    unsigned char *form;
} looking;

/* How many cells one can go from (x, y), which is inside the map, before its edge. */
static int room_along(const rvi_ground *g, int x, int y, int direction, int most) {
    if (EAST[direction])
        most = rvi_mini(most, EAST[direction] > 0 ? g->width - 1 - x : x);
    if (SOUTH[direction])
        most = rvi_mini(most, SOUTH[direction] > 0 ? g->height - 1 - y : y);
    return most;
}

/* 1: higher, -1: lower, 0: level. */
static int look_along(const looking *l, int x, int y, int direction) {
    const rvi_ground *g = l->ground;
    int steps = room_along(g, x, y, direction, l->steps[direction & 1]);
    ptrdiff_t step = (ptrdiff_t)SOUTH[direction] * g->width + EAST[direction];
    ptrdiff_t i = (ptrdiff_t)y * g->width + x;
    float here = g->z[i], up = -INFINITY, down = INFINITY;
    for (int k = 1; k <= steps; k++) {
        i += step;
        if (g->kind[i] == RVI_HOLE)
            break;
        float rise = (g->z[i] - here) / (float)k;
        up = rise > up ? rise : up;
        down = rise < down ? rise : down;
    }
    if (up < down)
        return 0;
    double length = g->cell * (direction & 1 ? 1.41421356237309505 : 1.0);
    double a = (double)up / length, b = (double)down / length, low = 1.0 - a * b;
    if (low <= 0.0) /* both beyond 45 degrees, or nearly */
        return a > 0.0 ? 1 : -1;
    return a + b > l->flat * low ? 1 : a + b < -l->flat * low ? -1 : 0;
}

static void look_rows(void *arg, int first, int end) {
    const looking *l = arg;
    const rvi_ground *g = l->ground;
    for (int y = first; y < end; y++)
        for (int x = 0; x < g->width; x++) {
            if (!rvi_ground_whole(g, x, y))
                continue;
            int higher = 0, lower = 0;
            for (int direction = 0; direction < 8; direction++) {
                int seen = look_along(l, x, y, direction);
                higher += seen > 0;
                lower += seen < 0;
            }
            l->form[(size_t)y * (size_t)g->width + (size_t)x] = FORMS[lower][higher];
        }
}

static void count_forms(const rvi_ground *g, rvi_landforms *out) {
    size_t counts[RVI_LANDFORMS + 1] = {0}, sum = 0;
    for (size_t i = 0; i < (size_t)g->width * (size_t)g->height; i++)
        if (g->counts[i] && out->form[i]) {
            counts[out->form[i]]++;
            sum++;
        }
    for (int k = 0; k <= RVI_LANDFORMS; k++)
        out->share[k] = sum > 0 ? (double)counts[k] / (double)sum : NAN;
}

rv_status rvi_landforms_measure(const rvi_ground *g, int look, float flat, rvi_landforms *out) {
    out->form = rvi_alloc(g->ctx, (size_t)g->width * (size_t)g->height, 1, "landforms");
    if (!out->form)
        return RV_ERROR_MEMORY;
    float angle = flat * (float)(RVI_PI / 180);
    looking l = {.ground = g,
                 .steps = {look, rvi_maxi(1, (int)(look * 0.70710678))},
                 .flat = (double)(rvi_sinf(angle) / rvi_cosf(angle)),
                 .form = out->form};
    rv_status status = rvi_parallel_rows(g->ctx, g->height, look_rows, &l);
    if (status == RV_OK)
        count_forms(g, out);
    else
        rvi_landforms_free(g, out);
    return status;
}

void rvi_landforms_free(const rvi_ground *g, rvi_landforms *forms) {
    rvi_free(g->ctx, forms->form);
    forms->form = NULL;
}
