/* hillshade.c: writes a picture of the land lit from one side (picture/shade.c). */
#include "base/text.h"
#include "formats/format.h"
#include "picture/shade.h"
#include "steps/step.h"

rv_status rvi_step_hillshade(rvi_job *job, const rv_hillshade_params *p) {
    const rv_terrain *land = job->land;
    if (!rvi_text_ends(p->file, ".png"))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a picture is a PNG, so its name must end in .png.", p->file);
    rvi_light light = {p->azimuth, p->altitude, p->z};
    bool tinted = p->tint == RV_hillshade_tint_land;
    int channels = tinted ? 3 : 1;
    unsigned char *bytes = rvi_alloc(job->ctx, rvi_cells(land), (size_t)channels, "a picture");
    if (!bytes)
        return RV_ERROR_MEMORY;
    rv_status status =
        tinted ? rvi_shade_land(land, &light, bytes) : rvi_shade_grey(land, &light, bytes);
    if (status == RV_OK)
        status =
            rvi_png_write_picture(job->ctx, p->file, land->width, land->height, channels, bytes);
    rvi_free(job->ctx, bytes);
    return status;
}
