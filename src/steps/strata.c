/* strata.c: hard and soft bands inside the bedrock, tilted and folded.
 *
 * H. T. Beyer, Implementation of a method for hydraulic erosion, 2015, section 5.2: an erosion
 * factor that is a function of x, y and z. Here it is 1 in soft bands and 1 - hardness in hard
 * ones. With d the distance along the dip (metres), the edge between two bands lies at
 *
 *     z = k T + B,   B = -d tan(tilt) + fold sin(2 pi d / length) + wobble sum of a_i sin(w_i)
 *
 * for whole k, where T = thickness / cos(tilt) is the thickness from bottom to top. w_i are waves
 * in random directions and of ever shorter lengths; a_i fall with the length and sum to 1. With
 * `vary` each edge is moved up or down by at most 0.4 T, and each hard band is softer by at most
 * one half.
 */
#include "base/math.h"
#include "base/random.h"
#include "steps/step.h"

static float unit(uint64_t seed, int i, uint64_t what) {
    return rvi_unit(rvi_random(seed, (uint64_t)i, what));
}

static rv_status run(rvi_job *job) {
    job->land->strata = job->after.strata;
    return RV_OK;
}

/* Steps after it need memory for the bands. */
rv_status rvi_step_strata(rvi_job *job, const rv_strata_params *p) {
    float tilt = p->tilt * (float)(RVI_PI / 180), to = p->direction * (float)(RVI_PI / 180);
    rvi_strata s = {
        .rise = (double)rvi_sinf(tilt) / (double)rvi_cosf(tilt),
        .east = (double)rvi_sinf(to),
        .south = -(double)rvi_cosf(to),
        .fold = (double)p->fold,
        .length = (double)p->fold_length,
        .wobble = (double)p->wobble,
        .seed = p->seed,
        .thickness = p->thickness / rvi_cosf(tilt),
        .hardness = p->hardness,
    };
    for (int k = 0; k < RVI_BANDS; k++) {
        float weaker = 0.5f * p->vary * unit(p->seed, k, 3);
        s.edge[k] = 0.8f * p->vary * (unit(p->seed, k, 2) - 0.5f);
        s.soft[k] = k % 2 ? 1.0f - p->hardness * (1.0f - weaker) : 1.0f;
    }
    job->after.strata = s;
    job->run = run;
    job->on_device = true; /* no grid is looked at */
    return RV_OK;
}
