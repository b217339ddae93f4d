/* texture.c: writes a picture for use in other programs (picture/maps.c). */
#include "base/text.h"
#include "formats/format.h"
#include "picture/maps.h"
#include "steps/step.h"

static rv_status draw(const rv_terrain *land, const rv_texture_params *p, unsigned char *bytes) {
    rvi_map how = {.down = p->y == RV_texture_y_down,
                   .z = p->z,
                   .reach = p->reach,
                   .limit = p->limit,
                   .snow = p->snow};
    switch (p->kind) {
    case RV_texture_kind_normal:
        return rvi_map_normal(land, &how, bytes);
    case RV_texture_kind_occlusion:
        return rvi_map_occlusion(land, &how, bytes);
    case RV_texture_kind_slope:
        return rvi_map_slope(land, &how, bytes);
    case RV_texture_kind_curvature:
        return rvi_map_curvature(land, &how, bytes);
    default:
        return rvi_map_splat(land, &how, bytes);
    }
}

/* Bytes a cell, the picture included, and some for what does not grow with the map. */
static size_t memory_of(const rv_terrain *land, int kind) {
    size_t each = kind == RV_texture_kind_occlusion   ? 18
                  : kind == RV_texture_kind_splat     ? 20
                  : kind == RV_texture_kind_curvature ? 5
                                                      : 3;
    return rvi_cells(land) * each + 262144;
}

rv_status rvi_step_texture(rvi_job *job, const rv_texture_params *p) {
    const rv_terrain *land = job->land;
    if (job->planning) {
        job->memory = memory_of(land, p->kind);
        return RV_OK;
    }
    if (!rvi_text_ends(p->file, ".png"))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a texture is a PNG, so its name must end in .png.", p->file);
    int channels = p->kind == RV_texture_kind_normal ? 3 : p->kind == RV_texture_kind_splat ? 4 : 1;
    unsigned char *bytes = rvi_alloc(job->ctx, rvi_cells(land), (size_t)channels, "a picture");
    if (!bytes)
        return RV_ERROR_MEMORY;
    rv_status status = draw(land, p, bytes);
    if (status == RV_OK)
        status =
            rvi_png_write_picture(job->ctx, p->file, land->width, land->height, channels, bytes);
    rvi_free(job->ctx, bytes);
    return status;
}
