/* sph_cells.c: who is near whom. A counting sort puts the particles of a cell beside each other,
 * cells along x first, so that the 27 cells around one are nine runs of particles. */
#include "solid/sph_state.h"

#include <string.h>

#include "base/context.h"
#include "base/math.h"

enum { PACK = 1024 };

static size_t cell_count(const rvi_sph *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}

static int along(const rvi_sph *w, int axis, float x) {
    return (int)rvi_clampf(x / w->cell, 0.0f, (float)(w->cells[axis] - 1));
}

static void find_cells(void *arg, int64_t block) {
    rvi_sph *w = arg;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        rvi_v4 p = w->drops.places[i];
        int x = along(w, 0, p[0]), y = along(w, 1, p[1]), z = along(w, 2, p[2]);
        w->cell_of[i] = (uint32_t)((z * w->cells[1] + y) * w->cells[0] + x);
    }
}

static void take_over(void *arg, int64_t block) {
    rvi_sph *w = arg;
    const rvi_drops *from = &w->drops, *to = &w->other;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        size_t k = w->order[i];
        to->places[i] = from->places[k];
        to->speeds[i] = from->speeds[k];
        to->pressures[i] = from->pressures[k];
        to->pushes[i] = from->pushes[k];
        to->ages[i] = from->ages[k];
        to->sediments[i] = from->sediments[k];
        to->numbers[i] = from->numbers[k];
    }
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
    }
    return status;
}

/* ---- Lists ---- */

typedef struct pack { /* candidates, side by side */
    float x[PACK + 4], y[PACK + 4], z[PACK + 4];
    uint32_t which[PACK + 4];
    size_t count;
} pack;

#if defined(__SSE__)
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)__builtin_ia32_movmskps((rvi_v4)m);
}
#else
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
#endif

/* Adds those of the pack that are near enough to the list of each particle of the cell. Lists that
 * are full are only counted. */
static void test_pack(rvi_sph *w, pack *c, size_t first, size_t end) {
    float far = w->radius * w->radius;
    for (size_t k = c->count; k < c->count + 4; k++) {
        c->x[k] = c->y[k] = c->z[k] = 1e15f;
        c->which[k] = 0;
    }
    for (size_t i = first; i < end; i++) {
        rvi_v4 p = w->drops.places[i];
        uint32_t *list = w->near + i * w->stride;
        size_t n = w->near_count[i], most = w->stride - 8;
        for (size_t k = 0; k < c->count; k += 4) {
            rvi_v4 dx = rvi_v4_load(c->x + k) - p[0];
            rvi_v4 dy = rvi_v4_load(c->y + k) - p[1];
            rvi_v4 dz = rvi_v4_load(c->z + k) - p[2];
            rvi_v4 square = (dx * dx + dy * dy) + dz * dz;
            unsigned bits = bits_of(square < far);
            uint32_t *to = list + (n < most ? n : most);
            to[0] = c->which[k];
            to += bits & 1;
            to[0] = c->which[k + 1];
            to += bits >> 1 & 1;
            to[0] = c->which[k + 2];
            to += bits >> 2 & 1;
            to[0] = c->which[k + 3];
            n += (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1);
        }
        w->near_count[i] = (uint32_t)n;
    }
    c->count = 0;
}

static void list_cell(rvi_sph *w, pack *c, size_t first, size_t end) {
    int cell = (int)w->cell_of[first];
    int x = cell % w->cells[0], y = cell / w->cells[0] % w->cells[1];
    int z = cell / w->cells[0] / w->cells[1];
    int x0 = rvi_maxi(x - 1, 0), x1 = rvi_mini(x + 1, w->cells[0] - 1);
    for (size_t i = first; i < end; i++)
        w->near_count[i] = 0;
    c->count = 0;
    for (int cz = rvi_maxi(z - 1, 0); cz <= rvi_mini(z + 1, w->cells[2] - 1); cz++)
        for (int cy = rvi_maxi(y - 1, 0); cy <= rvi_mini(y + 1, w->cells[1] - 1); cy++) {
            size_t row = (size_t)((cz * w->cells[1] + cy) * w->cells[0]);
            uint32_t last = w->starts[row + (size_t)x1 + 1];
            for (uint32_t k = w->starts[row + (size_t)x0]; k < last; k++) {
                if (c->count == PACK)
                    test_pack(w, c, first, end);
                rvi_v4 p = w->drops.places[k];
                c->x[c->count] = p[0];
                c->y[c->count] = p[1];
                c->z[c->count] = p[2];
                c->which[c->count++] = k;
            }
        }
    test_pack(w, c, first, end);
}

/* Lists end on a multiple of four, with neighbours that are nobody. */
static void list_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    pack c;
    size_t end = rvi_sph_end(w, block), most = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK, next; i < end; i = next) {
        for (next = i + 1; next < end && w->cell_of[next] == w->cell_of[i];)
            next++;
        list_cell(w, &c, i, next);
    }
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < end; i++) {
        size_t n = w->near_count[i];
        most = n > most ? n : most;
        for (size_t k = n; n + 8 <= w->stride && k < n + 4; k++)
            w->near[i * w->stride + k] = (uint32_t)w->count;
    }
    w->sums[block] = (double)most;
}

/* Room for lists of that length; what stood in them is gone. */
rv_status rvi_sph_widen(rvi_sph *w, size_t stride) {
    const char *what = "the neighbours of particles";
    bool slopes = w->desc.solver == RVI_SPH_PROJECT;
    uint32_t *near = rvi_alloc(w->ctx, w->room * stride, sizeof *near, what);
    float *all = slopes ? rvi_alloc(w->ctx, w->room * stride, 3 * sizeof *all, what) : NULL;
    if (near == NULL || (slopes && all == NULL)) {
        rvi_free(w->ctx, near);
        rvi_free(w->ctx, all);
        return RV_ERROR_MEMORY;
    }
    rvi_free(w->ctx, w->near);
    rvi_free(w->ctx, w->slopes);
    w->near = near;
    w->slopes = all;
    w->stride = stride;
    return RV_OK;
}

rv_status rvi_sph_list(rvi_sph *w) {
    for (;;) {
        rv_status status = rvi_sph_each(w, find_cells, w);
        if (status == RV_OK)
            status = rvi_sph_each(w, list_block, w);
        if (status != RV_OK)
            return status;
        size_t most = 0;
        for (size_t b = 0; b * RVI_SPH_BLOCK < w->count; b++)
            most = (size_t)w->sums[b] > most ? (size_t)w->sums[b] : most;
        if (most + 8 <= w->stride)
            return RV_OK;
        size_t stride = (most + most / 4 + 15) / 8 * 8;
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
