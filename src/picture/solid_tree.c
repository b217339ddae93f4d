/* solid_tree.c: a tree of boxes, built where the surface area heuristic finds a cut cheapest. */
#include "picture/solid_tree.h"

#include "base/math.h"

enum { BINS = 16, LEAF = 4, DEEP = 48, STACK = 96, POLL = 4096 };

typedef struct box {
    float low[3], high[3];
} box;

static const box NOTHING = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};

static void grow(box *b, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = rvi_minf(b->low[k], low[k]);
        b->high[k] = rvi_maxf(b->high[k], high[k]);
    }
}

static float half_area(const box *b) {
    float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

typedef struct builder {
    rvi_tree *tree;
    box *boxes; /* of faces, by number */
} builder;

static float middle_of(const builder *b, size_t place, int axis) {
    const box *f = &b->boxes[b->tree->faces[place]];
    return 0.5f * (f->low[axis] + f->high[axis]);
}

typedef struct split {
    int axis, bin;
    float low, per;
} split;

static int bin_of(const split *s, float middle) {
    return rvi_mini((int)((middle - s->low) * s->per), BINS - 1);
}

/* The cheapest cut across the longest side of the middles; false: they are all in one place. */
static bool choose(const builder *b, size_t first, size_t end, split *out) {
    box middles = NOTHING, bins[BINS];
    size_t counts[BINS] = {0};
    for (size_t i = first; i < end; i++) {
        float m[3] = {middle_of(b, i, 0), middle_of(b, i, 1), middle_of(b, i, 2)};
        grow(&middles, m, m);
    }
    out->axis = 0;
    for (int k = 1; k < 3; k++)
        if (middles.high[k] - middles.low[k] > middles.high[out->axis] - middles.low[out->axis])
            out->axis = k;
    float side = middles.high[out->axis] - middles.low[out->axis];
    if (!(side > 0) || !(BINS / side < 1e30f))
        return false;
    out->low = middles.low[out->axis];
    out->per = BINS / side;
    for (int k = 0; k < BINS; k++)
        bins[k] = NOTHING;
    for (size_t i = first; i < end; i++) {
        int k = bin_of(out, middle_of(b, i, out->axis));
        const box *f = &b->boxes[b->tree->faces[i]];
        grow(&bins[k], f->low, f->high);
        counts[k]++;
    }
    float costs[BINS] = {0}, best = 1e30f;
    box sum = NOTHING;
    size_t count = 0;
    for (int k = 0; k + 1 < BINS; k++) {
        grow(&sum, bins[k].low, bins[k].high);
        count += counts[k];
        costs[k] = half_area(&sum) * (float)count;
    }
    sum = NOTHING;
    count = 0;
    for (int k = BINS - 1; k > 0; k--) {
        grow(&sum, bins[k].low, bins[k].high);
        count += counts[k];
        float cost = costs[k - 1] + half_area(&sum) * (float)count;
        if (cost < best) {
            best = cost;
            out->bin = k;
        }
    }
    return true;
}

/* Those of lower bins first; returns where the others begin. */
static size_t part(const builder *b, size_t first, size_t end, const split *s) {
    uint32_t *who = b->tree->faces;
    while (first < end) {
        if (bin_of(s, middle_of(b, first, s->axis)) < s->bin) {
            first++;
            continue;
        }
        end--;
        uint32_t swap = who[first];
        who[first] = who[end];
        who[end] = swap;
    }
    return first;
}

static void make_node(const builder *b, size_t node, size_t first, size_t end) {
    box all = NOTHING;
    for (size_t i = first; i < end; i++) {
        const box *f = &b->boxes[b->tree->faces[i]];
        grow(&all, f->low, f->high);
    }
    rvi_tree_node *n = &b->tree->nodes[node];
    *n = (rvi_tree_node){.first = (uint32_t)first};
    memcpy(n->low, all.low, sizeof n->low);
    memcpy(n->high, all.high, sizeof n->high);
}

typedef struct task {
    size_t node, first, end;
    int level;
} task;

/* Cuts the faces of a node in two; the place of the cut. */
static size_t halve(const builder *b, const task *t) {
    size_t middle = t->first;
    split s = {0};
    /* A deep branch is halved, so that the stack of rays suffices. */
    if (t->level < DEEP && choose(b, t->first, t->end, &s))
        middle = part(b, t->first, t->end, &s);
    if (middle == t->first || middle == t->end)
        middle = t->first + (t->end - t->first) / 2;
    b->tree->nodes[t->node].axis = (uint16_t)s.axis;
    return middle;
}

static rv_status build(const builder *b) {
    task stack[STACK] = {{0, 0, b->tree->face_count, 0}};
    int depth = 1;
    size_t made = 1;
    make_node(b, 0, 0, b->tree->face_count);
    while (depth > 0) {
        task t = stack[--depth];
        rvi_tree_node *n = &b->tree->nodes[t.node];
        if (t.end - t.first <= LEAF) {
            n->count = (uint16_t)(t.end - t.first);
            continue;
        }
        size_t middle = halve(b, &t), child = made;
        n->first = (uint32_t)made;
        made += 2;
        make_node(b, child, t.first, middle);
        make_node(b, child + 1, middle, t.end);
        task low = {child, t.first, middle, t.level + 1},
             high = {child + 1, middle, t.end, t.level + 1};
        /* The larger part waits, so that never more than a few do. */
        bool left = middle - t.first > t.end - middle;
        stack[depth++] = left ? low : high;
        stack[depth++] = left ? high : low;
        if (t.end - t.first > POLL && rvi_poll(b->tree->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    b->tree->node_count = made;
    return RV_OK;
}

size_t rvi_tree_memory(size_t faces) {
    return faces * (2 * sizeof(rvi_tree_node) + 9 * sizeof(float) + sizeof(uint32_t) + sizeof(box));
}

rv_status rvi_tree_create(rv_context *ctx, const float (*corners)[3][3], size_t count,
                          rvi_tree *out) {
    *out = (rvi_tree){.ctx = ctx, .face_count = count};
    if (count == 0)
        return RV_OK;
    out->nodes = rvi_alloc(ctx, 2 * count, sizeof *out->nodes, "the faces of a picture");
    out->at = rvi_alloc(ctx, count, sizeof *out->at, "the faces of a picture");
    out->faces = rvi_alloc(ctx, count, sizeof *out->faces, "the faces of a picture");
    builder b = {out, rvi_alloc(ctx, count, sizeof *b.boxes, "the faces of a picture")};
    rv_status status = out->nodes && out->at && out->faces && b.boxes ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == RV_OK; i++) {
        out->faces[i] = (uint32_t)i;
        b.boxes[i] = NOTHING;
        for (int k = 0; k < 3; k++)
            grow(&b.boxes[i], corners[i][k], corners[i][k]);
    }
    if (status == RV_OK)
        status = build(&b);
    for (size_t i = 0; i < count && status == RV_OK; i++)
        memcpy(out->at[i], corners[out->faces[i]], sizeof out->at[i]);
    rvi_free(ctx, b.boxes);
    if (status != RV_OK)
        rvi_tree_destroy(out);
    return status;
}

void rvi_tree_destroy(rvi_tree *tree) {
    rv_context *ctx = tree->ctx;
    if (!ctx)
        return;
    rvi_free(ctx, tree->nodes);
    rvi_free(ctx, tree->at);
    rvi_free(ctx, tree->faces);
    *tree = (rvi_tree){0};
}

/* ---- rays ---- */

static RVI_HOT bool any(rvi_m4 m) {
    uint64_t halves[2];
    memcpy(halves, &m, sizeof m);
    return (halves[0] | halves[1]) != 0;
}

static RVI_HOT rvi_v4 either(rvi_m4 m, rvi_v4 yes, rvi_v4 no) {
    return (rvi_v4)((m & (rvi_m4)yes) | (~m & (rvi_m4)no));
}

/* The rays sheared so that all go along one axis. */
typedef struct shear {
    int x, y, z;
    rvi_v4 sx, sy, sz;
} shear;

static RVI_HOT shear shear_of(const rvi_rays *r) {
    float size[3];
    for (int k = 0; k < 3; k++)
        size[k] = r->along[k][0] < 0 ? -r->along[k][0] : r->along[k][0];
    shear s = {.z = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2)};
    s.x = (s.z + 1) % 3;
    s.y = (s.z + 2) % 3;
    s.sx = r->along[s.x] / r->along[s.z];
    s.sy = r->along[s.y] / r->along[s.z];
    s.sz = 1.0f / r->along[s.z];
    return s;
}

static RVI_HOT void meet(const rvi_rays *r, const shear *s, const float at[3][3], uint32_t face,
                         rvi_v4 *far, rvi_meets *m) {
    rvi_v4 x[3], y[3], z[3];
    for (int k = 0; k < 3; k++) {
        rvi_v4 dz = at[k][s->z] - r->from[s->z];
        x[k] = (at[k][s->x] - r->from[s->x]) - s->sx * dz;
        y[k] = (at[k][s->y] - r->from[s->y]) - s->sy * dz;
        z[k] = s->sz * dz;
    }
    rvi_v4 u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2];
    rvi_v4 w = x[1] * y[0] - y[1] * x[0], sum = (u + v) + w;
    rvi_m4 inside =
        ((u >= 0.0f) & (v >= 0.0f) & (w >= 0.0f)) | ((u <= 0.0f) & (v <= 0.0f) & (w <= 0.0f));
    inside &= sum != 0.0f;
    if (!any(inside))
        return;
    rvi_v4 per = 1.0f / either(sum != 0.0f, sum, rvi_v4_all(1.0f));
    rvi_v4 t = ((u * z[0] + v * z[1]) + w * z[2]) * per;
    rvi_m4 hit = inside & (t > r->near) & (t < *far);
    *far = either(hit, t, *far);
    m->t = either(hit, t, m->t);
    m->second = either(hit, v * per, m->second);
    m->third = either(hit, w * per, m->third);
    for (int k = 0; k < 4; k++)
        m->face[k] = hit[k] ? face : m->face[k];
}

rvi_meets rvi_tree_trace(const rvi_tree *tree, const rvi_rays *given) {
    rvi_meets m = {.face = {RVI_NO_FACE, RVI_NO_FACE, RVI_NO_FACE, RVI_NO_FACE}};
    rvi_rays r = *given;
    rvi_v4 per[3], far = r.far;
    if (tree->face_count == 0 || !any(r.near < r.far))
        return m;
    for (int k = 0; k < 3; k++) {
        rvi_m4 flat = (r.along[k] < 1e-12f) & (r.along[k] > -1e-12f);
        r.along[k] = either(flat, rvi_v4_all(1e-12f), r.along[k]);
        per[k] = 1.0f / r.along[k];
    }
    shear s = shear_of(&r);
    uint32_t stack[STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const rvi_tree_node *n = &tree->nodes[stack[--depth]];
        rvi_v4 enter = r.near, leave = far;
        for (int k = 0; k < 3; k++) {
            rvi_v4 a = (n->low[k] - r.from[k]) * per[k], b = (n->high[k] - r.from[k]) * per[k];
            enter = rvi_v4_max(rvi_v4_min(a, b), enter);
            /* Rounding must not lose a face that lies in a side of the box. */
            leave = rvi_v4_min(rvi_v4_max(a, b) * 1.000001f, leave);
        }
        if (!any(enter <= leave))
            continue;
        for (uint32_t i = n->first; i < n->first + n->count; i++)
            meet(&r, &s, (const float(*)[3])tree->at[i], tree->faces[i], &far, &m);
        if (n->count == 0) {
            bool back = r.along[n->axis][0] < 0;
            stack[depth++] = n->first + !back;
            stack[depth++] = n->first + back;
        }
    }
    return m;
}
