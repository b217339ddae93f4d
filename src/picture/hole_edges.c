/* hole_edges.c: the ground at the edge of holes.
 *
 * Into a hole the ground goes on as the mean of those neighbours that have a height, one cell
 * further with each turn. A wall is a row of steps along cells; it faces where most of the hole
 * within RVI_HOLE_REACH cells lies, so that light falls on it as on the round wall it stands for.
 */
#include "picture/hole_edges.h"
#include "base/context.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

enum { NEVER = 255 };

/* The mean of the neighbours that were known before `turn`; false: there is none. */
static bool mean_around(const rv_terrain *land, const unsigned char *known, int turn, int x, int y,
                        float *z) {
    float sum = 0, count = 0;
    for (int v = rvi_maxi(y - 1, 0); v <= rvi_mini(y + 1, land->height - 1); v++)
        for (int u = rvi_maxi(x - 1, 0); u <= rvi_mini(x + 1, land->width - 1); u++) {
            size_t n = (size_t)v * (size_t)land->width + (size_t)u;
            if (known[n] < turn) {
                sum += z[n];
                count++;
            }
        }
    if (count > 0)
        z[(size_t)y * (size_t)land->width + (size_t)x] = sum / count;
    return count > 0;
}

static rv_status extend(const rv_terrain *land, unsigned char *known, float *z) {
    for (int turn = 1; turn <= RVI_HOLE_REACH; turn++)
        for (int y = 0; y < land->height; y++) {
            unsigned char *row = known + (size_t)y * (size_t)land->width;
            for (int x = 0; x < land->width; x++)
                if (row[x] == NEVER && mean_around(land, known, turn, x, y, z))
                    row[x] = (unsigned char)turn;
            if (rvi_poll(land->ctx) != RV_OK)
                return RV_CANCELLED;
        }
    return RV_OK;
}

rv_status rvi_hole_edge_extend(const rv_terrain *land, const float *hole, float *z) {
    size_t cells = rvi_cells(land);
    unsigned char *known = rvi_alloc(land->ctx, cells, 1, "the holes of a picture");
    if (!known)
        return RV_ERROR_MEMORY;
    memcpy(z, land->surface, cells * sizeof *z);
    for (size_t i = 0; i < cells; i++)
        known[i] = hole[i] > 0.5f ? NEVER : 0;
    rv_status status = extend(land, known, z);
    rvi_free(land->ctx, known);
    return status;
}
