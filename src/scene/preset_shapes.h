/* preset_shapes.h: the rock of the presets, as functions of the place (mesh/remesh.h). */
#ifndef RVI_SCENE_PRESET_SHAPES_H
#define RVI_SCENE_PRESET_SHAPES_H

/* Below 0 in the rock, in metres. */
double rvi_shape_river(const double at[3]);
double rvi_shape_lake(const double at[3]);
double rvi_shape_tube(const double at[3]);
double rvi_shape_two_sources(const double at[3]);
double rvi_shape_arch(const double at[3]);
double rvi_shape_cave(const double at[3]);

/* Lengths of edges, relative to others of the preset. */
double rvi_length_river(const double at[3]);
double rvi_length_lake(const double at[3]);
double rvi_length_detailed_lake(const double at[3]);
double rvi_length_tube(const double at[3]);
double rvi_length_two_sources(const double at[3]);
double rvi_length_arch(const double at[3]);
double rvi_length_cave(const double at[3]);

#endif
