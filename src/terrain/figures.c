/* figures.c: what the last step measured on a terrain. */
#include "terrain/figures.h"
#include "base/context.h"

#include <assert.h>
#include <math.h>

rv_status rvi_figures_begin(rv_terrain *land, int room) {
    rvi_figures_clear(land);
    land->figures = rvi_alloc(land->ctx, (size_t)room, sizeof *land->figures, "the figures");
    if (!land->figures)
        return RV_ERROR_MEMORY;
    land->figure_room = room;
    return RV_OK;
}

rv_figure *rvi_figures_add(rv_terrain *land, const char *name, const char *label, const char *unit,
                           double value) {
    assert(land->figure_count < land->figure_room);
    rv_figure *f = &land->figures[land->figure_count++];
    *f = (rv_figure){name, label, unit, value, (double)NAN, (double)NAN};
    return f;
}

void rvi_figures_clear(rv_terrain *land) {
    rvi_free(land->ctx, land->figures);
    land->figures = NULL;
    land->figure_count = land->figure_room = 0;
}

int rv_terrain_figure_count(const rv_terrain *land) {
    return land->figure_count;
}

const rv_figure *rv_terrain_figure(const rv_terrain *land, int index) {
    assert(index >= 0 && index < land->figure_count);
    return &land->figures[index];
}

bool rv_figure_is_check(const rv_figure *figure) {
    RVI_ENTRY(NULL);
    return !isnan(figure->min) || !isnan(figure->max);
}

bool rv_figure_passes(const rv_figure *figure) {
    RVI_ENTRY(NULL);
    return !isnan(figure->value) && !(figure->value < figure->min) &&
           !(figure->value > figure->max);
}
