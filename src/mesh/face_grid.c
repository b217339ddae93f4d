/* face_grid.c: grids over faces, one for each size, in blocks of cells behind a hash table. */
#include "mesh/face_grid.h"

#include <string.h>

#include "base/context.h"
#include "base/random.h"

/* Below the smallest level, faces share its cells; so the three places of a block, 30 - 11 bits
 * each, and its level fit into 64 bits. */
enum { LOWEST = 9, FIRST_ROOM = 64, PLACE_BITS = 19 };
#define NONE UINT32_MAX

static const char what[] = "the grid over the faces";

rv_status rvi_grid_create(rv_context *ctx, size_t faces, rvi_face_grid *out) {
    *out = (rvi_face_grid){.ctx = ctx};
    rv_status status = rvi_grid_grow(out, faces);
    if (status != RV_OK)
        rvi_grid_destroy(out);
    return status;
}

void rvi_grid_destroy(rvi_face_grid *grid) {
    rvi_free(grid->ctx, grid->blocks);
    rvi_free(grid->ctx, grid->table);
    rvi_free(grid->ctx, grid->boxes);
    rvi_free(grid->ctx, grid->next);
    rvi_free(grid->ctx, grid->before);
    rvi_free(grid->ctx, grid->where);
    *grid = (rvi_face_grid){.ctx = grid->ctx};
}

rv_status rvi_grid_grow(rvi_face_grid *g, size_t faces) {
    if (faces <= g->room)
        return RV_OK;
    if (!rvi_enlarge(g->ctx, &g->boxes, g->room, faces, sizeof *g->boxes, what) ||
        !rvi_enlarge(g->ctx, &g->next, g->room, faces, sizeof *g->next, what) ||
        !rvi_enlarge(g->ctx, &g->before, g->room, faces, sizeof *g->before, what) ||
        !rvi_enlarge(g->ctx, &g->where, g->room, faces, sizeof *g->where, what))
        return RV_ERROR_MEMORY;
    memset(g->where + g->room, 0xff, (faces - g->room) * sizeof *g->where);
    g->room = faces;
    return RV_OK;
}

/* ---- Blocks ---- */

static uint64_t key_of(int level, int32_t x, int32_t y, int32_t z) {
    return (uint64_t)level << 3 * PLACE_BITS | (uint64_t)(uint32_t)z << 2 * PLACE_BITS |
           (uint64_t)(uint32_t)y << PLACE_BITS | (uint64_t)(uint32_t)x;
}

static int level_of(uint64_t key) {
    return (int)(key >> 3 * PLACE_BITS);
}

/* Where the key stands in the table, or where it would. */
static size_t find_place(const rvi_face_grid *g, uint64_t key) {
    size_t mask = 2 * g->block_room - 1, at = (size_t)rvi_mix(key) & mask;
    while (g->table[at] != NONE && g->blocks[g->table[at]].key != key)
        at = (at + 1) & mask;
    return at;
}

static uint32_t find_block(const rvi_face_grid *g, uint64_t key) {
    return g->block_room > 0 ? g->table[find_place(g, key)] : NONE;
}

/* Twice the room. Blocks that have become empty are never given back: a face must be able to
 * return to where it was. */
static rv_status grow_blocks(rvi_face_grid *g) {
    size_t room = g->block_room > 0 ? 2 * g->block_room : FIRST_ROOM;
    uint32_t *table = rvi_alloc(g->ctx, 2 * room, sizeof *table, what);
    if (table == NULL)
        return RV_ERROR_MEMORY;
    if (!rvi_enlarge(g->ctx, &g->blocks, g->block_count, room, sizeof *g->blocks, what)) {
        rvi_free(g->ctx, table);
        return RV_ERROR_MEMORY;
    }
    memset(table, 0xff, 2 * room * sizeof *table);
    rvi_free(g->ctx, g->table);
    g->table = table;
    g->block_room = room;
    for (uint32_t b = 0; b < g->block_count; b++)
        g->table[find_place(g, g->blocks[b].key)] = b;
    return RV_OK;
}

static rv_status make_block(rvi_face_grid *g, uint64_t key, uint32_t *out) {
    if (g->block_count == g->block_room && grow_blocks(g) != RV_OK)
        return RV_ERROR_MEMORY;
    *out = (uint32_t)g->block_count++;
    rvi_grid_block *block = &g->blocks[*out];
    block->key = key;
    block->filled = 0;
    g->table[find_place(g, key)] = *out;
    int level = level_of(key);
    block->other = g->blocks_of_level[level]++ > 0 ? g->block_of_level[level] : NONE;
    g->block_of_level[level] = *out;
    return RV_OK;
}

/* ---- Faces ---- */

static int32_t longest_side(const rvi_box *box) {
    int32_t most = 0;
    for (int i = 0; i < 3; i++)
        most = box->high[i] - box->low[i] > most ? box->high[i] - box->low[i] : most;
    return most;
}

/* The least level whose cells are larger than that. */
static int level_for(int32_t side) {
    int level = LOWEST;
    while (side >> level > 0)
        level++;
    return level;
}

static uint32_t cell_of(int32_t x, int32_t y, int32_t z) {
    return (uint32_t)(x & 3) | (uint32_t)(y & 3) << 2 | (uint32_t)(z & 3) << 4;
}

void rvi_grid_remove(rvi_face_grid *g, uint32_t face) {
    uint32_t where = g->where[face];
    if (where == NONE)
        return;
    rvi_grid_block *block = &g->blocks[where / RVI_GRID_CELLS];
    uint32_t cell = where % RVI_GRID_CELLS, next = g->next[face], before = g->before[face];
    if (before != NONE)
        g->next[before] = next;
    else if (next != NONE)
        block->heads[cell] = next;
    else
        block->filled &= ~(UINT64_C(1) << cell);
    if (next != NONE)
        g->before[next] = before;
    g->of_level[level_of(block->key)]--;
    g->where[face] = NONE;
}

static void add(rvi_face_grid *g, uint32_t face, uint32_t block_number, uint32_t cell) {
    rvi_grid_block *block = &g->blocks[block_number];
    uint64_t bit = UINT64_C(1) << cell;
    uint32_t head = block->filled & bit ? block->heads[cell] : NONE;
    g->next[face] = head;
    g->before[face] = NONE;
    if (head != NONE)
        g->before[head] = face;
    block->heads[cell] = face;
    block->filled |= bit;
    g->where[face] = block_number * RVI_GRID_CELLS + cell;
    g->of_level[level_of(block->key)]++;
}

rv_status rvi_grid_put(rvi_face_grid *g, uint32_t face, const rvi_box *box) {
    int32_t side = longest_side(box);
    int level = level_for(side);
    int32_t x = box->low[0] >> level, y = box->low[1] >> level, z = box->low[2] >> level;
    uint64_t key = key_of(level, x >> 2, y >> 2, z >> 2);
    uint32_t cell = cell_of(x, y, z), was = g->where[face];
    if (was == NONE || g->blocks[was / RVI_GRID_CELLS].key != key || was % RVI_GRID_CELLS != cell) {
        uint32_t block = find_block(g, key);
        if (block == NONE && make_block(g, key, &block) != RV_OK)
            return RV_ERROR_MEMORY;
        rvi_grid_remove(g, face);
        add(g, face, block, cell);
    }
    g->boxes[face] = *box;
    if (side > g->longest[level] || g->of_level[level] == 1)
        g->longest[level] = side;
    return RV_OK;
}

/* ---- Searches ---- */

/* The cells of one level in which faces may lie that reach the box. */
typedef struct range {
    int level;
    int32_t low[3], high[3];
} range;

static range range_of(const rvi_face_grid *g, int level, const rvi_box *box) {
    range r = {.level = level};
    for (int i = 0; i < 3; i++) {
        int32_t low = box->low[i] - g->longest[level];
        r.low[i] = low > 0 ? low >> level : 0;
        r.high[i] = box->high[i] >> level;
    }
    return r;
}

/* The bits of the cells of a block that lie in the range, by the block's place. */
static uint64_t cells_in(const range *r, const int32_t at[3]) {
    static const uint64_t along[3] = {UINT64_C(0x1111111111111111), UINT64_C(0x000f000f000f000f),
                                      UINT64_C(0xffff)};
    uint64_t cells = ~UINT64_C(0);
    for (int i = 0; i < 3; i++) {
        int32_t low = r->low[i] - 4 * at[i], high = r->high[i] - 4 * at[i];
        uint64_t mask = 0;
        for (int32_t k = low > 0 ? low : 0; k <= (high < 3 ? high : 3); k++)
            mask |= along[i] << (k << 2 * i);
        cells &= mask;
    }
    return cells;
}

/* Without a branch for each side: which of them decides cannot be foretold. */
static bool meets(const rvi_box *a, const rvi_box *b) {
    int outside = (a->low[0] > b->high[0]) | (b->low[0] > a->high[0]) | (a->low[1] > b->high[1]) |
                  (b->low[1] > a->high[1]) | (a->low[2] > b->high[2]) | (b->low[2] > a->high[2]);
    return outside == 0;
}

static bool visit_block(const rvi_face_grid *g, const rvi_grid_block *block, uint64_t cells,
                        const rvi_box *box, rvi_visit_fn visit, void *user) {
    for (cells &= block->filled; cells != 0; cells &= cells - 1) {
        uint32_t face = block->heads[__builtin_ctzll(cells)];
        for (; face != NONE; face = g->next[face])
            if (meets(&g->boxes[face], box) && !visit(user, face))
                return false;
    }
    return true;
}

/* Where the range has more blocks than there are, all of them are looked at. */
static bool visit_every(const rvi_face_grid *g, const range *r, const rvi_box *box,
                        rvi_visit_fn visit, void *user) {
    const uint64_t mask = (UINT64_C(1) << PLACE_BITS) - 1;
    uint32_t next = g->block_of_level[r->level];
    for (size_t b = 0; b < g->blocks_of_level[r->level]; b++) {
        const rvi_grid_block *block = &g->blocks[next];
        next = block->other;
        if (block->filled == 0)
            continue;
        int32_t at[3] = {(int32_t)(block->key & mask), (int32_t)(block->key >> PLACE_BITS & mask),
                         (int32_t)(block->key >> 2 * PLACE_BITS & mask)};
        if (!visit_block(g, block, cells_in(r, at), box, visit, user))
            return false;
    }
    return true;
}

static bool visit_level(const rvi_face_grid *g, int level, const rvi_box *box, rvi_visit_fn visit,
                        void *user) {
    range r = range_of(g, level, box);
    int32_t low[3], high[3], at[3];
    double blocks = 1;
    for (int i = 0; i < 3; i++) {
        low[i] = r.low[i] >> 2;
        high[i] = r.high[i] >> 2;
        blocks *= (double)(high[i] - low[i] + 1);
    }
    if (blocks > (double)g->blocks_of_level[level])
        return visit_every(g, &r, box, visit, user);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                uint32_t block = find_block(g, key_of(level, at[0], at[1], at[2]));
                if (block != NONE &&
                    !visit_block(g, &g->blocks[block], cells_in(&r, at), box, visit, user))
                    return false;
            }
    return true;
}

void rvi_grid_visit(const rvi_face_grid *grid, const rvi_box *box, rvi_visit_fn visit, void *user) {
    for (int level = LOWEST; level < RVI_GRID_LEVELS; level++)
        if (grid->of_level[level] > 0 && !visit_level(grid, level, box, visit, user))
            return;
}
