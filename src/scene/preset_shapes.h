/* preset_shapes.h: the rock of the ready scenes, as functions of the place (mold.h). */
#ifndef RVI_SCENE_PRESET_SHAPES_H
#define RVI_SCENE_PRESET_SHAPES_H

/* Below 0 in the rock, in metres. */
double rvi_shape_river(const double at[3]);
double rvi_shape_lake(const double at[3]);
double rvi_shape_tube(const double at[3]);
double rvi_shape_two_sources(const double at[3]);
double rvi_shape_arch(const double at[3]);
double rvi_shape_cave(const double at[3]);

/* How long edges are, beside others of the scene. */
double rvi_length_river(const double at[3]);
double rvi_length_lake(const double at[3]);
double rvi_length_detailed_lake(const double at[3]);
double rvi_length_tube(const double at[3]);
double rvi_length_two_sources(const double at[3]);
double rvi_length_arch(const double at[3]);
double rvi_length_cave(const double at[3]);

#endif
