/* scene_state.c: all that the next frames of a scene depend on, as bytes and back. */
#include "base/context.h"
#include "mesh/edit_archive.h"
#include "scene/scene.h"
#include "water/sph_state.h"

#include <math.h>
#include <string.h>

/* ---- Water ---- */

typedef struct water_head {
    double time;
    int64_t frame;
    uint64_t count, springs;
    uint32_t born;
    float step;
} water_head;

typedef struct spring_state {
    uint64_t next;
    double due;
} spring_state;

typedef struct kept_array {
    void *data;
    size_t size; /* of what there is for each particle */
} kept_array;

enum { ARRAYS = 8 };

/* All that a particle takes along; the solver `project` has no halves. */
static size_t list_arrays(const rvi_drops *d, kept_array out[ARRAYS]) {
    const kept_array all[ARRAYS] = {
        {d->places, sizeof *d->places},       {d->speeds, sizeof *d->speeds},
        {d->pressures, sizeof *d->pressures}, {d->pushes, sizeof *d->pushes},
        {d->ages, sizeof *d->ages},           {d->sediments, sizeof *d->sediments},
        {d->numbers, sizeof *d->numbers},     {d->halves, sizeof *d->halves}};
    memcpy(out, all, sizeof all);
    return d->halves != NULL ? ARRAYS : ARRAYS - 1;
}

static rv_status keep_water(const rvi_scene *s, rvi_archive_writer *to) {
    const rvi_sph *w = s->water;
    water_head head = {w->time, s->frame, w->count, w->spring_count, w->born, w->step};
    rv_status status = rvi_archive_put(to, &head, sizeof head);
    kept_array arrays[ARRAYS];
    size_t many = list_arrays(&w->drops, arrays);
    for (size_t i = 0; i < many && status == RV_OK; i++)
        status = rvi_archive_put(to, arrays[i].data, w->count * arrays[i].size);
    for (size_t i = 0; i < w->spring_count && status == RV_OK; i++) {
        spring_state spring = {w->springs[i].next, w->springs[i].due};
        status = rvi_archive_put(to, &spring, sizeof spring);
    }
    return status;
}

/* Are all places in the box and all numbers numbers? */
static bool water_right(const rvi_sph *w) {
    for (size_t i = 0; i < w->count; i++) {
        const rvi_v4 *at = &w->drops.places[i], *v = &w->drops.speeds[i];
        for (int k = 0; k < 3; k++)
            if (!((*at)[k] >= 0 && (*at)[k] <= w->size[k]) || !isfinite((*v)[k]) ||
                (w->drops.halves != NULL && !isfinite(w->drops.halves[i][k])))
                return false;
        if (!isfinite(w->drops.pressures[i]) || !isfinite(w->drops.pushes[i]) ||
            !(w->drops.sediments[i] >= 0) || !(w->drops.ages[i] >= 0) ||
            w->drops.numbers[i] >= w->born)
            return false;
    }
    return isfinite(w->time) && w->step >= 0 && isfinite(w->step);
}

static rv_status restore_springs(rvi_sph *w, rvi_archive *from) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < w->spring_count && status == RV_OK; i++) {
        spring_state spring;
        rvi_spring *s = &w->springs[i];
        status = rvi_archive_get(from, &spring, sizeof spring);
        if (status != RV_OK)
            return status;
        size_t places = (size_t)s->counts[0] * (size_t)s->counts[1] * (size_t)s->counts[2];
        if (spring.next >= places || !(spring.due >= 0 && spring.due <= 1e18))
            return rvi_archive_damaged(from);
        s->next = (size_t)spring.next;
        s->due = spring.due;
    }
    return status;
}

static rv_status restore_water(rvi_scene *s, const water_head *head, rvi_archive *from) {
    rvi_sph *w = s->water;
    if (head->count > w->room || head->springs != w->spring_count || head->frame < 0)
        return rvi_archive_damaged(from);
    w->count = (size_t)head->count;
    w->born = head->born;
    w->time = head->time;
    w->step = head->step;
    s->frame = head->frame;
    kept_array arrays[ARRAYS];
    size_t many = list_arrays(&w->drops, arrays);
    rv_status status = RV_OK;
    for (size_t i = 0; i < many && status == RV_OK; i++)
        status = rvi_archive_get(from, arrays[i].data, w->count * arrays[i].size);
    if (status == RV_OK && !water_right(w))
        status = rvi_archive_damaged(from);
    return status == RV_OK ? restore_springs(w, from) : status;
}

/* ---- Wear ---- */

static rv_status keep_wear(rvi_wear *wear, rv_context *ctx, rvi_archive_writer *to) {
    uint64_t count = rvi_wear_keep(wear, NULL);
    double *numbers = rvi_alloc(ctx, (size_t)count, sizeof *numbers, "a checkpoint");
    if (numbers == NULL)
        return RV_ERROR_MEMORY;
    rvi_wear_keep(wear, numbers);
    rv_status status = rvi_archive_put(to, &count, sizeof count);
    if (status == RV_OK)
        status = rvi_archive_put(to, numbers, (size_t)count * sizeof *numbers);
    rvi_free(ctx, numbers);
    return status;
}

static rv_status restore_wear(rvi_wear *wear, rv_context *ctx, rvi_archive *from) {
    size_t count;
    rv_status status = rvi_archive_get_count(from, sizeof(double), &count);
    if (status != RV_OK)
        return status;
    double *numbers = rvi_alloc(ctx, count + 1, sizeof *numbers, "a checkpoint");
    status =
        numbers != NULL ? rvi_archive_get(from, numbers, count * sizeof *numbers) : RV_ERROR_MEMORY;
    if (status == RV_OK && rvi_wear_restore(wear, numbers, count) != RV_OK)
        status = rvi_archive_damaged(from);
    rvi_free(ctx, numbers);
    return status;
}

/* ---- All ---- */

rv_status rvi_scene_keep(const rvi_scene *s, rvi_archive_writer *to) {
    uint32_t has[2] = {s->skin != NULL, s->wear != NULL};
    rv_status status = rvi_archive_put(to, has, sizeof has);
    if (status == RV_OK && s->skin != NULL)
        status = rvi_edit_keep(s->skin, to);
    if (status == RV_OK)
        status = keep_water(s, to);
    if (status == RV_OK && s->wear != NULL)
        status = keep_wear(s->wear, s->ctx, to);
    return status;
}

static rv_status restore_rest(rvi_scene *s, bool worn, rvi_archive *from) {
    water_head head;
    rv_status status = (s->wear != NULL) == worn ? rvi_archive_get(from, &head, sizeof head)
                                                 : rvi_archive_damaged(from);
    if (status == RV_OK)
        status = restore_water(s, &head, from);
    if (status == RV_OK && worn)
        status = restore_wear(s->wear, s->ctx, from);
    return status == RV_OK ? rvi_archive_end(from) : status;
}

rv_status rvi_scene_restore(rv_context *ctx, const rvi_scene_desc *desc, rvi_archive *from,
                            rvi_scene **out) {
    uint32_t has[2] = {0};
    rvi_edit_mesh *skin = NULL;
    *out = NULL;
    rv_status status = rvi_archive_get(from, has, sizeof has);
    if (status == RV_OK && has[0])
        status = rvi_edit_restore(from, &skin);
    if (status == RV_OK)
        status = rvi_scene_start(ctx, desc, skin, false, out);
    if (status == RV_OK)
        status = restore_rest(*out, has[1] != 0, from);
    if (status != RV_OK) {
        rvi_scene_destroy(*out);
        *out = NULL;
    }
    return status;
}
