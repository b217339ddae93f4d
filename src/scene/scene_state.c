/* scene_state.c: all that the next frames of a scene depend on, to a checkpoint and back. */
#include "base/context.h"
#include "mesh/edit_archive.h"
#include "scene/scene.h"

/* ---- Wear ---- */

static rv_status checkpoint_wear(rvi_wear *wear, rv_context *ctx, rvi_archive_writer *to) {
    uint64_t count = rvi_wear_checkpoint(wear, NULL);
    double *numbers = rvi_alloc(ctx, (size_t)count, sizeof *numbers, "a checkpoint");
    if (numbers == NULL)
        return RV_ERROR_MEMORY;
    rvi_wear_checkpoint(wear, numbers);
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

/* ---- The scene ---- */

rv_status rvi_scene_checkpoint(const rvi_scene *s, rvi_archive_writer *to) {
    uint32_t has[2] = {s->rock != NULL, s->wear != NULL};
    rv_status status = rvi_archive_put(to, has, sizeof has);
    if (status == RV_OK && s->rock != NULL)
        status = rvi_edit_keep(s->rock, to);
    if (status == RV_OK)
        status = rvi_sph_checkpoint(s->water, s->frame, to);
    if (status == RV_OK && s->wear != NULL)
        status = checkpoint_wear(s->wear, s->ctx, to);
    return status;
}

static rv_status restore_rest(rvi_scene *s, bool worn, rvi_archive *from) {
    rv_status status = (s->wear != NULL) == worn ? rvi_sph_restore(s->water, &s->frame, from)
                                                 : rvi_archive_damaged(from);
    if (status == RV_OK && s->frame < 0)
        status = rvi_archive_damaged(from);
    if (status == RV_OK && worn)
        status = restore_wear(s->wear, s->ctx, from);
    return status == RV_OK ? rvi_archive_end(from) : status;
}

rv_status rvi_scene_restore(rv_context *ctx, const rvi_scene_desc *desc, rvi_archive *from,
                            rvi_scene **out) {
    uint32_t has[2] = {0};
    rvi_edit_mesh *rock = NULL;
    *out = NULL;
    rv_status status = rvi_archive_get(from, has, sizeof has);
    if (status == RV_OK && has[0])
        status = rvi_edit_restore(from, &rock);
    if (status == RV_OK)
        status = rvi_scene_start(ctx, desc, rock, false, out);
    if (status == RV_OK)
        status = restore_rest(*out, has[1] != 0, from);
    if (status != RV_OK) {
        rvi_scene_destroy(*out);
        *out = NULL;
    }
    return status;
}
