/* camera_cell.h: where a ray of a picture goes, for the processor and for devices. */
#ifndef RVI_PICTURE_CAMERA_CELL_H
#define RVI_PICTURE_CAMERA_CELL_H

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

typedef struct rvi_camera {
    double from[3];
    double right[3], up[3], forward[3]; /* of length 1 */
    double tangent;                     /* of half the upright angle of view */
    int width, height;                  /* pixels */
    double nearest;                     /* metres to the nearest corner of the block */
} rvi_camera;

/* The direction of length 1 through a place of the picture, in pixels from its upper left corner.
 */
static inline void rvi_camera_look(const rvi_camera *c, double x, double y, double along[3]) {
    double a = (2 * x - c->width) / c->height * c->tangent;
    double b = (1 - 2 * y / c->height) * c->tangent;
    double length = sqrt(1 + a * a + b * b);
    for (int k = 0; k < 3; k++)
        along[k] = (c->forward[k] + a * c->right[k] + b * c->up[k]) / length;
}

#endif
