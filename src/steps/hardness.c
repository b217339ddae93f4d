/* hardness.c: how hard the ground is, which erosion then takes less of (H. T. Beyer, 2015, section
 * 5.2): an image or a field over the map, for all ground, or a volume or noise in three dimensions,
 * for bedrock (terrain/hardness_volume.c). Both can be there; what one lets pass the other may hold
 * back. */
#include "base/reduce.h"
#include "formats/volume_file.h"
#include "steps/step.h"
#include "terrain/hardness_volume.h"
#include "wear/limit.h"
#include "wear/planned_files.h"

#include <math.h>

static rv_status drop(rvi_job *job) {
    rvi_field_drop(job->land, "hardness");
    rvi_terrain_set_volume(job->land, NULL);
    return RV_OK;
}

static rv_status set_noise(rvi_job *job) {
    rvi_terrain_set_volume(job->land, &job->after.volume);
    return RV_OK;
}

/* Corner on corner, as images are stretched. */
static double stretch(double extent, int32_t count) {
    double step = count > 1 ? extent / (double)(count - 1) : extent;
    return step > 0.001 ? step : 0.001;
}

static rv_status set_volume(rvi_job *job) {
    const rv_hardness_params *p = *(const rv_hardness_params *const *)job->state;
    rv_terrain *land = job->land;
    rvi_hardness_volume v = {0};
    float low, high;
    rv_status status = rvi_volume_file_read(job->ctx, p->file, &v);
    for (size_t i = 0; status == RV_OK && p->invert && i < rvi_volume_samples(&v); i++)
        v.values[i] = 1.0f - v.values[i];
    if (status != RV_OK)
        return status;
    rvi_range(job->ctx, land->surface, rvi_cells(land), &low, &high);
    v.low = (double)(isnan(p->low) ? low : p->low);
    v.step_x = stretch((double)land->cell * (land->width - 1), v.columns);
    v.step_y = stretch((double)land->cell * (land->height - 1), v.rows);
    v.step_z = stretch((double)(isnan(p->high) ? high : p->high) - v.low, v.slices);
    rvi_terrain_set_volume(land, &v);
    return RV_OK;
}

static rv_status plan_noise(rvi_job *job, const rv_hardness_params *p) {
    double across = 1000.0 / (double)p->frequency;
    rvi_hardness_volume v = {.step_x = across,
                             .step_y = across,
                             .step_z = isnan(p->frequency_z) ? across / 4.0
                                                             : 1000.0 / (double)p->frequency_z,
                             .seed = p->seed,
                             .octaves = p->octaves,
                             .noise = p->noise};
    rvi_terrain_set_volume(&job->after, &v);
    job->run = set_noise;
    job->on_device = true; /* no grid is looked at */
    return RV_OK;
}

static rv_status try_volume(rvi_job *job, const char *path, const void *arg) {
    rvi_hardness_volume v = {0};
    (void)arg;
    rv_status status = rvi_volume_file_read(job->ctx, path, &v);
    rvi_free(job->ctx, v.values);
    return status;
}

static rv_status plan_volume(rvi_job *job, const rv_hardness_params *p) {
    rvi_hardness_volume v = {0};
    size_t memory, before = rvi_volume_samples(&job->land->volume);
    if (!isnan(p->low) && !isnan(p->high) && p->low >= p->high)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "hardness: low=%g is not below high=%g.",
                        (double)p->low, (double)p->high);
    rv_status status = rvi_volume_file_look(job->ctx, p->file, &v, &memory);
    if (status == RV_OK)
        status = rvi_job_reads(job, p->file);
    if (status == RV_OK)
        status = rvi_job_try(job, p->file, try_volume, NULL);
    const rv_hardness_params **kept =
        status == RV_OK ? rvi_job_begin(job, sizeof *kept, set_volume, NULL) : NULL;
    if (!kept)
        return status == RV_OK ? RV_ERROR_MEMORY : status;
    *kept = p;
    rvi_terrain_set_volume(&job->after, &v);
    /* The old one stays until the new one is there. */
    rvi_buffers_pass(&job->buffers,
                     rvi_add_sizes(memory, before ? rvi_alloc_size(before, sizeof(float)) : 0));
    return RV_OK;
}

rv_status rvi_step_hardness(rvi_job *job, const rv_hardness_params *p) {
    rvi_planned_file planned;
    bool volume =
        !rvi_job_foresees(job, p->file, &planned) && rvi_volume_file_is(job->ctx, p->file);
    if (p->noise > 0.0f && (p->file[0] || p->field[0]))
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "hardness: noise=%g or %s=%s, but not both.",
                        (double)p->noise, p->file[0] ? "file" : "field",
                        p->file[0] ? p->file : p->field);
    if (p->noise > 0.0f)
        return plan_noise(job, p);
    if (volume && !p->field[0])
        return plan_volume(job, p);
    if (p->file[0] || p->field[0])
        return rvi_limit_prepare(job, "hardness", p->file, p->field, p->invert);
    rvi_field_drop(&job->after, "hardness");
    rvi_terrain_set_volume(&job->after, NULL);
    job->run = drop;
    job->on_device = true;
    return RV_OK;
}
