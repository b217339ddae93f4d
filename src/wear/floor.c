/* floor.c: the height below which a step erodes nothing.
 *
 * A cell of several layers is as high as the sum of their thicknesses, in floats. Of a number up to
 * `most` half a unit in the last place is at most 2^-24 of it. The sum before and the sum after are
 * rounded once for each layer, a layer that loses ground is twice `most` thick at most, and what is
 * wanted of the layer below it is rounded three times: less than 8 halves a layer.
 */
#include "wear/floor.h"
#include "base/math.h"
#include "base/reduce.h"
#include "device/device_range.h"

#include <math.h>

rv_status rvi_floor_find(const rvi_job *job, float asked, float low, float high, float *parts,
                         float *floor) {
    const rv_terrain *land = job->land;
    const float *bedrock = land->layers[0].thickness;
    rv_status status = RV_OK;
    *floor = isnan(asked) ? low : asked;
    if (land->layer_count == 1)
        return RV_OK;
    float bottom = 0.0f, top;
    if (job->device)
        status = rvi_device_range(job->device, bedrock, rvi_cells(land), parts, &bottom, &top);
    else
        rvi_range(job->ctx, bedrock, rvi_cells(land), &bottom, &top);
    float most = rvi_maxf(fabsf(*floor), rvi_maxf(-bottom, high));
    *floor += (float)land->layer_count * 0x1p-21f * most;
    return status;
}
