/* stream_files.h: streams as GeoJSON lines (RFC 7946) and as a CSV table of their cells (RFC 4180).
 * Places are metres east of the west edge and north of the south edge, as in meshes. */
#ifndef RVI_FORMATS_STREAM_FILES_H
#define RVI_FORMATS_STREAM_FILES_H

#include "terrain/georeference.h"

#include <ravine/ravine.h>

/* Streams on a map of width x height cells. Stream n, counted from 1, begins in the cell
 * start[n - 1] and follows the receivers as long as they are its own. */
typedef struct rvi_streams {
    int width, height;
    double cell; /* metres */
    const float *z;
    const uint32_t *receiver;   /* of each cell; where water leaves the map, itself */
    const uint32_t *area;       /* of each cell: cells that drain through it */
    const unsigned char *order; /* of each cell: Strahler's */
    const uint32_t *owner;      /* of each cell: number of its stream; 0: no channel */
    const float *outlet;        /* of each cell: metres down to where its water leaves the map */
    const uint32_t *start;      /* of each stream */
    uint32_t count;
    const rvi_georeference *geo; /* where it is known, GeoJSON has the coordinates of the map */
} rvi_streams;

/* A line for each stream, from its first cell to the first cell of the stream it flows into. */
rv_status rvi_streams_write_geojson(rv_context *ctx, const char *path, const rvi_streams *streams);
/* A row for each channel cell, stream after stream, downwards. */
rv_status rvi_streams_write_csv(rv_context *ctx, const char *path, const rvi_streams *streams);

#endif
