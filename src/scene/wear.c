/* wear.c: creation, the order of a step, the ledger, and checkpoints. */
#include "scene/wear_state.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/vector.h"

rvi_wear_desc rvi_wear_desc_default(float spacing) {
    static const rvi_rock_material rock = {"rock", 5, 1e-4f, {0.6f, 0.55f, 0.5f}};
    float speed = sqrtf(9.81f * spacing);
    return (rvi_wear_desc){.thickness = 1,
                           .index = 0.5f,
                           .exponent = 1,
                           .reach = 0.75f,
                           .closest = 0.25f,
                           .farthest = 0.05f,
                           .least = 2e-3f,
                           .most = 0.2f,
                           .deposit = 1,
                           .level = 4,
                           .settle = 0.05f * speed,
                           .spread = 0.01f * speed * spacing,
                           .scheme = RVI_TESS_GOOD,
                           .limit = 2 * spacing,
                           .materials = &rock,
                           .material_count = 1};
}

/* ---- Creation ---- */

static rv_status check_desc(rv_context *ctx, const rvi_wear_desc *d) {
    if (d->materials == NULL || d->material_count == 0 || d->material_count > 1 << 20)
        return rvi_fail(ctx, RV_ERROR_USAGE, "wear: the solid needs 1 to 1048576 materials.");
    if (!(d->reach > 0 && d->reach <= 1 && d->closest > 0 && d->most >= 0 && d->least >= 0))
        return rvi_fail(
            ctx, RV_ERROR_USAGE,
            "wear: reach must be above 0 and at most 1 spacing, closest above 0, most and least "
            "at least 0.");
    if (!(d->farthest > 0 && d->farthest <= 0.1f))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "wear: farthest must be above 0 and at most 0.1 spacings.");
    if (!(d->deposit >= 0 && d->level >= 0 && d->settle >= 0 && d->spread >= 0 &&
          d->thickness >= 0))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "wear: deposit, level, settle, spread and thickness must be at least 0.");
    if (d->scheme != RVI_TESS_NONE && !(d->limit > 0))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "wear: the limit of the tessellation must be above 0 m.");
    return RV_OK;
}

/* A larger array with the same contents. */
static void *grow(rv_context *ctx, void *old, size_t count, size_t room, size_t size) {
    void *grown = rvi_alloc(ctx, room, size, "the wear of the rock");
    if (grown != NULL && count > 0)
        memcpy(grown, old, count * size);
    if (grown != NULL)
        rvi_free(ctx, old);
    return grown;
}

#define GROW(array, count, room)                                                                   \
    do {                                                                                           \
        void *grown_ = grow(w->ctx, (array), (count), (room), sizeof *(array));                    \
        if (grown_ == NULL)                                                                        \
            return RV_ERROR_MEMORY;                                                                \
        (array) = grown_;                                                                          \
    } while (0)

static rv_status make_vertex_room(rvi_wear *w) {
    size_t had = w->vertex_room, room = w->rock->vertices + w->rock->vertices / 2 + 64;
    GROW(w->owed, had, room);
    GROW(w->mover_of, had, room);
    for (size_t v = had; v < room; v++)
        w->mover_of[v] = RVI_NONE;
    GROW(w->movers, 0, room);
    GROW(w->levelled, 0, room);
    GROW(w->which, 0, room);
    GROW(w->to, 0, room);
    w->vertex_room = room;
    return RV_OK;
}

static rv_status make_face_room(rvi_wear *w) {
    size_t had = w->face_room, room = w->rock->faces + w->rock->faces / 2 + 64;
    GROW(w->swept_of, had, room);
    for (size_t f = had; f < room; f++)
        w->swept_of[f] = RVI_NONE;
    GROW(w->swept, 0, room);
    GROW(w->changes, 0, room);
    w->face_room = room;
    return RV_OK;
}

/* For all vertices and faces of the rock. */
static rv_status make_room(rvi_wear *w) {
    rv_status status = w->rock->vertices > w->vertex_room ? make_vertex_room(w) : RV_OK;
    if (status == RV_OK && w->rock->faces > w->face_room)
        status = make_face_room(w);
    return status;
}

static rv_status make_arrays(rvi_wear *w) {
    size_t room = w->box->most;
    GROW(w->touches, 0, room);
    GROW(w->contacts, 0, room);
    GROW(w->exchanges, 0, room);
    GROW(w->materials, 0, w->desc.material_count);
    GROW(w->material_eroded, 0, w->desc.material_count);
    GROW(w->material_deposited, 0, w->desc.material_count);
    return make_room(w);
}

static double sum_suspended(const rvi_sph *water) {
    rvi_sph_view v = rvi_sph_view_of(water);
    double sum = 0;
    for (size_t i = 0; i < v.count; i++)
        sum += v.sediments[i];
    return sum;
}

static void book_gone(void *user, const rvi_sph_gone *gone) {
    rvi_wear *w = user;
    w->ledger.left_map += gone->sediment;
    if (w->desc.gone != NULL)
        w->desc.gone(w->desc.gone_user, gone);
}

static void set_up(rvi_wear *w) {
    const float *g = w->box->gravity;
    float length = rvi_length3f(g);
    for (int i = 0; i < 3; i++)
        w->up[i] = length > 0 ? -(double)(g[i] / length) : 0;
    w->most = (double)(w->desc.most * rvi_sph_view_of(w->water).volume);
    w->reach = w->desc.reach * w->box->spacing;
    w->reach = rvi_minf(w->reach, rvi_sph_rock(w->water)->reach);
    w->first_suspended = sum_suspended(w->water);
    w->first6 = w->volume6 = rvi_edit_volume6(w->rock);
    memcpy(w->materials, w->desc.materials, w->desc.material_count * sizeof *w->materials);
    w->desc.materials = w->materials;
    rvi_sph_on_gone(w->water, book_gone, w);
    w->listens = true;
}

rv_status rvi_wear_create(rv_context *ctx, const rvi_wear_desc *desc, rvi_sph *water,
                          rvi_edit_mesh *rock, rvi_wear **out) {
    *out = NULL;
    rv_status status = check_desc(ctx, desc);
    if (status != RV_OK)
        return status;
    rvi_wear *w = rvi_alloc(ctx, 1, sizeof *w, "the wear of the rock");
    if (w == NULL)
        return RV_ERROR_MEMORY;
    w->ctx = ctx;
    w->desc = *desc;
    w->water = water;
    w->box = rvi_sph_desc_of(water);
    w->rock = rock;
    status = make_arrays(w);
    if (status == RV_OK)
        status = rvi_wear_rebuild_walls(w);
    if (status != RV_OK) {
        rvi_wear_destroy(w);
        return status;
    }
    set_up(w);
    *out = w;
    return RV_OK;
}

void rvi_wear_destroy(rvi_wear *w) {
    if (w == NULL)
        return;
    if (w->listens)
        rvi_sph_on_gone(w->water, NULL, NULL);
    void *all[] = {w->touches,  w->contacts, w->exchanges,       w->movers,
                   w->which,    w->to,       w->materials,       w->owed,
                   w->swept,    w->mover_of, w->material_eroded, w->material_deposited,
                   w->swept_of, w->changes,  w->levelled};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(w->ctx, all[i]);
    rvi_free(w->ctx, w);
}

/* ---- A step ---- */

/* What removed vertices owed is now owed by the rock as a whole. */
static void inherit_debts(rvi_wear *w) {
    for (size_t v = 0; v < w->rock->vertices; v++)
        if (w->rock->edges.leaving[v] == RVI_NONE) {
            w->debt += w->owed[v];
            w->owed[v] = 0;
        }
}

/* Particles rest half a spacing away from the wall: no corner can be nearer than that. */
static rv_status divide(rvi_wear *w) {
    if (w->desc.scheme == RVI_TESS_NONE)
        return RV_OK;
    float limit = rvi_maxf(w->desc.limit, 0.5f * w->box->spacing);
    rvi_tess_desc desc = rvi_tess_desc_default((double)limit);
    rvi_tess_report report;
    double most_off = (double)w->box->spacing / 3; /* more would move rock without erosion */
    desc.scheme = w->desc.scheme;
    desc.off = desc.off < most_off ? desc.off : most_off;
    rv_status status = rvi_tessellate(w->rock, &desc, w->contacts, w->contact_count, &report);
    rvi_wide volume6 = rvi_edit_volume6(w->rock);
    double gained = rvi_edit_cubic_metres(w->rock, volume6 - w->volume6);
    w->volume6 = volume6;
    w->debt -= gained;
    w->ledger.reshaped -= gained;
    w->ledger.eroded += gained < 0 ? -gained : 0;
    w->ledger.deposited += gained > 0 ? gained : 0;
    rv_status room = make_room(w);
    if (room == RV_OK)
        inherit_debts(w);
    return status == RV_OK ? room : status;
}

/* The rest of a step, with known contacts. The walls follow the rock even after a failure. */
static rv_status exchange(rvi_wear *w, rv_status status) {
    if (status == RV_OK)
        status = rvi_wear_find_exchanges(w);
    if (status == RV_OK)
        status = rvi_wear_move_vertices(w);
    rv_status walls = w->rock->faces <= w->face_room ? rvi_wear_update_walls(w) : RV_ERROR_MEMORY;
    w->walls_outdated = walls != RV_OK;
    return status == RV_OK ? walls : status;
}

rv_status rvi_wear_step(rvi_wear *w) {
    rvi_sph_drift drift = {.settle = w->desc.settle, .spread = w->desc.spread, .most = w->most};
    rv_status status = rvi_sph_drift_sediment(w->water, &drift);
    if (status == RV_OK)
        status = rvi_wear_find_contacts(w);
    if (status != RV_OK)
        return status;
    return exchange(w, divide(w));
}

rv_status rvi_wear_step_at(rvi_wear *w, const rvi_contact *contacts, const uint32_t *particles,
                           size_t count) {
    rv_status status = rvi_wear_find_contacts(w);
    if (status != RV_OK)
        return status;
    w->contact_count = count;
    for (size_t i = 0; i < count; i++) {
        w->contacts[i] = contacts[i];
        w->exchanges[i] = (rvi_wear_exchange){.particle = particles[i]};
    }
    return exchange(w, RV_OK);
}

rv_status rvi_wear_repair(rvi_wear *w) {
    rv_status status = w->walls_outdated ? make_room(w) : RV_OK;
    if (status == RV_OK && w->walls_outdated)
        status = rvi_wear_rebuild_walls(w);
    w->walls_outdated = w->walls_outdated && status != RV_OK;
    return status;
}

/* ---- The ledger ---- */

static void sum_owed(const rvi_wear *w, rvi_wear_ledger *l) {
    l->owed = w->debt;
    l->owed_sizes = fabs(w->debt);
    for (size_t v = 0; v < w->rock->vertices && v < w->vertex_room; v++) {
        l->owed += w->owed[v];
        l->owed_sizes += fabs(w->owed[v]);
    }
}

rvi_wear_ledger rvi_wear_ledger_of(const rvi_wear *w) {
    rvi_wear_ledger l = w->ledger;
    l.first = rvi_edit_cubic_metres(w->rock, w->first6);
    l.volume = rvi_edit_cubic_metres(w->rock, w->volume6);
    l.lost = rvi_edit_cubic_metres(w->rock, w->first6 - w->volume6);
    l.suspended = sum_suspended(w->water) - w->first_suspended;
    sum_owed(w, &l);
    return l;
}

/* Eight sums side by side. */
static double sum_of(const double *values, size_t count) {
    enum { SIDE = 8 };
    double sums[SIDE] = {0}, all = 0;
    size_t i = 0;
    for (; i + SIDE <= count; i += SIDE)
        for (size_t k = 0; k < SIDE; k++)
            sums[k] += values[i + k];
    for (; i < count; i++)
        all += values[i];
    for (size_t k = 0; k < SIDE; k++)
        all += sums[k];
    return all;
}

bool rvi_wear_is_finite(const rvi_wear *w) {
    rvi_sph_view v = rvi_sph_view_of(w->water);
    size_t vertices = w->rock->vertices < w->vertex_room ? w->rock->vertices : w->vertex_room;
    double sum = w->ledger.eroded + w->ledger.deposited + w->ledger.left_map + w->debt;
    sum += sum_of(v.sediments, v.count) + sum_of(w->owed, vertices);
    return sum - sum == 0;
}

void rvi_wear_material_ledger(const rvi_wear *w, size_t material, double *eroded,
                              double *deposited) {
    *eroded = w->material_eroded[material];
    *deposited = w->material_deposited[material];
}

/* ---- Checkpoints ---- */

enum { PART = 40, PARTS = 4 }; /* a wide integer in doubles: bits of each, and how many */

/* Goes over all values, always in the same order: writes them to `out`, or reads them from `in`. */
typedef struct value_list {
    double *out;
    const double *in;
    size_t at;
    bool wrong; /* a number that was read cannot be */
} value_list;

static void visit(value_list *t, double *number) {
    if (t->out != NULL)
        t->out[t->at] = *number;
    if (t->in != NULL)
        *number = t->in[t->at];
    t->at++;
}

static void visit_count(value_list *t, size_t *count) {
    double number = (double)*count;
    visit(t, &number);
    bool right = number >= 0 && number < 0x1p53;
    *count = right ? (size_t)number : 0;
    t->wrong = t->wrong || (double)*count != number;
}

static void visit_wide(value_list *t, rvi_wide *wide) {
    const rvi_wide half = (rvi_wide)1 << (PART - 1), whole = (rvi_wide)1 << PART;
    rvi_wide rest = *wide, sum = 0, unit = 1;
    for (int i = 0; i < PARTS; i++) {
        rvi_wide low = (rest % whole + whole + half) % whole - half; /* -half to half */
        double number = (double)low;
        visit(t, &number);
        rest = (rest - low) / whole;
        rvi_wide part =
            number >= (double)-half && number <= (double)half ? (rvi_wide)number : 2 * half;
        t->wrong = t->wrong || (double)part != number;
        sum += part < 2 * half ? unit * part : 0;
        unit *= i + 1 < PARTS ? whole : 1;
    }
    *wide = sum;
}

static void visit_all(rvi_wear *w, value_list *t) {
    rvi_wear_ledger *l = &w->ledger;
    double *numbers[] = {&w->first_suspended, &w->debt,     &l->eroded,
                         &l->deposited,       &l->left_map, &l->reshaped};
    size_t *counts[] = {&l->refused, &l->pushed_out, &l->trapped};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        visit(t, numbers[i]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        visit_count(t, counts[i]);
    visit_wide(t, &w->first6);
    for (size_t i = 0; i < w->desc.material_count; i++) {
        visit(t, &w->material_eroded[i]);
        visit(t, &w->material_deposited[i]);
    }
    for (size_t v = 0; v < w->rock->vertices && v < w->vertex_room; v++)
        visit(t, &w->owed[v]);
}

size_t rvi_wear_checkpoint(rvi_wear *w, double *numbers) {
    value_list t = {.out = numbers};
    visit_all(w, &t);
    return t.at;
}

rv_status rvi_wear_restore(rvi_wear *w, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] - numbers[i] == 0))
            return rvi_fail(w->ctx, RV_ERROR_INPUT, "wear checkpoint: value %zu is not finite", i);
    if (count != rvi_wear_checkpoint(w, NULL))
        return rvi_fail(w->ctx, RV_ERROR_INPUT, "wear checkpoint: %zu values instead of %zu", count,
                        rvi_wear_checkpoint(w, NULL));
    value_list t = {.in = numbers};
    visit_all(w, &t);
    return t.wrong ? rvi_fail(w->ctx, RV_ERROR_INPUT, "wear checkpoint: a count is not one")
                   : RV_OK;
}
