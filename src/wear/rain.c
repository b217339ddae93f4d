/* rain.c: where drops fall, by an image of the rain: the running sums in which rain_place.h looks
 * places up. */
#include "wear/rain.h"
#include "base/math.h"
#include "wear/border.h"
#include "wear/map_image.h"

void rvi_rain_prepare(rvi_rain *rain, int width, int height, int margin, rvi_buffers *buffers) {
    size_t wide = (size_t)(width + 2 * margin), high = (size_t)(height + 2 * margin);
    rvi_buffers_add(buffers, &rain->cells, wide * high, sizeof *rain->cells, "the rain");
    rvi_buffers_add(buffers, &rain->rows, high, sizeof *rain->rows, "the rain");
}

rv_status rvi_rain_make(rv_context *ctx, const float *image, int width, int height, int margin,
                        const char *name, rvi_rain *rain) {
    int wide = width + 2 * margin, high = height + 2 * margin;
    uint64_t total = 0;
    for (int y = 0; y < high; y++) {
        const float *row = image + (size_t)rvi_border_mirrored(y - margin, height) * (size_t)width;
        uint32_t sum = 0; /* a row with its margins has fewer than 131072 cells of at most 32767 */
        for (int x = 0; x < wide; x++) {
            float much = rvi_clampf(row[rvi_border_mirrored(x - margin, width)], 0.0f, 1.0f);
            sum += (uint32_t)(much * 32767.0f + 0.5f);
            rain->cells[(size_t)y * (size_t)wide + (size_t)x] = sum;
        }
        total += sum;
        rain->rows[y] = total;
    }
    if (total == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: is black everywhere, so no drop can fall.", name);
    return RV_OK;
}

const char *rvi_rain_field(const rv_terrain *land, const char *file) {
    return file[0] == '\0' && rvi_field_there(land, "rain") ? "rain" : "";
}

rv_status rvi_rain_list(rvi_job *job, const char *file, int margin, rvi_rain *rain) {
    const char *field = rvi_rain_field(job->land, file);
    if (file[0] == '\0' && field[0] == '\0')
        return RV_OK;
    rvi_rain_prepare(rain, job->land->width, job->land->height, margin, &job->buffers);
    return rvi_map_values_list(job, file, field, "of the rain", NULL);
}

rv_status rvi_rain_load(rvi_job *job, const char *file, int margin, rvi_rain *rain) {
    float *image;
    const char *field = rvi_rain_field(job->land, file);
    if (file[0] == '\0' && field[0] == '\0')
        return RV_OK;
    rv_status status = rvi_map_values_load(job, file, field, &image);
    if (status == RV_OK)
        status = rvi_rain_make(job->ctx, image, job->land->width, job->land->height, margin,
                               field[0] ? field : file, rain);
    rvi_free(job->ctx, image);
    return status;
}
