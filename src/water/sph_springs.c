/* sph_springs.c: water that comes and water that goes. */
#include "water/sph_state.h"

#include "base/context.h"
#include "base/sort.h"

static void spring_place(const rvi_sph *w, const rvi_spring *s, size_t number, float out[3]) {
    size_t at[3] = {number % (size_t)s->counts[0],
                    number / (size_t)s->counts[0] % (size_t)s->counts[1],
                    number / (size_t)s->counts[0] / (size_t)s->counts[1]};
    for (int i = 0; i < 3; i++)
        out[i] = s->low[i] + ((float)at[i] + 0.5f) * w->desc.spacing;
}

static size_t spring_places(const rvi_spring *s) {
    return (size_t)s->counts[0] * (size_t)s->counts[1] * (size_t)s->counts[2];
}

rv_status rvi_sph_add_source(rvi_sph *w, const rvi_sph_source *source) {
    rvi_spring s = {.is = *source};
    for (int i = 0; i < 3; i++) {
        double count = source->size[i] / (double)w->desc.spacing;
        if (!(count >= 0 && count < 1000) || !(source->rate >= 0 && source->rate < 1e12))
            return rvi_fail(w->ctx, RV_ERROR_USAGE,
                            "A source has a size of 0 to 1000 spacings and a rate of 0 or more.");
        s.low[i] = (float)(source->low[i] - w->desc.low[i]);
        s.counts[i] = count >= 1 ? (int)(count + 1e-6) : 1;
    }
    for (size_t k = 0; k < spring_places(&s); k++) {
        float at[3];
        spring_place(w, &s, k, at);
        if (rvi_sph_in_rock(w, at))
            return rvi_fail(w->ctx, RV_ERROR_USAGE,
                            "The source around (%g, %g, %g) reaches into the rock or out of the "
                            "box.",
                            source->low[0] + source->size[0] / 2,
                            source->low[1] + source->size[1] / 2,
                            source->low[2] + source->size[2] / 2);
        rv_status status = rvi_poll(w->ctx);
        if (status != RV_OK)
            return status;
    }
    rvi_spring *springs =
        rvi_alloc(w->ctx, w->spring_count + 1, sizeof *springs, "the sources of water");
    if (springs == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->spring_count; i++)
        springs[i] = w->springs[i];
    springs[w->spring_count++] = s;
    rvi_free(w->ctx, w->springs);
    w->springs = springs;
    return RV_OK;
}

/* ---- Going ---- */

static void tell_gone(const rvi_sph *w, size_t i) {
    rvi_v4 at = w->drops.places[i];
    rvi_sph_gone gone = {
        .number = w->drops.numbers[i], .age = w->drops.ages[i], .sediment = w->drops.sediments[i]};
    for (int k = 0; k < 3; k++)
        gone.at[k] = w->desc.low[k] + (double)at[k];
    if (w->tell != NULL)
        w->tell(w->user, &gone);
}

static void keep(rvi_drops *d, size_t to, size_t from) {
    d->places[to] = d->places[from];
    d->speeds[to] = d->speeds[from];
    if (d->halves != NULL)
        d->halves[to] = d->halves[from];
    d->pressures[to] = d->pressures[from];
    d->pushes[to] = d->pushes[from];
    d->ages[to] = d->ages[from];
    d->sediments[to] = d->sediments[from];
    d->numbers[to] = d->numbers[from];
}

/* What is known of each since the last step goes along; lists of neighbours do not. */
static void close_up(rvi_sph *w, const uint8_t *leaves) {
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (leaves[i])
            continue;
        keep(&w->drops, kept, i);
        w->fill[kept] = w->fill[i];
        w->pascals[kept] = w->pascals[i];
        w->near_count[kept++] = 0;
    }
    w->count = kept;
}

void rvi_sph_remove(rvi_sph *w, const uint8_t *leaves) {
    for (size_t i = 0; i < w->count; i++)
        if (leaves[i])
            tell_gone(w, i);
    close_up(w, leaves);
}

/* Numbers tell who came first: the `many` lowest go. */
static rv_status remove_oldest(rvi_sph *w, size_t many) {
    rvi_keyed *keys = rvi_alloc(w->ctx, w->count, sizeof *keys, "the ages of particles");
    uint8_t *leaves = rvi_alloc(w->ctx, w->count, sizeof *leaves, "the ages of particles");
    rv_status status = keys != NULL && leaves != NULL ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->count && status == RV_OK; i++)
        keys[i] = (rvi_keyed){w->drops.numbers[i], (uint32_t)i};
    if (status == RV_OK)
        status = rvi_sort(w->ctx, keys, w->count);
    if (status == RV_OK) {
        for (size_t k = 0; k < many; k++) {
            tell_gone(w, keys[k].value);
            leaves[keys[k].value] = 1;
        }
        close_up(w, leaves);
    }
    rvi_free(w->ctx, keys);
    rvi_free(w->ctx, leaves);
    return status;
}

static bool at_open_side(const rvi_sph *w, rvi_v4 at) {
    for (int i = 0; i < 3; i++)
        if ((w->desc.open[i][0] && at[i] <= 0) || (w->desc.open[i][1] && at[i] >= w->size[i]))
            return true;
    return false;
}

/* Those that the last step has brought to an open side. */
static rv_status leave_box(rvi_sph *w, bool *changed) {
    size_t many = 0, sides = 0;
    for (int i = 0; i < 3; i++)
        sides += (size_t)w->desc.open[i][0] + (size_t)w->desc.open[i][1];
    for (size_t i = 0; i < w->count && sides > 0; i++)
        many += at_open_side(w, w->drops.places[i]);
    if (many == 0)
        return RV_OK;
    uint8_t *leaves = rvi_alloc(w->ctx, w->count, sizeof *leaves, "particles that leave");
    if (leaves == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->count; i++)
        leaves[i] = at_open_side(w, w->drops.places[i]);
    rvi_sph_remove(w, leaves);
    rvi_free(w->ctx, leaves);
    *changed = true;
    return RV_OK;
}

/* ---- Coming ---- */

typedef struct newcomers {
    float (*at)[3];
    size_t *spring;
    size_t count, most;
    size_t others; /* those who may be too near; those of one source are a spacing apart */
} newcomers;

/* The rock may have grown into the source. */
static bool apart(const rvi_sph *w, const newcomers *n, const float at[3]) {
    float room = RVI_SPH_ROOM * w->desc.spacing;
    for (size_t k = 0; k < n->others; k++) {
        float sum = 0;
        for (int i = 0; i < 3; i++)
            sum += (n->at[k][i] - at[i]) * (n->at[k][i] - at[i]);
        if (sum < room * room)
            return false;
    }
    return rvi_sph_free_at(w, at, room) && !rvi_sph_in_rock(w, at);
}

/* Could particles of two sources be in each other's way? */
static bool meet(const rvi_sph *w, const rvi_spring *a, const rvi_spring *b) {
    float s = w->desc.spacing;
    for (int i = 0; i < 3; i++)
        if (a->low[i] > b->low[i] + s * (float)(b->counts[i] + 1) ||
            b->low[i] > a->low[i] + s * (float)(a->counts[i] + 1))
            return false;
    return true;
}

/* Each place of the block is tried once at most; what finds no room is not made up for later. */
static rv_status try_places(rvi_sph *w, size_t number, newcomers *n) {
    rvi_spring *s = &w->springs[number];
    size_t places = spring_places(s);
    n->others = 0;
    for (size_t k = 0; k < number; k++)
        n->others = meet(w, s, &w->springs[k]) ? n->count : n->others;
    for (size_t tries = 0; tries < places && s->due >= 1 && n->count < n->most; tries++) {
        float at[3];
        rv_status status = rvi_poll(w->ctx);
        if (status != RV_OK)
            return status;
        spring_place(w, s, s->next, at);
        s->next = (s->next + 1) % places;
        if (!apart(w, n, at))
            continue;
        for (int i = 0; i < 3; i++)
            n->at[n->count][i] = at[i];
        n->spring[n->count++] = number;
        s->due -= 1;
    }
    s->due = s->due > 1 ? 1 : s->due;
    return RV_OK;
}

static rv_status let_in(rvi_sph *w, const newcomers *n) {
    size_t room = w->desc.most - w->count;
    rv_status status = n->count > room ? remove_oldest(w, n->count - room) : RV_OK;
    for (size_t k = 0; k < n->count && status == RV_OK; k++)
        status = rvi_sph_place(w, n->at[k], w->springs[n->spring[k]].is.speed, 0.0);
    return status;
}

/* At most as many as there may be in all come in one step. The places of those that leave are free
 * in the next. */
rv_status rvi_sph_pour(rvi_sph *w, float dt, bool *changed) {
    size_t most = 0;
    *changed = false;
    for (size_t i = 0; i < w->spring_count; i++) {
        w->springs[i].due += w->springs[i].is.rate * (double)dt;
        most += w->springs[i].due >= 1 ? spring_places(&w->springs[i]) : 0;
    }
    most = most < w->desc.most ? most : w->desc.most;
    if (most == 0)
        return leave_box(w, changed);
    newcomers n = {.most = most};
    n.at = rvi_alloc(w->ctx, most, sizeof *n.at, "new particles");
    n.spring = rvi_alloc(w->ctx, most, sizeof *n.spring, "new particles");
    rv_status status = n.at != NULL && n.spring != NULL ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->spring_count && status == RV_OK; i++)
        status = try_places(w, i, &n);
    if (status == RV_OK && n.count > 0) {
        status = let_in(w, &n);
        *changed = true;
    }
    rvi_free(w->ctx, n.at);
    rvi_free(w->ctx, n.spring);
    return status == RV_OK ? leave_box(w, changed) : status;
}
