/* boxes.c: a tree of boxes over the faces. Faces are put in the order of a curve that fills space
 * (G. Morton, 1966), four of them in a leaf, and each node has the box around its two. */
#include "mesh/boxes.h"

#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"

enum { BLOCK = 4096 };

static const rvi_box nowhere = {{INT32_MAX, INT32_MAX, INT32_MAX},
                                {INT32_MIN, INT32_MIN, INT32_MIN}};

rvi_box rvi_triangle_box(const rvi_triangle *t) {
    rvi_box box = nowhere;
    for (size_t k = 0; k < 3; k++) {
        rvi_spot p = t->spots[k];
        int32_t c[3] = {rvi_box_place(p.x), rvi_box_place(p.y), rvi_box_place(p.z)};
        for (int i = 0; i < 3; i++) {
            box.low[i] = c[i] < box.low[i] ? c[i] : box.low[i];
            box.high[i] = c[i] > box.high[i] ? c[i] : box.high[i];
        }
    }
    return box;
}

static rvi_box face_box(const rvi_lattice *l, size_t face) {
    rvi_triangle t = {
        .spots = {rvi_corner(l, face, 0), rvi_corner(l, face, 1), rvi_corner(l, face, 2)}};
    return rvi_triangle_box(&t);
}

/* Every third bit of the result is one of the 21 bits of x. */
static uint64_t spread(uint64_t x) {
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    x = (x | x << 2) & UINT64_C(0x1249249249249249);
    return x;
}

/* Places in boxes have 30 bits: of the middle, 21 are kept. */
static uint64_t curve_place(const rvi_box *box) {
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t middle = (uint64_t)((int64_t)box->low[i] + box->high[i]) >> 10;
        key |= spread(middle < 0x1fffff ? middle : 0x1fffff) << i;
    }
    return key;
}

typedef struct work {
    const rvi_lattice *lattice;
    rvi_boxes *boxes;
    rvi_keyed *keys;
} work;

static size_t block_end(const rvi_boxes *b, int64_t block) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < b->faces ? end : b->faces;
}

static void make_keys(void *arg, int64_t block) {
    const work *w = arg;
    for (size_t f = (size_t)block * BLOCK; f < block_end(w->boxes, block); f++) {
        rvi_box box = face_box(w->lattice, f);
        w->keys[f] = (rvi_keyed){curve_place(&box), (uint32_t)f};
    }
}

static void place_faces(void *arg, int64_t block) {
    const work *w = arg;
    for (size_t i = (size_t)block * BLOCK; i < block_end(w->boxes, block); i++) {
        w->boxes->order[i] = w->keys[i].value;
        w->boxes->boxes[i] = face_box(w->lattice, w->keys[i].value);
    }
}

static rv_status join_nodes(rvi_boxes *b) {
    for (size_t i = 0; i < b->leaves; i++) {
        rvi_box box = nowhere;
        for (size_t k = RVI_LEAF * i; k < RVI_LEAF * (i + 1) && k < b->faces; k++)
            rvi_box_include(&box, &b->boxes[k]);
        b->nodes[b->leaves + i] = box;
    }
    for (size_t n = b->leaves - 1; n > 0; n--) {
        b->nodes[n] = b->nodes[2 * n];
        rvi_box_include(&b->nodes[n], &b->nodes[2 * n + 1]);
    }
    return rvi_poll(b->ctx);
}

static rv_status fill(const rvi_lattice *l, rvi_boxes *b, rvi_keyed *keys) {
    work w = {l, b, keys};
    int64_t blocks = (int64_t)((b->faces + BLOCK - 1) / BLOCK);
    rv_status status = rvi_parallel(b->ctx, blocks, make_keys, &w);
    if (status == RV_OK)
        status = rvi_sort(b->ctx, keys, b->faces);
    if (status == RV_OK)
        status = rvi_parallel(b->ctx, blocks, place_faces, &w);
    return status == RV_OK ? join_nodes(b) : status;
}

rv_status rvi_boxes_create(const rvi_lattice *l, rvi_boxes *out) {
    rv_context *ctx = l->ctx;
    *out = (rvi_boxes){.ctx = ctx, .leaves = 1, .faces = l->mesh->face_count};
    while (out->leaves * RVI_LEAF < out->faces)
        out->leaves *= 2;
    out->nodes = rvi_alloc(ctx, 2 * out->leaves, sizeof *out->nodes, "a tree of boxes");
    out->boxes = rvi_alloc(ctx, out->faces, sizeof *out->boxes, "a tree of boxes");
    out->order = rvi_alloc(ctx, out->faces, sizeof *out->order, "a tree of boxes");
    rvi_keyed *keys = rvi_alloc(ctx, out->faces, sizeof *keys, "a tree of boxes");
    rv_status status = RV_ERROR_MEMORY;
    if (out->nodes != NULL && out->boxes != NULL && out->order != NULL && keys != NULL)
        status = fill(l, out, keys);
    rvi_free(ctx, keys);
    if (status != RV_OK)
        rvi_boxes_destroy(out);
    return status;
}

void rvi_boxes_destroy(rvi_boxes *boxes) {
    rvi_free(boxes->ctx, boxes->nodes);
    rvi_free(boxes->ctx, boxes->boxes);
    rvi_free(boxes->ctx, boxes->order);
    boxes->nodes = boxes->boxes = NULL;
    boxes->order = NULL;
}

/* ---- Walking ---- */

void rvi_walk_begin(rvi_walk *walk, const rvi_boxes *boxes, const rvi_box *box) {
    walk->boxes = boxes;
    walk->box = *box;
    walk->at = walk->end = 0;
    walk->depth = 0;
    if (rvi_boxes_meet(&boxes->nodes[1], box))
        walk->stack[walk->depth++] = 1;
}

/* What stands behind a leaf is right of the way from it up to the root. */
void rvi_walk_behind(rvi_walk *walk, const rvi_boxes *boxes, size_t place) {
    walk->boxes = boxes;
    walk->box = boxes->boxes[place];
    walk->at = place + 1;
    size_t leaf = place / RVI_LEAF, end = RVI_LEAF * (leaf + 1);
    walk->end = end < boxes->faces ? end : boxes->faces;
    walk->depth = 0;
    for (size_t node = boxes->leaves + leaf; node > 1; node /= 2)
        if (node % 2 == 0 && rvi_boxes_meet(&boxes->nodes[node + 1], &walk->box))
            walk->stack[walk->depth++] = (uint32_t)(node + 1);
}

bool rvi_walk_next(rvi_walk *walk, size_t *place) {
    const rvi_boxes *b = walk->boxes;
    for (;;) {
        while (walk->at < walk->end) {
            size_t at = walk->at++;
            if (rvi_boxes_meet(&b->boxes[at], &walk->box)) {
                *place = at;
                return true;
            }
        }
        if (walk->depth == 0)
            return false;
        size_t node = walk->stack[--walk->depth];
        if (node >= b->leaves) {
            walk->at = RVI_LEAF * (node - b->leaves);
            walk->end = walk->at + RVI_LEAF < b->faces ? walk->at + RVI_LEAF : b->faces;
            continue;
        }
        for (size_t child = 2 * node + 1; child >= 2 * node; child--)
            if (rvi_boxes_meet(&b->nodes[child], &walk->box))
                walk->stack[walk->depth++] = (uint32_t)child;
    }
}
