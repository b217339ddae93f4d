/* ground.c: which cells of a terrain count when it is measured. */
#include "measure/ground.h"
#include "base/context.h"

#include <math.h>

rv_status rvi_ground_make(const rv_terrain *land, int border, rvi_ground *out) {
    *out = (rvi_ground){.ctx = land->ctx,
                        .width = land->width,
                        .height = land->height,
                        .cell = (double)land->cell,
                        .z = land->surface,
                        .low = NAN,
                        .high = NAN};
    out->kind = rvi_alloc(land->ctx, rvi_cells(land), 2, "which cells count");
    if (!out->kind)
        return RV_ERROR_MEMORY;
    out->counts = out->kind + rvi_cells(land);
    const float *hole = rvi_field_get(land, "hole");
    for (int y = 0; y < land->height; y++) {
        if (rvi_poll(land->ctx) != RV_OK) {
            rvi_ground_free(out);
            return RV_CANCELLED;
        }
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            bool inside =
                x >= border && y >= border && x < land->width - border && y < land->height - border;
            out->kind[i] = hole && hole[i] >= 0.5f ? RVI_HOLE : RVI_LAND;
            out->counts[i] = inside && out->kind[i] == RVI_LAND;
            if (!out->counts[i])
                continue;
            double z = (double)out->z[i];
            out->low = out->count == 0 || z < out->low ? z : out->low;
            out->high = out->count == 0 || z > out->high ? z : out->high;
            out->count++;
        }
    }
    return RV_OK;
}

void rvi_ground_free(rvi_ground *ground) {
    rvi_free(ground->ctx, ground->kind);
    ground->kind = ground->counts = NULL;
}

bool rvi_ground_whole(const rvi_ground *g, int x, int y) {
    if (x < 1 || y < 1 || x >= g->width - 1 || y >= g->height - 1)
        return false;
    const unsigned char *at = g->kind + (size_t)y * (size_t)g->width + (size_t)x;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (at[(ptrdiff_t)dy * g->width + dx] == RVI_HOLE)
                return false;
    return true;
}
