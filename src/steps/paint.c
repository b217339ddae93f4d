/* paint.c: writes a picture of a field laid over the shaded land (picture/overlay.c). */
#include "base/text.h"
#include "formats/format.h"
#include "picture/overlay.h"
#include "steps/step.h"

rv_status rvi_step_paint(rvi_job *job, const rv_paint_params *p) {
    const rv_terrain *land = job->land;
    if (!rvi_text_ends(p->file, ".png"))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a picture is a PNG, so its name must end in .png.", p->file);
    const char *lacks = rvi_overlay_lacks(land, p->field);
    if (lacks)
        return rvi_job_no_field(job, lacks, "to paint");
    unsigned char *rgb = rvi_alloc(job->ctx, rvi_cells(land), 3, "a picture");
    if (!rgb)
        return RV_ERROR_MEMORY;
    rvi_overlay how = {{p->azimuth, p->altitude, p->z}, p->limit, p->opacity};
    rv_status status = rvi_overlay_paint(land, p->field, &how, rgb);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, p->file, land->width, land->height, 3, rgb);
    rvi_free(job->ctx, rgb);
    return status;
}
