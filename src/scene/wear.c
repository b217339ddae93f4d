/* wear.c: making it, the order of a step, and the books. */
#include "scene/wear_state.h"

#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/vector.h"

rvi_wear_desc rvi_wear_desc_default(float spacing) {
    static const rvi_material rock = {"rock", 5, 1e-4f, {0.6f, 0.55f, 0.5f}};
    float speed = sqrtf(9.81f * spacing);
    return (rvi_wear_desc){.thickness = 1,
                           .index = 0.5f,
                           .exponent = 1,
                           .reach = 0.75f,
                           .closest = 0.25f,
                           .farthest = 0.05f,
                           .least = 2e-3f,
                           .most = 0.2f,
                           .lay = 1,
                           .level = 4,
                           .settle = 0.05f * speed,
                           .spread = 0.01f * speed * spacing,
                           .scheme = RVI_TESS_GOOD,
                           .limit = 2 * spacing,
                           .materials = &rock,
                           .material_count = 1};
}

/* ---- Making ---- */

static rv_status check_desc(rv_context *ctx, const rvi_wear_desc *d) {
    if (d->materials == NULL || d->material_count == 0 || d->material_count > 1 << 20)
        return rvi_fail(ctx, RV_ERROR_USAGE, "A solid that is worn has at least one material.");
    if (!(d->reach > 0 && d->reach <= 1 && d->closest > 0 && d->most >= 0 && d->least >= 0))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "Wear reaches up to 1 spacing, closest is more than 0, most not less.");
    if (!(d->farthest > 0 && d->farthest <= 0.1f))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "In a step the rock moves by more than 0 and at most 0.1 of the spacing.");
    if (!(d->lay >= 0 && d->level >= 0 && d->settle >= 0 && d->spread >= 0 && d->thickness >= 0))
        return rvi_fail(ctx, RV_ERROR_USAGE, "No rate of the wear is less than 0.");
    if (d->scheme != RVI_TESS_NONE && !(d->limit > 0))
        return rvi_fail(ctx, RV_ERROR_USAGE, "The limit of the division is more than 0 m.");
    return RV_OK;
}

/* A larger one with the same things in it. */
static void *widen(rv_context *ctx, void *old, size_t count, size_t room, size_t size) {
    void *wide = rvi_alloc(ctx, room, size, "the wear of the rock");
    if (wide != NULL && count > 0)
        memcpy(wide, old, count * size);
    if (wide != NULL)
        rvi_free(ctx, old);
    return wide;
}

#define WIDEN(array, count, room)                                                                  \
    do {                                                                                           \
        void *wide_ = widen(w->ctx, (array), (count), (room), sizeof *(array));                    \
        if (wide_ == NULL)                                                                         \
            return RV_ERROR_MEMORY;                                                                \
        (array) = wide_;                                                                           \
    } while (0)

static rv_status make_vertex_room(rvi_wear *w) {
    size_t had = w->vertex_room, room = w->skin->vertices + w->skin->vertices / 2 + 64;
    WIDEN(w->owed, had, room);
    WIDEN(w->mover_of, had, room);
    for (size_t v = had; v < room; v++)
        w->mover_of[v] = RVI_NONE;
    WIDEN(w->movers, 0, room);
    WIDEN(w->which, 0, room);
    WIDEN(w->to, 0, room);
    w->vertex_room = room;
    return RV_OK;
}

static rv_status make_face_room(rvi_wear *w) {
    size_t had = w->face_room, room = w->skin->faces + w->skin->faces / 2 + 64;
    WIDEN(w->swept_of, had, room);
    for (size_t f = had; f < room; f++)
        w->swept_of[f] = RVI_NONE;
    WIDEN(w->swept, 0, room);
    WIDEN(w->changes, 0, room);
    w->face_room = room;
    return RV_OK;
}

/* For all vertices and faces that there are. */
static rv_status make_room(rvi_wear *w) {
    rv_status status = w->skin->vertices > w->vertex_room ? make_vertex_room(w) : RV_OK;
    if (status == RV_OK && w->skin->faces > w->face_room)
        status = make_face_room(w);
    return status;
}

static rv_status make_arrays(rvi_wear *w) {
    size_t room = w->water->room;
    WIDEN(w->touches, 0, room);
    WIDEN(w->loads, 0, room);
    WIDEN(w->drifted, 0, room);
    WIDEN(w->leaves, 0, room);
    WIDEN(w->counts, 0, room / RVI_SPH_BLOCK + 1);
    WIDEN(w->contacts, 0, room);
    WIDEN(w->asks, 0, room);
    WIDEN(w->materials, 0, w->desc.material_count);
    WIDEN(w->material_taken, 0, w->desc.material_count);
    WIDEN(w->material_laid, 0, w->desc.material_count);
    return make_room(w);
}

static double sum_afloat(const rvi_sph *water) {
    double sum = 0;
    for (size_t i = 0; i < water->count; i++)
        sum += water->drops.sediments[i];
    return sum;
}

static void book_gone(void *user, const rvi_sph_gone *gone) {
    rvi_wear *w = user;
    w->ledger.left_map += gone->sediment;
    if (w->desc.gone != NULL)
        w->desc.gone(w->desc.gone_user, gone);
}

static void set_up(rvi_wear *w) {
    const float *g = w->water->desc.gravity;
    float length = rvi_length3f(g);
    for (int i = 0; i < 3; i++)
        w->up[i] = length > 0 ? -(double)(g[i] / length) : 0;
    w->most = (double)(w->desc.most * w->water->volume);
    w->reach = w->desc.reach * w->water->desc.spacing;
    w->reach = rvi_minf(w->reach, w->water->rock.reach);
    w->touchy = (0.2f + w->desc.farthest) * w->water->desc.spacing + 2 * w->water->rock.slack;
    w->touchy = rvi_minf(1.01f * w->touchy, 0.999f * w->reach);
    w->first_sum = sum_afloat(w->water);
    w->first6 = w->volume6 = rvi_edit_volume6(w->skin);
    memcpy(w->materials, w->desc.materials, w->desc.material_count * sizeof *w->materials);
    w->desc.materials = w->materials;
    rvi_sph_on_gone(w->water, book_gone, w);
}

rv_status rvi_wear_create(rv_context *ctx, const rvi_wear_desc *desc, rvi_sph *water,
                          rvi_edit_mesh *skin, rvi_wear **out) {
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
    w->skin = skin;
    status = make_arrays(w);
    if (status == RV_OK)
        status = rvi_wear_rebuild(w);
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
    if (w->water->user == w)
        rvi_sph_on_gone(w->water, NULL, NULL);
    void *all[] = {w->loads,         w->touches,  w->drifted, w->leaves,   w->counts,
                   w->contacts,      w->asks,     w->movers,  w->which,    w->to,
                   w->materials,     w->owed,     w->swept,   w->mover_of, w->material_taken,
                   w->material_laid, w->swept_of, w->changes};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(w->ctx, all[i]);
    rvi_free(w->ctx, w);
}

/* ---- A step ---- */

/* What vertices that are gone owed, all owe. */
static void inherit(rvi_wear *w) {
    for (size_t v = 0; v < w->skin->vertices; v++)
        if (w->skin->edges.leaving[v] == RVI_NONE) {
            w->debt += w->owed[v];
            w->owed[v] = 0;
        }
}

/* No corner can be nearer than the wall itself, from which particles rest half a spacing away. */
static rv_status divide(rvi_wear *w) {
    if (w->desc.scheme == RVI_TESS_NONE)
        return RV_OK;
    float limit = rvi_maxf(w->desc.limit, 0.5f * w->water->desc.spacing);
    rvi_tess_desc desc = rvi_tess_desc_default((double)limit);
    rvi_tess_report report;
    double unfelt = (double)w->water->desc.spacing / 3; /* more would be rock that nobody took */
    desc.scheme = w->desc.scheme;
    desc.off = desc.off < unfelt ? desc.off : unfelt;
    rv_status status = rvi_tessellate(w->skin, &desc, w->contacts, w->contact_count, &report);
    rvi_wide volume6 = rvi_edit_volume6(w->skin);
    double gained = rvi_edit_cubic_metres(w->skin, volume6 - w->volume6);
    w->volume6 = volume6;
    w->debt -= gained;
    w->ledger.reshaped -= gained;
    w->ledger.eroded += gained < 0 ? -gained : 0;
    w->ledger.deposited += gained > 0 ? gained : 0;
    rv_status room = make_room(w);
    if (room == RV_OK)
        inherit(w);
    return status == RV_OK ? room : status;
}

rv_status rvi_wear_step(rvi_wear *w) {
    rv_status status = rvi_wear_drift(w);
    if (status == RV_OK)
        status = rvi_wear_touch(w);
    if (status != RV_OK)
        return status;
    status = divide(w);
    if (status == RV_OK)
        status = rvi_wear_ask(w);
    if (status == RV_OK)
        status = rvi_wear_move(w);
    rv_status walls = w->skin->faces <= w->face_room ? rvi_wear_refresh(w) : RV_ERROR_MEMORY;
    w->torn = walls != RV_OK;
    return status == RV_OK ? walls : status;
}

rv_status rvi_wear_mend(rvi_wear *w) {
    rv_status status = w->torn ? make_room(w) : RV_OK;
    if (status == RV_OK && w->torn)
        status = rvi_wear_rebuild(w);
    w->torn = w->torn && status != RV_OK;
    return status;
}

/* ---- The books ---- */

static double sum_owed(const rvi_wear *w) {
    double sum = w->debt;
    for (size_t v = 0; v < w->skin->vertices && v < w->vertex_room; v++)
        sum += w->owed[v];
    return sum;
}

rvi_wear_ledger rvi_wear_look(const rvi_wear *w) {
    rvi_wear_ledger l = w->ledger;
    l.first = rvi_edit_cubic_metres(w->skin, w->first6);
    l.volume = rvi_edit_cubic_metres(w->skin, w->volume6);
    l.lost = rvi_edit_cubic_metres(w->skin, w->first6 - w->volume6);
    l.suspended = sum_afloat(w->water) - w->first_sum;
    l.owed = sum_owed(w);
    return l;
}

void rvi_wear_material(const rvi_wear *w, size_t material, double *eroded, double *deposited) {
    *eroded = w->material_taken[material];
    *deposited = w->material_laid[material];
}

/* ---- For checkpoints ---- */

enum { PART = 40, PARTS = 4 }; /* a wide number, that many bits in each double */

/* Goes over all that is kept, in one order: writes it to `out`, or takes it from `in`. */
typedef struct tape {
    double *out;
    const double *in;
    size_t at;
} tape;

static void pass(tape *t, double *number) {
    if (t->out != NULL)
        t->out[t->at] = *number;
    if (t->in != NULL)
        *number = t->in[t->at];
    t->at++;
}

static void pass_count(tape *t, size_t *count) {
    double number = (double)*count;
    pass(t, &number);
    *count = number >= 0 && number < 0x1p53 ? (size_t)number : 0;
}

static void pass_wide(tape *t, rvi_wide *wide) {
    const rvi_wide half = (rvi_wide)1 << (PART - 1), whole = (rvi_wide)1 << PART;
    rvi_wide rest = *wide, sum = 0, unit = 1;
    for (int i = 0; i < PARTS; i++) {
        rvi_wide low = (rest % whole + whole + half) % whole - half; /* -half to half */
        double number = (double)low;
        pass(t, &number);
        rest = (rest - low) / whole;
        if (number >= (double)-half && number <= (double)half)
            sum += unit * (rvi_wide)number;
        unit *= i + 1 < PARTS ? whole : 1;
    }
    *wide = sum;
}

static void pass_all(rvi_wear *w, tape *t) {
    rvi_wear_ledger *l = &w->ledger;
    double *numbers[] = {&w->first_sum, &w->debt,     &l->eroded,
                         &l->deposited, &l->left_map, &l->reshaped};
    size_t *counts[] = {&l->refused, &l->pushed_out, &l->trapped};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        pass(t, numbers[i]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        pass_count(t, counts[i]);
    pass_wide(t, &w->first6);
    for (size_t i = 0; i < w->desc.material_count; i++) {
        pass(t, &w->material_taken[i]);
        pass(t, &w->material_laid[i]);
    }
    for (size_t v = 0; v < w->skin->vertices && v < w->vertex_room; v++)
        pass(t, &w->owed[v]);
}

size_t rvi_wear_keep(rvi_wear *w, double *numbers) {
    tape t = {.out = numbers};
    pass_all(w, &t);
    return t.at;
}

rv_status rvi_wear_restore(rvi_wear *w, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] - numbers[i] == 0))
            return rvi_fail(w->ctx, RV_ERROR_INPUT, "What is kept of the wear has no number %zu.",
                            i);
    if (count != rvi_wear_keep(w, NULL))
        return rvi_fail(w->ctx, RV_ERROR_INPUT,
                        "What is kept of the wear has %zu numbers instead of %zu.", count,
                        rvi_wear_keep(w, NULL));
    tape t = {.in = numbers};
    pass_all(w, &t);
    return RV_OK;
}
