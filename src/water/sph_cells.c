/* sph_cells.c: the neighbours of particles. A counting sort puts the particles of a cell beside
 * each other, cells along x first, so that the 27 cells around a particle are nine runs of
 * particles. */
#include "water/sph_state.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"

static size_t cell_count(const rvi_sph *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}

static void find_cells(void *arg, int64_t block) {
    rvi_sph *w = arg;
    for (size_t i = rvi_sph_block_begin(block); i < rvi_sph_block_end(w, block); i++)
        w->cell_of[i] = rvi_sph_cell_number(w, w->particles.places[i]);
}

static void reorder_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    const rvi_sph_particles *from = &w->particles, *to = &w->next;
    size_t end = rvi_sph_block_end(w, block);
    const float *g = w->desc.gravity;
    float max_speed2 = 0, lowest = INFINITY, highest = -INFINITY;
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        size_t k = w->order[i];
        rvi_v4 p = from->places[k], v = from->speeds[k];
        to->places[i] = p;
        to->speeds[i] = v;
        if (to->half_kicks != NULL)
            to->half_kicks[i] = from->half_kicks[k];
        to->velocity_k[i] = from->velocity_k[k];
        to->displacement_k[i] = from->displacement_k[k];
        to->ages[i] = from->ages[k];
        to->sediments[i] = from->sediments[k];
        to->numbers[i] = from->numbers[k];
        w->home_cell[i] = w->cell_of[k];
        w->x[i] = p[0];
        w->y[i] = p[1];
        w->z[i] = p[2];
        float potential = (g[0] * p[0] + g[1] * p[1]) + g[2] * p[2];
        lowest = rvi_minf(lowest, potential);
        highest = rvi_maxf(highest, potential);
        max_speed2 = rvi_maxf(max_speed2, (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    }
    w->sums[0][block] = (double)max_speed2;
    w->sums[1][block] = (double)highest;
    w->sums[2][block] = (double)-lowest;
}

/* Counts become the sums of those up to each cell. Most cells are empty: whole runs of them get the
 * same sum. */
static void sum_counts(uint32_t *counts, size_t cells) {
    enum { RUN = 16 };
    uint32_t sum = 0;
    size_t c = 0;
    for (; c + RUN <= cells; c += RUN) {
        uint32_t *run = counts + c, any = 0;
        for (size_t k = 0; k < RUN; k++)
            any |= run[k];
        for (size_t k = 0; k < RUN && any == 0; k++)
            run[k] = sum;
        for (size_t k = 0; k < RUN && any != 0; k++)
            run[k] = sum += run[k];
    }
    for (; c < cells; c++)
        counts[c] = sum += counts[c];
}

rv_status rvi_sph_sort(rvi_sph *w) {
    size_t cells = cell_count(w);
    rv_status status = rvi_sph_leave_device(w);
    if (status == RV_OK)
        status = rvi_sph_each_block(w, find_cells, w);
    if (status != RV_OK)
        return status;
    memset(w->cell_start, 0, (cells + 1) * sizeof *w->cell_start);
    for (size_t i = 0; i < w->count; i++)
        w->cell_start[w->cell_of[i]]++;
    sum_counts(w->cell_start, cells + 1);
    for (size_t i = w->count; i-- > 0;)
        w->order[--w->cell_start[w->cell_of[i]]] = (uint32_t)i;
    status = rvi_sph_each_block(w, reorder_block, w);
    if (status == RV_OK) {
        rvi_sph_particles swap = w->particles;
        w->particles = w->next;
        w->next = swap;
        w->max_speed2 = (float)rvi_sph_max(w, 0);
        w->potential_range = w->count > 0 ? (float)(rvi_sph_max(w, 1) + rvi_sph_max(w, 2)) : 0.0f;
    }
    return status;
}

/* ---- Lists ---- */

static const uint32_t NO_CELL = UINT32_MAX;

static void test_candidates(rvi_sph *w, rvi_sph_candidates *c, size_t first, size_t end) {
    for (size_t k = c->count; k < c->count + RVI_SPH_SLICE; k++) {
        c->x[k] = c->y[k] = c->z[k] = 1e15f; /* too far away for any list */
        c->which[k] = 0;
    }
    w->passes->list_neighbours(w, c, first, end);
}

/* Copies whole vectors, and so up to three particles more, which the next run overwrites. */
static void add_run(const rvi_sph *w, rvi_sph_candidates *c, size_t from, size_t count) {
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

/* The lists of some particles of a cell; `c` may already have the candidates of this cell. */
static void list_cell(rvi_sph *w, rvi_sph_candidates *c, size_t first, size_t end) {
    int cell = (int)w->home_cell[first];
    int x = cell % w->cells[0], y = cell / w->cells[0] % w->cells[1];
    int z = cell / w->cells[0] / w->cells[1];
    int x0 = rvi_maxi(x - 1, 0), x1 = rvi_mini(x + 1, w->cells[0] - 1);
    for (size_t i = first; i < end; i++)
        w->neighbour_count[i] = 0;
    if (c->cell == w->home_cell[first]) {
        w->passes->list_neighbours(w, c, first, end);
        return;
    }
    c->cell = w->home_cell[first];
    c->count = 0;
    for (int cz = rvi_maxi(z - 1, 0); cz <= rvi_mini(z + 1, w->cells[2] - 1); cz++)
        for (int cy = rvi_maxi(y - 1, 0); cy <= rvi_mini(y + 1, w->cells[1] - 1); cy++) {
            size_t row = (size_t)((cz * w->cells[1] + cy) * w->cells[0]);
            size_t last = w->cell_start[row + (size_t)x1 + 1];
            for (size_t k = w->cell_start[row + (size_t)x0]; k < last;) {
                size_t room = RVI_SPH_CANDIDATES - c->count,
                       run = last - k < room ? last - k : room;
                add_run(w, c, k, run);
                k += run;
                if (c->count == RVI_SPH_CANDIDATES) {
                    test_candidates(w, c, first, end);
                    c->count = 0;
                    c->cell = NO_CELL;
                }
            }
        }
    test_candidates(w, c, first, end);
}

/* Returns the length of the longest list. */
static size_t list_slice(rvi_sph *w, rvi_sph_candidates *c, size_t first, size_t end) {
    size_t longest = 0;
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && w->home_cell[next] == w->home_cell[i];)
            next++;
        list_cell(w, c, i, next);
    }
    for (size_t i = first; i < end; i++)
        longest = w->neighbour_count[i] > longest ? w->neighbour_count[i] : longest;
    for (size_t i = end; i % RVI_SPH_SLICE != 0; i++) /* of the last slice */
        w->neighbour_count[i] = 0;
    return longest;
}

/* Lists are written in whole vectors, so that each needs room for one vector more. */
static bool fits(const rvi_sph *w, size_t longest) {
    return longest + RVI_SPH_SLICE <= w->stride;
}

static void list_piece(void *arg, int64_t piece) {
    const rvi_sph_lister *l = arg;
    rvi_sph *w = l->w;
    rvi_sph_candidates c;
    c.cell = NO_CELL;
    size_t end = rvi_sph_piece_end(w, piece), longest = 0;
    if (l->walls)
        rvi_sph_find_walls(w, piece);
    for (size_t first = rvi_sph_piece_begin(piece); first < end; first += RVI_SPH_SLICE) {
        size_t last = first + RVI_SPH_SLICE < end ? first + RVI_SPH_SLICE : end;
        size_t here = list_slice(w, &c, first, last);
        longest = here > longest ? here : longest;
        if (fits(w, longest))
            l->slice(w, l->dt, first, last);
    }
    if (fits(w, longest) && l->piece != NULL)
        l->piece(l->arg, piece);
    w->counts[piece] = (uint32_t)longest;
}

/* Makes room for lists of that length. What was in the lists is lost. */
rv_status rvi_sph_resize_lists(rvi_sph *w, size_t stride) {
    const char *what = "the neighbours of particles";
    size_t all = (w->capacity + RVI_SPH_SLICE) * stride;
    size_t count = (w->capacity / RVI_SPH_PIECE + 1) * RVI_SPH_SLICE;
    bool project = w->desc.solver == RVI_SPH_PROJECT;
    uint32_t *lists = rvi_alloc(w->ctx, count * stride, sizeof *lists, what);
    uint32_t *columns = rvi_alloc(w->ctx, all, sizeof *columns, what);
    int16_t *gradients = project ? rvi_alloc(w->ctx, all, 3 * sizeof *gradients, what) : NULL;
    if (lists == NULL || columns == NULL || (project && gradients == NULL)) {
        rvi_free(w->ctx, lists);
        rvi_free(w->ctx, columns);
        rvi_free(w->ctx, gradients);
        return RV_ERROR_MEMORY;
    }
    rvi_free(w->ctx, w->lists);
    rvi_free(w->ctx, w->columns);
    rvi_free(w->ctx, w->gradients);
    w->lists = lists;
    w->columns = columns;
    w->gradients = gradients;
    w->stride = stride;
    return RV_OK;
}

size_t rvi_sph_stride_for(size_t longest) {
    return (longest + longest / 4) / 16 * 16 + 2 * RVI_SPH_SLICE;
}

rv_status rvi_sph_list_neighbours(rvi_sph_lister *l) {
    rvi_sph *w = l->w;
    for (;;) {
        rv_status status = rvi_sph_each_piece(w, list_piece, l);
        if (status != RV_OK)
            return status;
        size_t longest = 0;
        for (size_t i = 0; i * RVI_SPH_PIECE < w->count; i++)
            longest = w->counts[i] > longest ? w->counts[i] : longest;
        l->walls = false; /* they are known now */
        if (fits(w, longest))
            return RV_OK;
        status = rvi_sph_resize_lists(w, rvi_sph_stride_for(longest));
        if (status != RV_OK)
            return status;
    }
}

size_t rvi_sph_neighbours(const rvi_sph *w, size_t particle, uint32_t *out, size_t room) {
    size_t count = w->neighbour_count[particle];
    for (size_t n = 0; n < count && n < room; n++)
        out[n] = rvi_sph_neighbour(w, particle, n);
    return count;
}

/* The cells in which particles may be nearer. */
static void cells_near(const rvi_sph *w, const float at[3], float distance, int low[3],
                       int high[3]) {
    for (int i = 0; i < 3; i++) {
        low[i] = rvi_sph_cell_along(&w->rules, i, at[i] - distance);
        high[i] = rvi_sph_cell_along(&w->rules, i, at[i] + distance);
    }
}

static bool is_near(rvi_v4 p, const float at[3], float distance) {
    float dx = p[0] - at[0], dy = p[1] - at[1], dz = p[2] - at[2];
    return (dx * dx + dy * dy) + dz * dz < distance * distance;
}

bool rvi_sph_is_free(const rvi_sph *w, const float at[3], float distance) {
    int low[3], high[3];
    cells_near(w, at, distance, low, high);
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            size_t row = (size_t)((z * w->cells[1] + y) * w->cells[0]);
            uint32_t last = w->cell_start[row + (size_t)high[0] + 1];
            for (uint32_t k = w->cell_start[row + (size_t)low[0]]; k < last; k++)
                if (is_near(w->particles.places[k], at, distance))
                    return false;
        }
    return true;
}

bool rvi_sph_is_free_of(const rvi_sph *w, const uint32_t *others, size_t count, const float at[3],
                        float distance) {
    int low[3], high[3];
    cells_near(w, at, distance, low, high);
    for (size_t k = 0; k < count; k++) {
        rvi_v4 p = w->particles.places[others[k]];
        bool near = is_near(p, at, distance);
        for (int i = 0; i < 3 && near; i++) {
            int cell = rvi_sph_cell_along(&w->rules, i, p[i]);
            near = cell >= low[i] && cell <= high[i];
        }
        if (near)
            return false;
    }
    return true;
}
