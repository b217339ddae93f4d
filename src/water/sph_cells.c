/* sph_cells.c: who is near whom. A counting sort puts the particles of a cell beside each other,
 * cells along x first, so that the 27 cells around one are nine runs of particles. */
#include "water/sph_state.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"

static size_t cell_count(const rvi_sph *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}

static int along(const rvi_sph *w, int axis, float x) {
    return (int)rvi_clampf(x / w->cell, 0.0f, (float)(w->cells[axis] - 1));
}

static void find_cells(void *arg, int64_t block) {
    rvi_sph *w = arg;
    for (size_t i = rvi_sph_begin(block); i < rvi_sph_end(w, block); i++) {
        rvi_v4 p = w->drops.places[i];
        int x = along(w, 0, p[0]), y = along(w, 1, p[1]), z = along(w, 2, p[2]);
        w->cell_of[i] = (uint32_t)((z * w->cells[1] + y) * w->cells[0] + x);
    }
}

static void take_over(void *arg, int64_t block) {
    rvi_sph *w = arg;
    const rvi_drops *from = &w->drops, *to = &w->other;
    size_t end = rvi_sph_end(w, block);
    const float *g = w->desc.gravity;
    float fastest = 0, lowest = INFINITY, highest = -INFINITY;
    for (size_t i = rvi_sph_begin(block); i < end; i++) {
        size_t k = w->order[i];
        rvi_v4 p = from->places[k], v = from->speeds[k];
        to->places[i] = p;
        to->speeds[i] = v;
        if (to->halves != NULL)
            to->halves[i] = from->halves[k];
        to->pressures[i] = from->pressures[k];
        to->pushes[i] = from->pushes[k];
        to->ages[i] = from->ages[k];
        to->sediments[i] = from->sediments[k];
        to->numbers[i] = from->numbers[k];
        w->home[i] = w->cell_of[k];
        w->x[i] = p[0];
        w->y[i] = p[1];
        w->z[i] = p[2];
        float fall = (g[0] * p[0] + g[1] * p[1]) + g[2] * p[2];
        lowest = rvi_minf(lowest, fall);
        highest = rvi_maxf(highest, fall);
        fastest = rvi_maxf(fastest, (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    }
    w->sums[0][block] = (double)fastest;
    w->sums[1][block] = (double)highest;
    w->sums[2][block] = (double)-lowest;
}

rv_status rvi_sph_sort(rvi_sph *w) {
    size_t cells = cell_count(w);
    rv_status status = rvi_sph_each(w, find_cells, w);
    if (status != RV_OK)
        return status;
    memset(w->starts, 0, (cells + 1) * sizeof *w->starts);
    for (size_t i = 0; i < w->count; i++)
        w->starts[w->cell_of[i]]++;
    uint32_t sum = 0;
    for (size_t c = 0; c <= cells; c++) {
        sum += w->starts[c];
        w->starts[c] = sum;
    }
    for (size_t i = w->count; i-- > 0;)
        w->order[--w->starts[w->cell_of[i]]] = (uint32_t)i;
    status = rvi_sph_each(w, take_over, w);
    if (status == RV_OK) {
        rvi_drops swap = w->drops;
        w->drops = w->other;
        w->other = swap;
        w->fastest = (float)rvi_sph_most(w, 0);
        w->fall = w->count > 0 ? (float)(rvi_sph_most(w, 1) + rvi_sph_most(w, 2)) : 0.0f;
    }
    return status;
}

/* ---- Lists ---- */

static const uint32_t NO_CELL = UINT32_MAX;

static void test_pack(rvi_sph *w, rvi_sph_pack *c, size_t first, size_t end) {
    for (size_t k = c->count; k < c->count + RVI_SPH_SLICE; k++) {
        c->x[k] = c->y[k] = c->z[k] = 1e15f; /* too far away to be near */
        c->which[k] = 0;
    }
    w->passes->list_near(w, c, first, end);
}

/* Whole vectors are copied, so what follows in the arrays comes along. */
static void add_run(const rvi_sph *w, rvi_sph_pack *c, size_t from, size_t count) {
    for (size_t k = 0; k < count; k += 4) {
        size_t to = c->count + k;
        rvi_v4_store(c->x + to, rvi_v4_load(w->x + from + k));
        rvi_v4_store(c->y + to, rvi_v4_load(w->y + from + k));
        rvi_v4_store(c->z + to, rvi_v4_load(w->z + from + k));
        for (size_t l = 0; l < 4; l++)
            c->which[to + l] = (uint32_t)(from + k + l);
    }
    c->count += count;
}

/* Of some particles of a cell; those before may have been of it, too. */
static void list_cell(rvi_sph *w, rvi_sph_pack *c, size_t first, size_t end) {
    int cell = (int)w->home[first];
    int x = cell % w->cells[0], y = cell / w->cells[0] % w->cells[1];
    int z = cell / w->cells[0] / w->cells[1];
    int x0 = rvi_maxi(x - 1, 0), x1 = rvi_mini(x + 1, w->cells[0] - 1);
    for (size_t i = first; i < end; i++)
        w->near_count[i] = 0;
    if (c->cell == w->home[first]) {
        w->passes->list_near(w, c, first, end);
        return;
    }
    c->cell = w->home[first];
    c->count = 0;
    for (int cz = rvi_maxi(z - 1, 0); cz <= rvi_mini(z + 1, w->cells[2] - 1); cz++)
        for (int cy = rvi_maxi(y - 1, 0); cy <= rvi_mini(y + 1, w->cells[1] - 1); cy++) {
            size_t row = (size_t)((cz * w->cells[1] + cy) * w->cells[0]);
            size_t last = w->starts[row + (size_t)x1 + 1];
            for (size_t k = w->starts[row + (size_t)x0]; k < last;) {
                size_t room = RVI_SPH_PACK - c->count, run = last - k < room ? last - k : room;
                add_run(w, c, k, run);
                k += run;
                if (c->count == RVI_SPH_PACK) {
                    test_pack(w, c, first, end);
                    c->count = 0;
                    c->cell = NO_CELL;
                }
            }
        }
    test_pack(w, c, first, end);
}

/* Returns how long the longest list is. */
static size_t list_slice(rvi_sph *w, rvi_sph_pack *c, size_t first, size_t end) {
    size_t most = 0;
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && w->home[next] == w->home[i];)
            next++;
        list_cell(w, c, i, next);
    }
    for (size_t i = first; i < end; i++)
        most = w->near_count[i] > most ? w->near_count[i] : most;
    for (size_t i = end; i % RVI_SPH_SLICE != 0; i++) /* of the last slice */
        w->near_count[i] = 0;
    return most;
}

/* A vector of neighbours is stored beyond the end of a list, so there is room for one more. */
static bool fits(const rvi_sph *w, size_t most) {
    return most + RVI_SPH_SLICE <= w->stride;
}

static void list_block(void *arg, int64_t block) {
    const rvi_sph_lister *l = arg;
    rvi_sph *w = l->w;
    rvi_sph_pack c;
    c.cell = NO_CELL;
    size_t end = rvi_sph_end(w, block), most = 0;
    for (size_t first = rvi_sph_begin(block); first < end; first += RVI_SPH_SLICE) {
        size_t last = first + RVI_SPH_SLICE < end ? first + RVI_SPH_SLICE : end;
        size_t here = list_slice(w, &c, first, last);
        most = here > most ? here : most;
        if (fits(w, most))
            l->slice(w, l->dt, first, last);
    }
    if (fits(w, most) && l->block != NULL)
        l->block(l->arg, block);
    w->sums[0][block] = (double)most;
}

/* Room for lists of that length; what stood in them is gone. */
rv_status rvi_sph_widen(rvi_sph *w, size_t stride) {
    const char *what = "the neighbours of particles";
    size_t all = (w->room + RVI_SPH_SLICE) * stride;
    size_t lists = (w->room / RVI_SPH_BLOCK + 1) * RVI_SPH_SLICE;
    bool project = w->desc.solver == RVI_SPH_PROJECT;
    uint32_t *near = rvi_alloc(w->ctx, lists * stride, sizeof *near, what);
    uint32_t *columns = rvi_alloc(w->ctx, all, sizeof *columns, what);
    int16_t *slopes = project ? rvi_alloc(w->ctx, all, 3 * sizeof *slopes, what) : NULL;
    if (near == NULL || columns == NULL || (project && slopes == NULL)) {
        rvi_free(w->ctx, near);
        rvi_free(w->ctx, columns);
        rvi_free(w->ctx, slopes);
        return RV_ERROR_MEMORY;
    }
    rvi_free(w->ctx, w->near);
    rvi_free(w->ctx, w->columns);
    rvi_free(w->ctx, w->slopes);
    w->near = near;
    w->columns = columns;
    w->slopes = slopes;
    w->stride = stride;
    return RV_OK;
}

rv_status rvi_sph_list(rvi_sph_lister *l) {
    rvi_sph *w = l->w;
    for (;;) {
        rv_status status = rvi_sph_each(w, list_block, l);
        if (status != RV_OK)
            return status;
        size_t most = (size_t)rvi_sph_most(w, 0);
        if (fits(w, most))
            return RV_OK;
        size_t stride = (most + most / 4) / 16 * 16 + 2 * RVI_SPH_SLICE;
        status = rvi_sph_widen(w, stride);
        if (status != RV_OK)
            return status;
    }
}

bool rvi_sph_free_at(const rvi_sph *w, const float at[3], float distance) {
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = along(w, i, at[i] - distance);
        high[i] = along(w, i, at[i] + distance);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            size_t row = (size_t)((z * w->cells[1] + y) * w->cells[0]);
            uint32_t last = w->starts[row + (size_t)high[0] + 1];
            for (uint32_t k = w->starts[row + (size_t)low[0]]; k < last; k++) {
                rvi_v4 p = w->drops.places[k];
                float dx = p[0] - at[0], dy = p[1] - at[1], dz = p[2] - at[2];
                if ((dx * dx + dy * dy) + dz * dz < distance * distance)
                    return false;
            }
        }
    return true;
}
