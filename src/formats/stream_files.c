/* stream_files.c: streams as GeoJSON lines and as a CSV table of their cells. */
#include "formats/stream_files.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/geo_keys.h"

enum { LINE = 512, DIGITS = 9 };

/* A line that is put together before it is written. */
typedef struct line {
    char text[LINE];
    size_t size;
} line;

static void add_text(line *l, const char *text) {
    size_t size = strlen(text);
    memcpy(l->text + l->size, text, size);
    l->size += size;
}

static void add_number(line *l, const char *before, double value) {
    add_text(l, before);
    l->size += rvi_text_print(l->text + l->size, LINE - l->size, DIGITS, value);
}

static double place_x(const rvi_streams *s, size_t cell) {
    return (double)(cell % (size_t)s->width) * s->cell;
}

static double place_y(const rvi_streams *s, size_t cell) {
    return (double)(s->height - 1 - (int)(cell / (size_t)s->width)) * s->cell;
}

static double area_of(const rvi_streams *s, size_t cell) {
    return (double)s->area[cell] * s->cell * s->cell;
}

/* The last of a stream's own cells. */
static size_t last_cell(const rvi_streams *s, uint32_t number) {
    size_t cell = s->start[number - 1];
    while (s->receiver[cell] != cell && s->owner[s->receiver[cell]] == number)
        cell = s->receiver[cell];
    return cell;
}

/* ---- GeoJSON ---- */

static void add_place(line *l, const rvi_streams *s, size_t cell) {
    bool known = rvi_georeference_known(s->geo);
    double column = (double)(cell % (size_t)s->width), row = (double)(cell / (size_t)s->width);
    add_number(l, "[", known ? s->geo->x + column * s->geo->step_x : place_x(s, cell));
    add_number(l, ",", known ? s->geo->y - row * s->geo->step_y : place_y(s, cell));
    add_number(l, ",", (double)s->z[cell]);
    add_text(l, "]");
}

static rv_status put_feature(rvi_writer *writer, const rvi_streams *s, uint32_t number) {
    size_t first = s->start[number - 1], last = last_cell(s, number), end = s->receiver[last];
    bool point = first == end; /* a line needs two places */
    line l = {.size = 0};
    add_text(&l, number > 1 ? ",\n" : "\n");
    add_number(&l, "{\"type\":\"Feature\",\"properties\":{\"stream\":", number);
    add_number(&l, ",\"to\":", end != last ? s->owner[end] : 0);
    add_number(&l, ",\"order\":", s->order[first]);
    add_number(&l, ",\"length_m\":", (double)s->outlet[first] - (double)s->outlet[end]);
    add_number(&l, ",\"drop_m\":", (double)s->z[first] - (double)s->z[end]);
    add_number(&l, ",\"area_m2\":", area_of(s, last));
    add_text(&l, "},\"geometry\":{\"type\":");
    add_text(&l, point ? "\"Point\",\"coordinates\":" : "\"LineString\",\"coordinates\":[");
    add_place(&l, s, first);
    rv_status status = rvi_writer_put(writer, l.text, l.size);
    for (size_t cell = first; cell != end && status == RV_OK;) {
        cell = s->receiver[cell];
        l.size = 0;
        add_text(&l, ",");
        add_place(&l, s, cell);
        status = rvi_writer_put(writer, l.text, l.size);
    }
    const char *close = point ? "}}" : "]}}";
    return status == RV_OK ? rvi_writer_put(writer, close, strlen(close)) : status;
}

/* ---- CSV ---- */

static rv_status put_rows(rvi_writer *writer, const rvi_streams *s, uint32_t number) {
    rv_status status = RV_OK;
    size_t cell = s->start[number - 1], last = last_cell(s, number);
    for (bool more = true; more && status == RV_OK; cell = s->receiver[cell]) {
        line l = {.size = 0};
        add_number(&l, "", number);
        add_number(&l, ",", s->order[cell]);
        add_number(&l, ",", place_x(s, cell));
        add_number(&l, ",", place_y(s, cell));
        add_number(&l, ",", (double)s->z[cell]);
        add_number(&l, ",", area_of(s, cell));
        add_number(&l, ",", (double)s->outlet[cell]);
        add_text(&l, "\n");
        status = rvi_writer_put(writer, l.text, l.size);
        more = cell != last;
    }
    return status;
}

/* ---- both ---- */

typedef rv_status put_stream(rvi_writer *writer, const rvi_streams *s, uint32_t number);

static rv_status write_all(rv_context *ctx, const char *path, const rvi_streams *s,
                           const char *head, put_stream *put, const char *tail) {
    rvi_writer *writer;
    rv_status status = rvi_writer_open(ctx, path, &writer);
    if (status != RV_OK)
        return status;
    status = rvi_writer_put(writer, head, strlen(head));
    for (uint32_t number = 1; number <= s->count && status == RV_OK; number++)
        status = put(writer, s, number);
    if (status == RV_OK)
        status = rvi_writer_put(writer, tail, strlen(tail));
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}

rv_status rvi_streams_write_geojson(rv_context *ctx, const char *path, const rvi_streams *s) {
    char head[320], crs[96] = "";
    int epsg = rvi_geo_epsg(s->geo);
    if (epsg > 0)
        snprintf(crs, sizeof crs,
                 "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
                 "\"urn:ogc:def:crs:EPSG::%d\"}},\n",
                 epsg);
    snprintf(head, sizeof head,
             "{\"type\":\"FeatureCollection\",\n\"comment\":\"Ravine: %s\",\n%s\"features\":[",
             rvi_georeference_known(s->geo)
                 ? "x and y as on the map that the land came from, height in metres"
                 : "x, y and height in metres, x east of the west edge, y north of the south edge",
             crs);
    return write_all(ctx, path, s, head, put_feature, "\n]}\n");
}

rv_status rvi_streams_write_csv(rv_context *ctx, const char *path, const rvi_streams *s) {
    return write_all(ctx, path, s, "stream,order,x_m,y_m,height_m,area_m2,to_outlet_m\n", put_rows,
                     "");
}
