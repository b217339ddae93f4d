/* mirrored_land.c: land that goes on beyond its edges: cell -i is cell i, and so at every edge. */
#include "picture/mirrored_land.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"

int rvi_mirrored_margin(const rv_terrain *land) {
    return rvi_maxi(land->width, land->height) / 2 + 1;
}

static int fold(int i, int count) {
    int last = count - 1, period = 2 * last;
    if (last == 0)
        return 0;
    i = i < 0 ? -i : i;
    i %= period;
    return i > last ? period - i : i;
}

typedef struct mirroring {
    const rv_terrain *land;
    rv_terrain *out;
    int margin;
} mirroring;

static void mirror_row(const mirroring *m, const float *from, float *to, int y) {
    const rv_terrain *land = m->land;
    const float *row = from + (size_t)fold(y - m->margin, land->height) * (size_t)land->width;
    float *into = to + (size_t)y * (size_t)m->out->width;
    for (int x = 0; x < m->out->width; x++)
        into[x] = row[fold(x - m->margin, land->width)];
}

static void mirror_rows(void *arg, int first, int end) {
    const mirroring *m = arg;
    for (int y = first; y < end; y++) {
        for (int l = 0; l < m->land->layer_count; l++)
            mirror_row(m, m->land->layers[l].thickness, m->out->layers[l].thickness, y);
        for (int f = 0; f < m->land->field_count; f++)
            mirror_row(m, m->land->fields[f].values, m->out->fields[f].values, y);
    }
}

rv_status rvi_mirrored_land(const rv_terrain *land, rv_terrain **out) {
    mirroring m = {.land = land, .margin = rvi_mirrored_margin(land)};
    rv_status status = rvi_terrain_create_like(land, land->width + 2 * m.margin,
                                               land->height + 2 * m.margin, land->cell, &m.out);
    *out = NULL;
    if (status != RV_OK)
        return status;
    m.out->strata = land->strata;
    m.out->strata.x -= m.margin * (double)land->cell;
    m.out->strata.y -= m.margin * (double)land->cell;
    m.out->volume.x -= m.margin * (double)land->cell;
    m.out->volume.y -= m.margin * (double)land->cell;
    status = rvi_parallel_rows(land->ctx, m.out->height, mirror_rows, &m);
    if (status != RV_OK) {
        rv_terrain_destroy(m.out);
        return status;
    }
    rvi_terrain_sum_layers(m.out);
    *out = m.out;
    return RV_OK;
}
