/* camera.h: where a picture is taken from. World: metres east, south and up; up is exaggerated. */
#ifndef RVI_PICTURE_CAMERA_H
#define RVI_PICTURE_CAMERA_H

#include "picture/camera_cell.h"
#include "picture/relief.h"

typedef struct rvi_shot {
    int width, height;
    float azimuth;   /* degrees, clockwise from north: the side that the camera stands on */
    float elevation; /* degrees above the level that it looks down from */
    float distance;  /* times as far as where the block just fits */
    float fov;       /* degrees, upright */
    float z;         /* how much heights are exaggerated */
    bool steady;     /* the same distance from all sides, for films */
    bool placed;     /* the camera stands at `eye` and looks at `target` */
    double eye[3],
        target[3]; /* metres east and south of the first cell, and above the ground there */
} rvi_shot;

/* Which samples of `upper` cameras look at: those of a grid that has one more along each side; of
 * tops, those of this level; and the four around the place where the camera stands. */
enum { RVI_CAMERA_SAMPLES = 48 };
int rvi_camera_level(const rvi_relief *relief);

/* The side with a view uphill, a third off the diagonal. */
float rvi_camera_side(const rvi_relief *relief);
rvi_camera rvi_camera_frame(const rvi_relief *relief, const rvi_shot *shot);
/* A camera that is placed, over land whose first cell lies so many metres from that of the relief;
 * and one that looks at a place of the world from `far` metres away. */
rvi_camera rvi_camera_place(const rvi_relief *relief, const rvi_shot *shot, double offset);
rvi_camera rvi_camera_from(const rvi_relief *relief, const rvi_shot *shot, const double middle[3],
                           double far);
/* The same of a box, whose corners are in the world; its heights are not exaggerated. */
rvi_camera rvi_camera_around(const double low[3], const double high[3], const rvi_shot *shot);

#endif
