/* erosion_factor.c: the grids of the erosion factor (see erosion_factor.h). */
#include "wear/erosion_factor.h"
#include "base/threads.h"
#include "wear/factor_cell.h"

#include <string.h>

_Static_assert(offsetof(rvi_hardness_volume, values) == sizeof(rvi_volume_law),
               "a volume begins with its law");

rvi_factor_shape rvi_factor_map(const rv_terrain *land) {
    return (rvi_factor_shape){.stride = (size_t)land->width, .count = rvi_cells(land)};
}

/* Erodibility of bare bedrock. */
static float bare_factor(const rv_terrain *land, const rvi_factor_shape *shape) {
    return land->layer_count == 1 && !shape->by_layer ? land->layers[0].erodibility : 1.0f;
}

void rvi_factor_list(rvi_job *job, const rvi_factor_shape *shape, rvi_erosion_factor *out) {
    const rv_terrain *land = job->land;
    *out = (rvi_erosion_factor){.land = land, .volume = rvi_volume_there(land), .shape = *shape};
    if (rvi_field_there(land, "mask") || rvi_field_there(land, "hardness") ||
        bare_factor(land, shape) != 1.0f)
        rvi_job_buffer(job, &out->cells, shape->count, sizeof(float), "the erosion factor");
    if (rvi_strata_there(land))
        rvi_job_buffer(job, &out->bands, shape->count, sizeof(float), "the bands of the bedrock");
    if (rvi_rock_differs(land) && rvi_device_of(job->ctx))
        rvi_job_buffer(job, &out->law, 1, sizeof *out->law, "the bands of the bedrock");
}

float rvi_factor_volume(const rvi_erosion_factor *f, size_t at, float top) {
    const rvi_factor_shape *s = &f->shape;
    double x, y;
    rvi_bedrock_place(s->first, s->stride, s->margin, (double)f->land->cell, at, &x, &y);
    return 1.0f - rvi_volume_hardness(&f->land->volume, x, y, top);
}

typedef struct filling {
    const rvi_factor_shape *shape;
    const rvi_erosion_factor *factor;
    const float *mask, *hardness; /* NULL: none */
    float bare;                   /* erodibility of bare bedrock */
} filling;

static float factor_of(const filling *w, int x, int y) {
    const rv_terrain *land = w->factor->land;
    if (x < 0 || y < 0 || x >= land->width || y >= land->height)
        return w->bare;
    size_t i = (size_t)y * (size_t)land->width + (size_t)x;
    return rvi_factor_of(w->bare, w->mask ? w->mask[i] : 1.0f,
                         w->hardness ? 1.0f - w->hardness[i] : 1.0f);
}

/* Rows are counted from the north of the margin. */
static void fill_rows(void *arg, int first, int end) {
    const filling *w = arg;
    const rv_terrain *land = w->factor->land;
    int margin = w->shape->margin, width = land->width + 2 * margin;
    double cell = (double)land->cell;
    for (int row = first; row < end; row++) {
        int y = row - margin;
        size_t at = w->shape->first + (size_t)y * w->shape->stride - (size_t)margin;
        for (int x = 0; w->factor->cells && x < width; x++)
            w->factor->cells[at + (size_t)x] = factor_of(w, x - margin, y);
        if (w->factor->bands)
            rvi_strata_row(&land->strata, -cell * (double)margin, cell * (double)y, cell, width,
                           w->factor->bands + at);
    }
}

/* ---- on a device ---- */

void rvi_factor_tell(rvi_erosion_factor *f) {
    const rvi_strata *strata = &f->land->strata;
    if (!f->law)
        return;
    *f->law = (rvi_bedrock){.cell = (double)f->land->cell,
                            .first = f->shape.first,
                            .stride = f->shape.stride,
                            .thickness = strata->thickness,
                            .margin = f->shape.margin};
    memcpy(&f->law->volume, &f->land->volume, sizeof f->law->volume);
    memcpy(f->law->edge, strata->edge, sizeof strata->edge);
    memcpy(f->law->soft, strata->soft, sizeof strata->soft);
}

rvi_device_arg rvi_factor_bands_arg(const rvi_erosion_factor *f) {
    return (rvi_device_arg){RVI_DEVICE_READ, f->bands, f->shape.count * sizeof *f->bands};
}

rvi_device_arg rvi_factor_law_arg(const rvi_erosion_factor *f) {
    return (rvi_device_arg){RVI_DEVICE_READ, f->law, sizeof *f->law};
}

rvi_device_arg rvi_factor_samples_arg(const rvi_erosion_factor *f) {
    const rvi_hardness_volume *v = &f->land->volume;
    return (rvi_device_arg){RVI_DEVICE_READ, v->values, rvi_volume_samples(v) * sizeof *v->values};
}

static rvi_factor_place place_of(const filling *w) {
    const rv_terrain *land = w->factor->land;
    return (rvi_factor_place){.first = w->shape->first,
                              .stride = w->shape->stride,
                              .width = land->width,
                              .height = land->height,
                              .margin = w->shape->margin};
}

static rv_status queue_cells(rvi_job *job, const filling *w) {
    const rv_terrain *land = job->land;
    const rvi_factor_place place = place_of(w);
    size_t bytes = w->shape->count * sizeof *w->factor->cells, margins = 2 * (size_t)place.margin;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_CHANGE, w->factor->cells, bytes},
        rvi_map_arg(land, RVI_DEVICE_READ, w->mask),
        rvi_map_arg(land, RVI_DEVICE_READ, w->hardness),
        RVI_VALUE(place),
        RVI_VALUE(w->bare),
    };
    rv_status status = rvi_device_zero(job->device, w->factor->cells, bytes);
    return status == RV_OK
               ? RVI_RUN(job->device, "factor_grids", "factor_cells", (size_t)land->width + margins,
                         (size_t)land->height + margins, args)
               : status;
}

static rv_status queue_bands(rvi_job *job, const filling *w) {
    const rv_terrain *land = job->land;
    const rvi_factor_place place = place_of(w);
    const rvi_band_edge edge = rvi_strata_edge(&land->strata);
    const double cell = (double)land->cell;
    size_t bytes = w->shape->count * sizeof *w->factor->bands, margins = 2 * (size_t)place.margin;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_CHANGE, w->factor->bands, bytes},
        {RVI_DEVICE_TABLE, &edge, sizeof edge},
        RVI_VALUE(place),
        RVI_VALUE(cell),
    };
    rv_status status = rvi_device_zero(job->device, w->factor->bands, bytes);
    return status == RV_OK
               ? RVI_RUN(job->device, "factor_grids", "factor_bands", (size_t)land->width + margins,
                         (size_t)land->height + margins, args)
               : status;
}

static rv_status make_on_device(rvi_job *job, const filling *w) {
    rv_status status = w->factor->cells ? queue_cells(job, w) : RV_OK;
    return status == RV_OK && w->factor->bands ? queue_bands(job, w) : status;
}

rv_status rvi_factor_make(rvi_job *job, const rvi_factor_shape *shape, rvi_erosion_factor *out) {
    const rv_terrain *land = job->land;
    filling w = {.shape = shape, .factor = out, .bare = bare_factor(land, shape)};
    w.mask = rvi_field_get(land, "mask");
    w.hardness = rvi_field_get(land, "hardness");
    if (job->device)
        rvi_factor_tell(out);
    if (!out->cells && !out->bands)
        return RV_OK;
    if (job->device)
        return make_on_device(job, &w);
    return rvi_parallel_rows(job->ctx, land->height + 2 * shape->margin, fill_rows, &w);
}
