/* sph_device.c: a step of the water on a device, with the bits of the processor. The kernels are in
 * sph_places.cl and sph_pressure.cl.
 *
 * The particles stay on the device from step to step. The host finds how faces of the rock act on
 * the particles near them, decides how pressure is sought, and runs the sources; for views,
 * checkpoints and wear rvi_sph_fetch brings the particles back. sph_device_pressure.c seeks the
 * pressure. */
#include "water/sph_device_state.h"

#include "base/context.h"
#include "base/threads.h"
#include "device/device_group.h"

#include <string.h>

/* ---- Whether there ---- */

static void forget_arrays(rvi_sph *w, rvi_device *d) {
    void *arrays[RVI_SPH_ARRAYS];
    size_t count = rvi_sph_arrays(w, arrays);
    for (size_t i = 0; i < count; i++)
        rvi_device_forget(d, arrays[i], 1);
    void *own[] = {w->remote->terms, w->remote->faces};
    for (size_t i = 0; i < 2; i++)
        rvi_device_forget(d, own[i], 1);
    w->remote->rock_newer = true;
}

typedef struct device_array {
    const void *data;
    size_t size; /* bytes */
} device_array;

enum { DEVICE_ARRAYS = 64 };

static size_t add_array(const rvi_sph *w, device_array *out, size_t at, const void *array,
                        size_t size) {
    out[at] = (device_array){array, whole(w) * size};
    return at + 1;
}

static size_t add_particles(const rvi_sph *w, const rvi_sph_particles *p, device_array *out,
                            size_t at) {
    at = add_array(w, out, at, p->places, sizeof *p->places);
    at = add_array(w, out, at, p->speeds, sizeof *p->speeds);
    at = add_array(w, out, at, p->velocity_k, sizeof *p->velocity_k);
    at = add_array(w, out, at, p->displacement_k, sizeof *p->displacement_k);
    at = add_array(w, out, at, p->ages, sizeof *p->ages);
    at = add_array(w, out, at, p->sediments, sizeof *p->sediments);
    return add_array(w, out, at, p->numbers, sizeof *p->numbers);
}

/* All that a step needs there. */
static size_t list_arrays(const rvi_sph *w, device_array out[DEVICE_ARRAYS]) {
    const rvi_v4 *fours[] = {w->predicted, w->shift,        w->acceleration,     w->projected,
                             w->loads,     w->wall_density, w->wall_acceleration};
    const void *ones[] = {w->k,         w->direction,        w->clearance,    w->density,
                          w->diagonal,  w->residual,         w->ap,           w->pressure,
                          w->virial,    w->inverse_diagonal, w->cell_of,      w->order,
                          w->home_cell, w->neighbour_count,  w->column_count, w->nearest_face};
    const rvi_device_arg others[] = {cells(w, RVI_DEVICE_READ), columns(w, RVI_DEVICE_READ),
                                     gradients(w, RVI_DEVICE_READ), terms(w, RVI_DEVICE_READ),
                                     sums(w)};
    size_t at = add_particles(w, &w->next, out, add_particles(w, &w->particles, out, 0));
    for (size_t i = 0; i < sizeof fours / sizeof fours[0]; i++)
        at = add_array(w, out, at, fours[i], sizeof *fours[i]);
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        at = add_array(w, out, at, ones[i], sizeof(float));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        out[at++] = (device_array){others[i].memory, others[i].size};
    if (w->remote->faces != NULL)
        out[at++] = (device_array){w->remote->faces, w->remote->faces_room};
    return at;
}

void rvi_sph_device_destroy(rvi_sph *w) {
    rvi_sph_remote *r = w->remote;
    if (r == NULL)
        return;
    void *all[] = {r->terms, r->counters, r->scans[0], r->scans[1], r->faces, r};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(w->ctx, all[i]);
    w->remote = NULL;
}

static bool make_remote(rvi_sph *w) {
    if (w->remote != NULL)
        return true;
    const char *what = "the water on a device";
    rvi_sph_remote *r = rvi_alloc(w->ctx, 1, sizeof *r, what);
    if (r == NULL)
        return false;
    w->remote = r;
    size_t first = (cell_count(w) + RVI_SPH_CHUNK) / RVI_SPH_CHUNK,
           second = (first + RVI_SPH_CHUNK - 1) / RVI_SPH_CHUNK;
    *r = (rvi_sph_remote){.rock_newer = true, .appended = SIZE_MAX};
    r->terms = rvi_alloc(w->ctx, RVI_SPH_SUMS * whole(w), sizeof *r->terms, what);
    r->counters = rvi_alloc(w->ctx, RVI_SPH_COUNTERS, sizeof *r->counters, what);
    r->scans[0] = rvi_alloc(w->ctx, first, sizeof *r->scans[0], what);
    r->scans[1] = rvi_alloc(w->ctx, second, sizeof *r->scans[1], what);
    if (r->terms != NULL && r->counters != NULL && r->scans[0] != NULL && r->scans[1] != NULL)
        return true;
    rvi_sph_device_destroy(w);
    return false;
}

/* Room to say which cells of the rock's grid have faces near. */
static bool make_faces(rvi_sph *w) {
    rvi_sph_remote *r = w->remote;
    size_t count = w->rock.face_count > 0 ? rvi_wall_index_cell_count(&w->rock) : 0;
    if (count == r->faces_room)
        return true;
    rvi_free(w->ctx, r->faces);
    r->faces =
        count > 0 ? rvi_alloc(w->ctx, count, sizeof *r->faces, "the rock on a device") : NULL;
    r->faces_room = r->faces != NULL ? count : 0;
    r->rock_newer = true;
    return count == 0 || r->faces != NULL;
}

enum { TOLD_WEAK = 1, TOLD_ROOM = 2 };

/* Takes the memory there, if there is enough. */
static bool reserve(rvi_sph *w, rvi_device *d) {
    device_array arrays[DEVICE_ARRAYS];
    size_t count = list_arrays(w, arrays), largest = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        largest = arrays[i].size > largest ? arrays[i].size : largest;
        bytes += arrays[i].size;
    }
    bool fits = rvi_device_fits(d, largest, bytes, 0, true);
    for (size_t i = 0; i < count && fits; i++)
        fits = rvi_device_reserve(d, arrays[i].data, arrays[i].size) == RV_OK;
    if (!fits && (w->told & TOLD_ROOM) == 0) {
        w->told |= TOLD_ROOM;
        rvi_log(w->ctx, "the water runs on the processor: %s has no room for %s%s.",
                rvi_device_name(d), rvi_bytes_text(bytes).text,
                rvi_device_fits(d, 0, 0, 0, true) ? "" : ", or no doubles");
    }
    return fits;
}

rvi_device *rvi_sph_choose_device(rvi_sph *w) {
    rvi_device *d = rvi_device_of(w->ctx);
    if (d == NULL || w->count == 0)
        return NULL;
    if (w->desc.solver == RVI_SPH_WEAK) {
        if ((w->told & TOLD_WEAK) == 0)
            rvi_log(w->ctx, "the water runs on the processor: devices know only solver=project.");
        w->told |= TOLD_WEAK;
        return NULL;
    }
    if (make_remote(w) && make_faces(w) && reserve(w, d))
        return d;
    if (w->remote != NULL && !w->remote->used) /* what it has reserved */
        forget_arrays(w, d);
    return NULL;
}

/* ---- There and back ---- */

typedef struct kept_array {
    void *data;
    size_t size;
    unsigned kind;
} kept_array;

enum { KEPT = 7, SHOWN = 4 };

/* What belongs to particles from step to step. */
static void list_kept(const rvi_sph *w, kept_array out[KEPT]) {
    const rvi_sph_particles *p = &w->particles;
    const kept_array all[KEPT] = {
        {p->places, sizeof *p->places, RVI_SPH_PLACES},
        {p->speeds, sizeof *p->speeds, RVI_SPH_PLACES},
        {p->sediments, sizeof *p->sediments, RVI_SPH_SEDIMENTS},
        {p->velocity_k, sizeof *p->velocity_k, RVI_SPH_OTHERS},
        {p->displacement_k, sizeof *p->displacement_k, RVI_SPH_OTHERS},
        {p->ages, sizeof *p->ages, RVI_SPH_OTHERS},
        {p->numbers, sizeof *p->numbers, RVI_SPH_OTHERS},
    };
    memcpy(out, all, sizeof all);
}

rv_status rvi_sph_fetch(rvi_sph *w) {
    rvi_device *d = rvi_device_of(w->ctx);
    if (w->remote == NULL || !w->remote->used || d == NULL)
        return RV_OK;
    kept_array kept[KEPT];
    list_kept(w, kept);
    rv_status status = RV_OK;
    for (size_t i = 0; i < KEPT && status == RV_OK; i++)
        if ((w->remote->host_newer & kept[i].kind) == 0)
            status = rvi_device_fetch_first(d, kept[i].data, w->count * kept[i].size);
    void *shown[SHOWN] = {w->density, w->pressure, w->clearance, w->nearest_face};
    for (size_t i = 0; i < SHOWN && status == RV_OK; i++)
        status = rvi_device_fetch_first(d, shown[i], w->count * sizeof(float));
    return status;
}

void rvi_sph_changed(rvi_sph *w, unsigned what) {
    if (w->remote == NULL)
        return;
    w->remote->host_newer |= what;
    w->remote->listed = w->remote->listed && (what & RVI_SPH_OTHERS) == 0;
}

void rvi_sph_appended(rvi_sph *w, size_t particle) {
    if (w->remote == NULL)
        return;
    w->remote->appended = particle < w->remote->appended ? particle : w->remote->appended;
    w->remote->listed = false;
}

void rvi_sph_rock_changed(rvi_sph *w) {
    if (w->remote != NULL)
        w->remote->rock_newer = true;
}

/* The device gets what the host has changed or added. */
static rv_status send_changes(rvi_sph *w) {
    rvi_sph_remote *r = w->remote;
    kept_array kept[KEPT];
    list_kept(w, kept);
    rv_status status = RV_OK;
    for (size_t i = 0; i < KEPT && status == RV_OK; i++) {
        bool all = !r->used || (r->host_newer & kept[i].kind) != 0;
        size_t first = all ? 0 : r->appended < w->count ? r->appended : w->count;
        size_t size = kept[i].size, bytes = (w->count - first) * size;
        if (bytes > 0)
            status =
                rvi_device_send_part(w->device, kept[i].data, whole(w) * size, first * size, bytes);
    }
    if (status != RV_OK)
        return status;
    r->host_newer = 0;
    r->appended = SIZE_MAX;
    r->used = true;
    return RV_OK;
}

rv_status rvi_sph_leave_device(rvi_sph *w) {
    rvi_device *d = rvi_device_of(w->ctx);
    if (w->remote == NULL || !w->remote->used)
        return RV_OK;
    rv_status status = rvi_sph_fetch(w);
    if (status != RV_OK)
        return status;
    if (d != NULL)
        forget_arrays(w, d);
    w->remote->used = w->remote->listed = false;
    w->remote->host_newer = 0;
    memset(w->neighbour_count, 0, w->count * sizeof *w->neighbour_count); /* they were there */
    return RV_OK;
}

static rv_status fetch_counters(rvi_sph *w) {
    rv_status status = rvi_device_fetch(w->device, w->remote->counters);
    return status == RV_OK ? rvi_poll(w->ctx) : status;
}

static rv_status clear_counters(rvi_sph *w) {
    return rvi_device_zero(w->device, w->remote->counters,
                           RVI_SPH_COUNTERS * sizeof *w->remote->counters);
}

/* ---- The sort ---- */

static rv_status find_cells(rvi_sph *w, uint32_t count) {
    const rvi_device_arg args[] = {READ(w->particles.places), WRITE(w->cell_of),
                                   WRITE(w->home_cell),       cells(w, RVI_DEVICE_CHANGE),
                                   RVI_VALUE(w->rules),       RVI_VALUE(count)};
    rv_status status =
        rvi_device_zero(w->device, w->cell_start, (cell_count(w) + 1) * sizeof *w->cell_start);
    return status == RV_OK ? PLACES("sph_find_cells", count) : status;
}

typedef struct scan_level {
    uint32_t *numbers;
    uint32_t count;
} scan_level;

static rv_status add_up(rvi_sph *w, const scan_level *from, const scan_level *to) {
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, from->numbers, from->count * sizeof *from->numbers},
        {RVI_DEVICE_WRITE, to->numbers, to->count * sizeof *to->numbers},
        RVI_VALUE(from->count),
        RVI_VALUE(to->count),
    };
    return PLACES("sph_sum_cells", to->count);
}

static rv_status start_from(rvi_sph *w, const scan_level *level, const scan_level *above) {
    const uint32_t chunks = above != NULL ? above->count : 1;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_CHANGE, level->numbers, level->count * sizeof *level->numbers},
        {RVI_DEVICE_READ, above != NULL ? above->numbers : NULL,
         above != NULL ? above->count * sizeof *above->numbers : 0},
        RVI_VALUE(level->count),
        RVI_VALUE(chunks),
    };
    return PLACES("sph_start_cells", chunks);
}

/* Numbers of particles become the first of each cell. */
static rv_status start_cells(rvi_sph *w) {
    scan_level levels[3] = {{w->cell_start, (uint32_t)cell_count(w) + 1}};
    rv_status status = RV_OK;
    for (int l = 1; l < 3 && status == RV_OK; l++) {
        levels[l].numbers = w->remote->scans[l - 1];
        levels[l].count = (levels[l - 1].count + RVI_SPH_CHUNK - 1) / RVI_SPH_CHUNK;
        status = add_up(w, &levels[l - 1], &levels[l]);
    }
    for (int l = 2; l >= 0 && status == RV_OK; l--)
        status = start_from(w, &levels[l], l < 2 ? &levels[l + 1] : NULL);
    return status;
}

/* Before walls are sought, the memory of the nearest faces is free. */
static rv_status fill_cells(rvi_sph *w, uint32_t count) {
    const rvi_device_arg args[] = {READ(w->cell_of), READ(w->home_cell), cells(w, RVI_DEVICE_READ),
                                   WRITE(w->nearest_face), RVI_VALUE(count)};
    return PLACES("sph_fill_cells", count);
}

static rv_status reorder(rvi_sph *w, uint32_t count) {
    const rvi_sph_particles *from = &w->particles, *to = &w->next;
    const rvi_device_arg args[] = {READ(w->nearest_face),
                                   READ(w->cell_of),
                                   cells(w, RVI_DEVICE_READ),
                                   READ(from->places),
                                   READ(from->speeds),
                                   READ(from->velocity_k),
                                   READ(from->displacement_k),
                                   READ(from->ages),
                                   READ(from->sediments),
                                   READ(from->numbers),
                                   WRITE(to->places),
                                   WRITE(to->speeds),
                                   WRITE(to->velocity_k),
                                   WRITE(to->displacement_k),
                                   WRITE(to->ages),
                                   WRITE(to->sediments),
                                   WRITE(to->numbers),
                                   WRITE(w->home_cell),
                                   COUNTERS,
                                   LOCAL(RVI_DEVICE_GROUP * sizeof(uint32_t)),
                                   RVI_VALUE(w->rules),
                                   RVI_VALUE(count)};
    return PLACES("sph_reorder", count);
}

static float from_order(uint32_t bits) { /* in_order() of sph_places.cl, and back */
    float x;
    bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

rv_status rvi_sph_device_sort(rvi_sph *w) {
    const uint32_t count = (uint32_t)w->count, *counters = w->remote->counters;
    if (count == 0)
        return rvi_sph_sort(w);
    rv_status status = send_changes(w);
    if (status == RV_OK)
        status = clear_counters(w);
    if (status == RV_OK)
        status = find_cells(w, count);
    if (status == RV_OK)
        status = start_cells(w);
    if (status == RV_OK)
        status = fill_cells(w, count);
    if (status == RV_OK)
        status = reorder(w, count);
    if (status == RV_OK)
        status = fetch_counters(w);
    if (status != RV_OK)
        return status;
    rvi_sph_particles swap = w->particles;
    w->particles = w->next;
    w->next = swap;
    memcpy(&w->max_speed2, &counters[RVI_SPH_FASTEST], sizeof w->max_speed2);
    w->potential_range = (float)((double)from_order(counters[RVI_SPH_HIGHEST]) +
                                 (double)from_order(counters[RVI_SPH_LOWEST]));
    return RV_OK;
}

bool rvi_sph_device_leaves(const rvi_sph *w) {
    return w->remote->counters[RVI_SPH_LEAVES] != 0;
}

rv_status rvi_sph_device_show_cells(rvi_sph *w) {
    rv_status status = rvi_device_fetch_first(w->device, w->particles.places,
                                              w->count * sizeof *w->particles.places);
    return status == RV_OK ? rvi_device_fetch(w->device, w->cell_start) : status;
}

/* ---- Particles near rock ---- */

/* Particles that the host goes on with, side by side, in memory that is free in that part of a
 * step. */
typedef struct near_particles {
    rvi_sph *w;
    size_t count;
    uint32_t *which;
    rvi_v4 *places, *speeds;
    rvi_v4 *paths; /* of moves */
    /* Of walls. */
    rvi_v4 *density, *acceleration;
    float *clearance;
    uint32_t *face;
} near_particles;

static near_particles near_of(rvi_sph *w) {
    return (near_particles){.w = w,
                            .which = w->cell_of,
                            .places = w->loads,
                            .speeds = w->projected,
                            .paths = w->acceleration,
                            .density = w->predicted,
                            .acceleration = w->shift,
                            .clearance = w->residual,
                            .face = w->order};
}

static rv_status each_near(near_particles *n, void (*fn)(void *arg, int64_t block)) {
    return rvi_parallel(n->w->ctx, (int64_t)((n->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK), fn,
                        n);
}

static size_t end_of(const near_particles *n, int64_t block) {
    size_t end = ((size_t)block + 1) * RVI_SPH_BLOCK;
    return end < n->count ? end : n->count;
}

static rv_status fetch_near(near_particles *n, bool speeds, bool paths) {
    rvi_device *d = n->w->device;
    size_t bytes = n->count * sizeof *n->places;
    rv_status status = rvi_device_fetch_first(d, n->places, bytes);
    if (status == RV_OK && speeds)
        status = rvi_device_fetch_first(d, n->speeds, bytes);
    return status == RV_OK && paths ? rvi_device_fetch_first(d, n->paths, bytes) : status;
}

static rv_status send_near(near_particles *n, const void *array, size_t size) {
    return rvi_device_send_part(n->w->device, array, whole(n->w) * size, 0, n->count * size);
}

/* ---- Walls ---- */

enum { FACES_BLOCK = 8192 };

static void mark_faces(void *arg, int64_t block) {
    rvi_sph *w = arg;
    size_t count = rvi_wall_index_cell_count(&w->rock), end = ((size_t)block + 1) * FACES_BLOCK;
    for (size_t c = (size_t)block * FACES_BLOCK; c < count && c < end; c++)
        w->remote->faces[c] = w->rock.lists[c].count > 0;
}

/* Which cells have faces near, for the device. */
static rv_status send_faces(rvi_sph *w) {
    rvi_sph_remote *r = w->remote;
    size_t count = r->faces_room;
    if (!r->rock_newer || count == 0)
        return RV_OK;
    rv_status status =
        rvi_parallel(w->ctx, (int64_t)((count + FACES_BLOCK - 1) / FACES_BLOCK), mark_faces, w);
    if (status == RV_OK)
        status = rvi_device_send_part(w->device, r->faces, count, 0, count);
    r->rock_newer = status != RV_OK;
    return status;
}

static rv_status seek_walls(rvi_sph *w, const near_particles *n) {
    const uint32_t count = (uint32_t)w->count;
    const bool rock = w->rock.face_count > 0;
    const rvi_sph_wall_grid grid = {
        w->rock.per_cell, {w->rock.cells[0], w->rock.cells[1], w->rock.cells[2]}, rvi_sph_reach(w)};
    const rvi_device_arg args[] = {
        READ(w->particles.places),
        READ(w->particles.speeds),
        {RVI_DEVICE_READ, rock ? w->remote->faces : NULL, rock ? w->remote->faces_room : 0},
        WRITE(w->wall_density),
        WRITE(w->wall_acceleration),
        WRITE(w->clearance),
        WRITE(w->nearest_face),
        WRITE(n->which),
        WRITE(n->places),
        WRITE(n->speeds),
        COUNTERS,
        LOCAL(2 * sizeof(uint32_t)),
        RVI_VALUE(w->rules),
        RVI_VALUE(grid),
        RVI_VALUE(count)};
    return PLACES("sph_find_walls", count);
}

static void walls_of_block(void *arg, int64_t block) {
    const near_particles *n = arg;
    for (size_t k = (size_t)block * RVI_SPH_BLOCK; k < end_of(n, block); k++) {
        rvi_sph_near_walls near = rvi_sph_walls_at(n->w, n->places[k], n->speeds[k]);
        n->density[k] = near.density;
        n->acceleration[k] = near.acceleration;
        n->clearance[k] = near.clearance;
        n->face[k] = near.face;
    }
}

static rv_status put_walls(rvi_sph *w, near_particles *n) {
    const uint32_t count = (uint32_t)n->count;
    rv_status status = send_near(n, n->density, sizeof *n->density);
    if (status == RV_OK)
        status = send_near(n, n->acceleration, sizeof *n->acceleration);
    if (status == RV_OK)
        status = send_near(n, n->clearance, sizeof *n->clearance);
    if (status == RV_OK)
        status = send_near(n, n->face, sizeof *n->face);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {READ(n->which),
                                   READ(n->density),
                                   READ(n->acceleration),
                                   READ(n->clearance),
                                   READ(n->face),
                                   CHANGE(w->wall_density),
                                   CHANGE(w->wall_acceleration),
                                   CHANGE(w->clearance),
                                   CHANGE(w->nearest_face),
                                   RVI_VALUE(count)};
    return PLACES("sph_put_walls", count);
}

rv_status rvi_sph_device_walls(rvi_sph *w) {
    near_particles n = near_of(w);
    rv_status status = send_faces(w);
    if (status == RV_OK)
        status = seek_walls(w, &n);
    if (status != RV_OK || w->rock.face_count == 0)
        return status;
    status = fetch_counters(w);
    n.count = w->remote->counters[RVI_SPH_NEAR];
    if (status == RV_OK && n.count > 0)
        status = fetch_near(&n, w->rules.penalty_walls, false);
    if (status == RV_OK)
        status = each_near(&n, walls_of_block);
    return status == RV_OK && n.count > 0 ? put_walls(w, &n) : status;
}

/* ---- Moves ---- */

static rv_status move_free(rvi_sph *w, const near_particles *n, float dt) {
    const uint32_t count = (uint32_t)w->count;
    const rvi_sph_particles *from = &w->particles, *to = &w->next;
    const rvi_device_arg args[] = {READ(from->places),
                                   READ(w->predicted),
                                   READ(w->shift),
                                   READ(from->ages),
                                   READ(from->sediments),
                                   READ(from->numbers),
                                   WRITE(to->places),
                                   WRITE(to->speeds),
                                   WRITE(to->ages),
                                   WRITE(to->sediments),
                                   WRITE(to->numbers),
                                   CHANGE(w->clearance),
                                   WRITE(n->which),
                                   WRITE(n->places),
                                   WRITE(n->speeds),
                                   WRITE(n->paths),
                                   COUNTERS,
                                   LOCAL(2 * sizeof(uint32_t)),
                                   RVI_VALUE(w->rules),
                                   RVI_VALUE(dt),
                                   RVI_VALUE(count)};
    return PLACES("sph_move", count);
}

static void walk_block(void *arg, int64_t block) {
    const near_particles *n = arg;
    for (size_t k = (size_t)block * RVI_SPH_BLOCK; k < end_of(n, block); k++) {
        rvi_v4 at = n->places[k], v = n->speeds[k], path = n->paths[k];
        rvi_sph_walker g = {.at = {at[0], at[1], at[2]},
                            .speed = {v[0], v[1], v[2]},
                            .path = {path[0], path[1], path[2]}};
        rvi_sph_walk(n->w, &g);
        n->places[k] = (rvi_v4){g.at[0], g.at[1], g.at[2], 0};
        n->speeds[k] = (rvi_v4){g.speed[0], g.speed[1], g.speed[2], 0};
    }
}

static rv_status put_moves(rvi_sph *w, near_particles *n) {
    const uint32_t count = (uint32_t)n->count;
    rv_status status = send_near(n, n->places, sizeof *n->places);
    if (status == RV_OK)
        status = send_near(n, n->speeds, sizeof *n->speeds);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {READ(n->which),         READ(n->places),
                                   READ(n->speeds),        READ(w->particles.places),
                                   CHANGE(w->next.places), CHANGE(w->next.speeds),
                                   CHANGE(w->clearance),   RVI_VALUE(count)};
    return PLACES("sph_put_moves", count);
}

rv_status rvi_sph_device_move(rvi_sph *w, float dt) {
    near_particles n = near_of(w);
    rv_status status = clear_counters(w);
    if (status == RV_OK)
        status = move_free(w, &n, dt);
    if (status == RV_OK)
        status = fetch_counters(w);
    n.count = w->remote->counters[RVI_SPH_NEAR];
    if (status != RV_OK || n.count == 0)
        return status;
    status = fetch_near(&n, true, true);
    if (status == RV_OK)
        status = each_near(&n, walk_block);
    return status == RV_OK ? put_moves(w, &n) : status;
}

rv_status rvi_sph_device_check(rvi_sph *w, float fastest2, double *bad) {
    const uint32_t count = (uint32_t)w->count;
    const rvi_sph_particles *p = &w->next;
    const rvi_device_arg args[] = {READ(p->places),         READ(p->speeds),    READ(p->velocity_k),
                                   READ(p->displacement_k), READ(p->sediments), COUNTERS,
                                   RVI_VALUE(fastest2),     RVI_VALUE(count)};
    rv_status status = PLACES("sph_check", count);
    if (status == RV_OK)
        status = fetch_counters(w);
    *bad = (double)w->remote->counters[RVI_SPH_BAD];
    w->remote->listed = status == RV_OK;
    return status;
}

/* ---- Neighbours ---- */

static rv_status list(rvi_sph *w, uint32_t count) {
    const uint32_t stride = (uint32_t)w->stride;
    const rvi_device_arg args[] = {
        READ(w->particles.places),    cells(w, RVI_DEVICE_READ), READ(w->home_cell),
        columns(w, RVI_DEVICE_WRITE), WRITE(w->neighbour_count), COUNTERS,
        RVI_VALUE(w->rules),          RVI_VALUE(stride),         RVI_VALUE(count)};
    return PRESSURE("sph_list", count);
}

static rv_status prepare(rvi_sph *w, float dt, uint32_t count) {
    const uint32_t stride = (uint32_t)w->stride;
    const rvi_sph_pair pair = rvi_sph_pair_of(w);
    const rvi_device_arg args[] = {READ(w->particles.places),
                                   READ(w->particles.speeds),
                                   READ(w->wall_density),
                                   READ(w->wall_acceleration),
                                   READ(w->neighbour_count),
                                   columns(w, RVI_DEVICE_CHANGE),
                                   gradients(w, RVI_DEVICE_WRITE),
                                   WRITE(w->column_count),
                                   WRITE(w->density),
                                   WRITE(w->diagonal),
                                   WRITE(w->virial),
                                   WRITE(w->predicted),
                                   RVI_VALUE(w->rules),
                                   RVI_VALUE(pair),
                                   RVI_VALUE(dt),
                                   RVI_VALUE(stride),
                                   RVI_VALUE(count)};
    return PRESSURE("sph_prepare", count);
}

rv_status rvi_sph_device_list(rvi_sph *w, float dt, bool *listed) {
    const uint32_t count = (uint32_t)w->count;
    for (*listed = false; !*listed;) {
        rv_status status = list(w, count);
        if (status == RV_OK)
            status = prepare(w, dt, count);
        if (status == RV_OK)
            status = fetch_counters(w);
        size_t longest = w->remote->counters[RVI_SPH_LONGEST];
        *listed = longest <= w->stride;
        if (status == RV_OK && !*listed) {
            status = rvi_sph_resize_lists(w, rvi_sph_stride_for(longest));
            if (status == RV_OK && !reserve(w, w->device))
                return RV_OK;
        }
        if (status != RV_OK)
            return status;
    }
    return RV_OK;
}

/* ---- Sediment ---- */

bool rvi_sph_device_lists(const rvi_sph *w) {
    return w->remote != NULL && w->remote->listed && rvi_device_of(w->ctx) == w->device;
}

rv_status rvi_sph_device_drift(rvi_sph *w, const rvi_sph_drift_rules *d) {
    const uint32_t count = (uint32_t)w->count, stride = (uint32_t)w->stride;
    rv_status status = send_changes(w);
    if (status == RV_OK) {
        const rvi_device_arg args[] = {READ(w->particles.sediments), READ(w->neighbour_count),
                                       WRITE(w->loads), RVI_VALUE(*d), RVI_VALUE(count)};
        status = PRESSURE("sph_load", count);
    }
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {READ(w->particles.places),
                                   READ(w->loads),
                                   columns(w, RVI_DEVICE_READ),
                                   READ(w->neighbour_count),
                                   READ(w->particles.sediments),
                                   WRITE(w->next.sediments),
                                   RVI_VALUE(*d),
                                   RVI_VALUE(stride),
                                   RVI_VALUE(count)};
    return PRESSURE("sph_drift", count);
}
