/* shells.h: are the shells of a mesh the right way out? */
#ifndef RVI_MESH_SHELLS_H
#define RVI_MESH_SHELLS_H

#include "mesh/boxes.h"
#include "mesh/links.h"

/* 1 or -1 when a ray from the spot straight up leaves through the triangle upwards or comes in
 * through it. */
int rvi_ray_passes(const rvi_triangle *t, rvi_spot from);

/* Of a closed mesh without self-intersections: tells of shells that are inside out. */
rv_status rvi_shells_check(const rvi_lattice *l, const rvi_boxes *boxes, const rvi_links *links,
                           rv_fault_fn tell, void *user);

#endif
