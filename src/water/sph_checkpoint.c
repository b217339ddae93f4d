/* sph_checkpoint.c: all that the next steps of the water depend on, as bytes and back. */
#include "water/sph_state.h"

#include <math.h>
#include <string.h>

typedef struct water_head {
    double time;
    int64_t frame; /* of the caller */
    uint64_t count, sources;
    uint32_t born;
    float step;
} water_head;

typedef struct source_head {
    uint64_t next;
    double due;
} source_head;

typedef struct particle_array {
    void *data;
    size_t size; /* of what there is for each particle */
} particle_array;

enum { ARRAYS = 8 };

/* All that a particle takes along; only the weak solver has the last one. */
static size_t list_arrays(const rvi_sph_particles *d, particle_array out[ARRAYS]) {
    const particle_array all[ARRAYS] = {{d->places, sizeof *d->places},
                                        {d->speeds, sizeof *d->speeds},
                                        {d->velocity_k, sizeof *d->velocity_k},
                                        {d->displacement_k, sizeof *d->displacement_k},
                                        {d->ages, sizeof *d->ages},
                                        {d->sediments, sizeof *d->sediments},
                                        {d->numbers, sizeof *d->numbers},
                                        {d->half_kicks, sizeof *d->half_kicks}};
    memcpy(out, all, sizeof all);
    return d->half_kicks != NULL ? ARRAYS : ARRAYS - 1;
}

rv_status rvi_sph_checkpoint(rvi_sph *w, int64_t frame, rvi_archive_writer *to) {
    water_head head = {w->time, frame, w->count, w->source_count, w->next_number, w->step};
    rv_status status = rvi_sph_fetch(w);
    if (status == RV_OK)
        status = rvi_archive_put(to, &head, sizeof head);
    particle_array arrays[ARRAYS];
    size_t count = list_arrays(&w->particles, arrays);
    for (size_t i = 0; i < count && status == RV_OK; i++)
        status = rvi_archive_put(to, arrays[i].data, w->count * arrays[i].size);
    for (size_t i = 0; i < w->source_count && status == RV_OK; i++) {
        source_head source = {w->sources[i].next, w->sources[i].due};
        status = rvi_archive_put(to, &source, sizeof source);
    }
    return status;
}

/* Are all places in the box and all numbers possible? */
static bool is_valid(const rvi_sph *w) {
    for (size_t i = 0; i < w->count; i++) {
        const rvi_v4 *at = &w->particles.places[i], *v = &w->particles.speeds[i];
        for (int k = 0; k < 3; k++)
            if (!((*at)[k] >= 0 && (*at)[k] <= w->size[k]) || !isfinite((*v)[k]) ||
                (w->particles.half_kicks != NULL && !isfinite(w->particles.half_kicks[i][k])))
                return false;
        if (!isfinite(w->particles.velocity_k[i]) || !isfinite(w->particles.displacement_k[i]) ||
            !(w->particles.sediments[i] >= 0) || !isfinite(w->particles.sediments[i]) ||
            !(w->particles.ages[i] >= 0) || !isfinite(w->particles.ages[i]) ||
            w->particles.numbers[i] >= w->next_number)
            return false;
    }
    return w->time >= 0 && isfinite(w->time) && w->step >= 0 && isfinite(w->step);
}

static rv_status restore_sources(rvi_sph *w, rvi_archive *from) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < w->source_count && status == RV_OK; i++) {
        source_head source;
        rvi_sph_source_state *s = &w->sources[i];
        status = rvi_archive_get(from, &source, sizeof source);
        if (status != RV_OK)
            return status;
        if (source.next >= rvi_sph_source_places(s) || !(source.due >= 0 && source.due <= 1e18))
            return rvi_archive_damaged(from);
        s->next = (size_t)source.next;
        s->due = source.due;
    }
    return status;
}

rv_status rvi_sph_restore(rvi_sph *w, int64_t *frame, rvi_archive *from) {
    water_head head;
    rv_status status = rvi_sph_leave_device(w);
    if (status == RV_OK)
        status = rvi_archive_get(from, &head, sizeof head);
    if (status != RV_OK)
        return status;
    if (head.count > w->capacity || head.sources != w->source_count)
        return rvi_archive_damaged(from);
    *frame = head.frame;
    w->count = (size_t)head.count;
    w->next_number = head.born;
    w->time = head.time;
    w->step = head.step;
    particle_array arrays[ARRAYS];
    size_t count = list_arrays(&w->particles, arrays);
    for (size_t i = 0; i < count && status == RV_OK; i++)
        status = rvi_archive_get(from, arrays[i].data, w->count * arrays[i].size);
    if (status == RV_OK && !is_valid(w))
        status = rvi_archive_damaged(from);
    return status == RV_OK ? restore_sources(w, from) : status;
}
