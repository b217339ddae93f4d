#include "wear/drop_lengths.h"

#include "base/context.h"
#include "base/math.h"
#include "wear/brush.h"

/* Cells: shorter moves would not get a drop off its cell, and make more tiles than can be counted.
 */
static const float LEAST_MOVE = 0.02f;

rv_status rvi_drop_lengths_check(rv_context *ctx, const char *step, float radius, float move,
                                 float cell) {
    float longest = rvi_maxf(radius, move), most = (float)RVI_BRUSH_RADIUS * cell;
    if (longest / cell > (float)RVI_BRUSH_RADIUS)
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "%s: radius and move are at most %d cells, which is %.9g m on this land, "
                        "not %.9g m.",
                        step, RVI_BRUSH_RADIUS, (double)most, (double)longest);
    if (move < LEAST_MOVE * cell)
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "%s: move is at least %g cells, which is %.9g m on this land, not %.9g m.",
                        step, (double)LEAST_MOVE, (double)(LEAST_MOVE * cell), (double)move);
    return RV_OK;
}
