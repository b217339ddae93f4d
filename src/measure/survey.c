/* survey.c: everything that is measured, in one go. What needs much memory for a while comes before
 * what stays. */
#include "measure/survey.h"
#include "base/context.h"

#include <math.h>

enum { LOOK = 20 };              /* cells, for landforms */
static const float LEVEL = 1.0f; /* degrees */

/* On level land water may go anywhere. */
static void survey_nothing(rvi_survey *s) {
    const rvi_line none = {NAN, NAN, NAN};
    s->exceedance = s->exceedance_spread = NAN;
    s->pits = (rvi_pits){NAN, NAN, NAN, NAN};
    s->concavity.eight = s->concavity.limited = none;
    s->network = (rvi_network){
        .bifurcation = NAN, .length_ratio = NAN, .hack = NAN, .share = NAN, .density = NAN};
}

static rv_status survey_drainage(rvi_survey *s, float cell, uint32_t channel) {
    const rvi_ground *g = &s->ground;
    rvi_spread spread = {0};
    rv_status status = rvi_drainage_make(g->ctx, g->width, g->height, g->z, g->kind, &s->drainage);
    if (status == RV_OK)
        status = rvi_spread_make(g->ctx, &s->drainage, cell, &spread);
    if (status == RV_OK)
        status = rvi_exceedance_measure(g, NULL, spread.area, &s->exceedance_spread);
    rvi_spread_free(g->ctx, &spread);
    if (status == RV_OK)
        status = rvi_exceedance_measure(g, s->drainage.area, NULL, &s->exceedance);
    if (status == RV_OK)
        status = rvi_pits_measure(g, &s->drainage, channel, &s->pits);
    if (status == RV_OK)
        status = rvi_concavity_measure(g, &s->drainage, channel, &s->concavity);
    if (status == RV_OK)
        status = rvi_network_measure(g, &s->drainage, channel, &s->network);
    return status;
}

rv_status rvi_survey_make(const rv_terrain *land, int border, uint32_t channel, rvi_survey **out) {
    *out = NULL;
    rvi_survey *s = rvi_alloc(land->ctx, 1, sizeof *s, "a survey");
    if (!s)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_ground_make(land, border, &s->ground);
    if (status == RV_OK)
        status = rvi_surface_measure(&s->ground, &s->surface);
    if (status == RV_OK)
        status = rvi_spectrum_measure(&s->ground, &s->spectrum);
    if (status == RV_OK && s->ground.high > s->ground.low)
        status = survey_drainage(s, land->cell, channel);
    else
        survey_nothing(s);
    if (status == RV_OK)
        status = rvi_landforms_measure(&s->ground, LOOK, LEVEL, &s->forms);
    if (status == RV_OK)
        *out = s;
    else
        rvi_survey_free(land->ctx, s);
    return status;
}

void rvi_survey_free(rv_context *ctx, rvi_survey *s) {
    if (!s)
        return;
    if (s->ground.ctx) { /* nothing else was made before it */
        rvi_landforms_free(&s->ground, &s->forms);
        rvi_network_free(&s->ground, &s->network);
        rvi_drainage_free(ctx, &s->drainage);
        rvi_ground_free(&s->ground);
    }
    rvi_free(ctx, s);
}
