/* sph_sources.c: new particles come from sources, and particles leave. */
#include "water/sph_state.h"

#include "base/context.h"
#include "base/sort.h"

static void source_place(const rvi_sph *w, const rvi_sph_source_state *s, size_t number,
                         float out[3]) {
    size_t at[3] = {number % (size_t)s->counts[0],
                    number / (size_t)s->counts[0] % (size_t)s->counts[1],
                    number / (size_t)s->counts[0] / (size_t)s->counts[1]};
    for (int i = 0; i < 3; i++)
        out[i] = s->low[i] + ((float)at[i] + 0.5f) * w->desc.spacing;
}

size_t rvi_sph_source_places(const rvi_sph_source_state *s) {
    return (size_t)s->counts[0] * (size_t)s->counts[1] * (size_t)s->counts[2];
}

rv_status rvi_sph_add_source(rvi_sph *w, const rvi_sph_source *source) {
    rvi_sph_source_state s = {.desc = *source};
    for (int i = 0; i < 3; i++) {
        double count = source->size[i] / (double)w->desc.spacing;
        if (!(count >= 0 && count < 1000) || !(source->rate >= 0 && source->rate < 1e12))
            return rvi_fail(
                w->ctx, RV_ERROR_USAGE,
                "A source needs sides of 0 to 1000 spacings and a rate of 0 to 1e12 particles a "
                "second.");
        s.low[i] = (float)(source->low[i] - w->desc.low[i]);
        s.counts[i] = count >= 1 ? (int)(count + 1e-6) : 1;
    }
    for (size_t k = 0; k < rvi_sph_source_places(&s); k++) {
        float at[3];
        source_place(w, &s, k, at);
        if (rvi_sph_in_rock(w, at))
            return rvi_fail(w->ctx, RV_ERROR_USAGE,
                            "The source around (%g, %g, %g) reaches into the rock or out of the "
                            "box.",
                            source->low[0] + source->size[0] / 2 + w->desc.origin[0],
                            source->low[1] + source->size[1] / 2 + w->desc.origin[1],
                            source->low[2] + source->size[2] / 2 + w->desc.origin[2]);
        rv_status status = rvi_poll(w->ctx);
        if (status != RV_OK)
            return status;
    }
    rvi_sph_source_state *sources =
        rvi_alloc(w->ctx, w->source_count + 1, sizeof *sources, "the sources of water");
    if (sources == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->source_count; i++)
        sources[i] = w->sources[i];
    sources[w->source_count++] = s;
    rvi_free(w->ctx, w->sources);
    w->sources = sources;
    return RV_OK;
}

void rvi_sph_pulse_source(rvi_sph *w, size_t number, bool on) {
    rvi_sph_source_state *s = &w->sources[number];
    s->due = on ? (double)rvi_sph_source_places(s) : 0;
}

/* ---- Particles that leave ---- */

static void tell_gone(const rvi_sph *w, size_t i) {
    rvi_v4 at = w->particles.places[i];
    rvi_sph_gone gone = {.number = w->particles.numbers[i],
                         .age = w->particles.ages[i],
                         .sediment = w->particles.sediments[i]};
    for (int k = 0; k < 3; k++)
        gone.at[k] = w->desc.low[k] + (double)at[k];
    if (w->on_gone != NULL)
        w->on_gone(w->on_gone_user, &gone);
}

static void copy_particle(rvi_sph_particles *d, size_t to, size_t from) {
    d->places[to] = d->places[from];
    d->speeds[to] = d->speeds[from];
    if (d->half_kicks != NULL)
        d->half_kicks[to] = d->half_kicks[from];
    d->velocity_k[to] = d->velocity_k[from];
    d->displacement_k[to] = d->displacement_k[from];
    d->ages[to] = d->ages[from];
    d->sediments[to] = d->sediments[from];
    d->numbers[to] = d->numbers[from];
}

/* Density and pressure of the last step stay known; the lists of neighbours do not. */
static void compact(rvi_sph *w, const uint8_t *leaves) {
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (leaves[i])
            continue;
        copy_particle(&w->particles, kept, i);
        w->density[kept] = w->density[i];
        w->pressure[kept] = w->pressure[i];
        w->neighbour_count[kept++] = 0;
    }
    w->count = kept;
    rvi_sph_changed(w, RVI_SPH_ALL);
}

void rvi_sph_remove(rvi_sph *w, const uint8_t *leaves) {
    for (size_t i = 0; i < w->count; i++)
        if (leaves[i])
            tell_gone(w, i);
    compact(w, leaves);
}

/* The particles with the `count` lowest numbers, which came first, leave. */
static rv_status remove_oldest(rvi_sph *w, size_t count) {
    rvi_keyed *keys = rvi_alloc(w->ctx, w->count, sizeof *keys, "the ages of particles");
    uint8_t *leaves = rvi_alloc(w->ctx, w->count, sizeof *leaves, "the ages of particles");
    rv_status status = keys != NULL && leaves != NULL ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->count && status == RV_OK; i++)
        keys[i] = (rvi_keyed){w->particles.numbers[i], (uint32_t)i};
    if (status == RV_OK)
        status = rvi_sort(w->ctx, keys, w->count);
    if (status == RV_OK) {
        for (size_t k = 0; k < count; k++) {
            tell_gone(w, keys[k].value);
            leaves[keys[k].value] = 1;
        }
        compact(w, leaves);
    }
    rvi_free(w->ctx, keys);
    rvi_free(w->ctx, leaves);
    return status;
}

static bool at_open_side(const rvi_sph *w, rvi_v4 at) {
    return rvi_sph_at_open_side(&w->rules, (const float[3]){at[0], at[1], at[2]});
}

/* Tells of those that leave in the order of cells, in which new ones come last. */
static rv_status tell_by_cells(const rvi_sph *w, const uint8_t *leaves, size_t count,
                               size_t first_new) {
    rvi_keyed *keys = rvi_alloc(w->ctx, count, sizeof *keys, "particles that leave");
    if (keys == NULL)
        return RV_ERROR_MEMORY;
    size_t found = 0;
    for (size_t i = 0; i < w->count; i++)
        if (leaves[i]) {
            uint64_t cell = rvi_sph_cell_number(w, w->particles.places[i]);
            keys[found++] = (rvi_keyed){i < first_new ? cell : UINT64_MAX, (uint32_t)i};
        }
    rv_status status = rvi_sort(w->ctx, keys, count);
    for (size_t k = 0; k < count && status == RV_OK; k++)
        tell_gone(w, keys[k].value);
    rvi_free(w->ctx, keys);
    return status;
}

/* Removes the particles that the last step has brought to an open side. */
static rv_status leave_box(rvi_sph *w, size_t first_new, bool *sorted) {
    size_t count = 0, sides = 0;
    for (int i = 0; i < 3; i++)
        sides += (size_t)w->desc.open[i][0] + (size_t)w->desc.open[i][1];
    for (size_t i = 0; i < w->count && sides > 0; i++)
        count += at_open_side(w, w->particles.places[i]);
    if (count == 0)
        return RV_OK;
    uint8_t *leaves = rvi_alloc(w->ctx, w->count, sizeof *leaves, "particles that leave");
    if (leaves == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < w->count; i++)
        leaves[i] = at_open_side(w, w->particles.places[i]);
    rv_status status = tell_by_cells(w, leaves, count, first_new);
    if (status == RV_OK)
        compact(w, leaves);
    rvi_free(w->ctx, leaves);
    *sorted = false;
    return status;
}

/* ---- Particles that come ---- */

typedef struct new_particles {
    float (*at)[3];
    size_t *source;
    size_t count, most;
    size_t others; /* how many of them, the first ones, may be too near */
    bool sorted;   /* do the others stand in the order of their cells? If not: */
    size_t near;   /* how many, in `order`, are near the source, */
    size_t looked; /* and how many have been looked at so far */
} new_particles;

/* A few places are free of few particles. Where there are many of both, the particles are sorted
 * into cells first. */
static rv_status look_at(rvi_sph *w, new_particles *n, size_t count) {
    n->looked += count;
    if (n->sorted || n->looked <= 8 * w->count)
        return RV_OK;
    n->sorted = true;
    return rvi_sph_sort(w);
}

static rv_status list_near(rvi_sph *w, const rvi_sph_source_state *s, new_particles *n) {
    rv_status status = look_at(w, n, w->count);
    float spacing = w->desc.spacing;
    n->near = 0;
    for (size_t i = 0; i < w->count && !n->sorted; i++) {
        rvi_v4 p = w->particles.places[i];
        bool near = true;
        for (int k = 0; k < 3 && near; k++)
            near = p[k] > s->low[k] - spacing &&
                   p[k] < s->low[k] + spacing * (float)(s->counts[k] + 1);
        w->order[n->near] = (uint32_t)i;
        n->near += near;
    }
    return status;
}

/* Is there room for a particle? The rock may have grown into the source. */
static bool has_room(const rvi_sph *w, const new_particles *n, const float at[3]) {
    float room = RVI_SPH_ROOM * w->desc.spacing;
    for (size_t k = 0; k < n->others; k++) {
        float sum = 0;
        for (int i = 0; i < 3; i++)
            sum += (n->at[k][i] - at[i]) * (n->at[k][i] - at[i]);
        if (sum < room * room)
            return false;
    }
    return (n->sorted ? rvi_sph_is_free(w, at, room)
                      : rvi_sph_is_free_of(w, w->order, n->near, at, room)) &&
           !rvi_sph_in_rock(w, at);
}

/* Could particles of two sources come too near to each other? */
static bool are_near(const rvi_sph *w, const rvi_sph_source_state *a,
                     const rvi_sph_source_state *b) {
    float s = w->desc.spacing;
    for (int i = 0; i < 3; i++)
        if (a->low[i] > b->low[i] + s * (float)(b->counts[i] + 1) ||
            b->low[i] > a->low[i] + s * (float)(a->counts[i] + 1))
            return false;
    return true;
}

/* Each place of the block is tried at most once; particles that find no room do not come later. */
static rv_status try_places(rvi_sph *w, size_t number, new_particles *n) {
    rvi_sph_source_state *s = &w->sources[number];
    size_t places = rvi_sph_source_places(s);
    rv_status status = s->due >= 1 ? list_near(w, s, n) : RV_OK;
    n->others = 0;
    for (size_t k = 0; k < number; k++)
        n->others = are_near(w, s, &w->sources[k]) ? n->count : n->others;
    for (size_t tries = 0; tries < places && s->due >= 1 && n->count < n->most; tries++) {
        float at[3];
        if (status == RV_OK)
            status = rvi_poll(w->ctx);
        if (status == RV_OK)
            status = look_at(w, n, n->near);
        if (status != RV_OK)
            return status;
        source_place(w, s, s->next, at);
        s->next = (s->next + 1) % places;
        if (!has_room(w, n, at))
            continue;
        for (int i = 0; i < 3; i++)
            n->at[n->count][i] = at[i];
        n->source[n->count++] = number;
        s->due -= 1;
    }
    s->due = s->due > 1 ? 1 : s->due;
    return status;
}

static rv_status add_new_particles(rvi_sph *w, const new_particles *n) {
    size_t room = w->desc.most - w->count;
    rv_status status = n->count > room ? remove_oldest(w, n->count - room) : RV_OK;
    for (size_t k = 0; k < n->count && status == RV_OK; k++)
        status = rvi_sph_append(w, n->at[k], w->sources[n->source[k]].desc.speed, 0.0);
    return status;
}

/* Do particles leave, of those that are there and those that come? */
static bool some_leave(const rvi_sph *w, const new_particles *n) {
    bool leaves = rvi_sph_device_leaves(w) || n->count > w->desc.most - w->count;
    for (size_t k = 0; k < n->count && !leaves; k++)
        leaves = rvi_sph_at_open_side(&w->rules, n->at[k]);
    return leaves;
}

/* Those for which there is room come, and those at open sides leave. On a device the host sees all
 * of the particles only if some leave. */
static rv_status exchange(rvi_sph *w, new_particles *n, bool *sorted) {
    rv_status status = w->device != NULL && n->most > 0 ? rvi_sph_device_show_cells(w) : RV_OK;
    for (size_t i = 0; i < w->source_count && status == RV_OK && n->most > 0; i++)
        status = try_places(w, i, n);
    bool all = w->device == NULL || some_leave(w, n);
    if (status == RV_OK && all)
        status = rvi_sph_fetch(w);
    if (status == RV_OK && n->count > 0) {
        status = add_new_particles(w, n);
        n->sorted = false;
    }
    if (status == RV_OK && all)
        status = leave_box(w, w->count - n->count, &n->sorted);
    *sorted = n->sorted;
    return status;
}

/* In one step no more particles come than there may be in all. The places of those that leave are
 * free in the next step. */
rv_status rvi_sph_run_sources(rvi_sph *w, float dt, bool *sorted) {
    size_t most = 0;
    for (size_t i = 0; i < w->source_count; i++) {
        w->sources[i].due += w->sources[i].desc.rate * (double)dt;
        most += w->sources[i].due >= 1 ? rvi_sph_source_places(&w->sources[i]) : 0;
    }
    new_particles n = {.most = most < w->desc.most ? most : w->desc.most, .sorted = *sorted};
    n.at = n.most > 0 ? rvi_alloc(w->ctx, n.most, sizeof *n.at, "new particles") : NULL;
    n.source = n.most > 0 ? rvi_alloc(w->ctx, n.most, sizeof *n.source, "new particles") : NULL;
    bool room = n.most == 0 || (n.at != NULL && n.source != NULL);
    rv_status status = room ? exchange(w, &n, sorted) : RV_ERROR_MEMORY;
    rvi_free(w->ctx, n.at);
    rvi_free(w->ctx, n.source);
    return status;
}
