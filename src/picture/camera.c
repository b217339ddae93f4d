/* camera.c: frames the block so that it just fits.
 *
 * With the directions right, up and forward fixed, a point with the coordinates (a, b, c) along
 * them is inside a picture taken from (A, B, C) when |a - A| <= k (c - C) and |b - B| <= l (c - C),
 * k and l being the tangents of half the angles of view. So for each axis
 *
 *     C <= (min(a + k c) - max(a - k c)) / (2 k),   max(a - k c) + k C <= A <= min(a + k c) - k C
 *
 * and the smaller C of both axes is as near as the camera can come. Above the block there is room
 * for the sky: k is smaller upwards than downwards.
 */
#include "picture/camera.h"
#include "base/math.h"
#include "base/vector.h"

#include <math.h>

enum { RING = 32, SAMPLES = RVI_CAMERA_SAMPLES };

#define DEGREE (RVI_PI / 180)

/* What the frame must hold, on one axis. */
typedef struct span {
    double below, above; /* k on either side of the middle */
    double low, high;    /* min(a + k c), max(a - k c) */
} span;

static void widen(span *s, double across, double ahead) {
    double low = across + s->below * ahead, high = across - s->above * ahead;
    s->low = low < s->low ? low : s->low;
    s->high = high > s->high ? high : s->high;
}

static void hold(const rvi_camera *c, span spans[2], double x, double y, double z) {
    double p[3] = {x, y, z}, ahead = rvi_dot3(p, c->forward);
    widen(&spans[0], rvi_dot3(p, c->right), ahead);
    widen(&spans[1], rvi_dot3(p, c->up), ahead);
}

int rvi_camera_level(const rvi_relief *r) {
    int level = 1;
    while (level + 1 < r->levels &&
           rvi_maxi(r->level[level].top_width, r->level[level].top_height) > 2 * SAMPLES)
        level++;
    return level;
}

/* Places on a coarse grid and, since a spire may stand between them, the top of each block of the
 * pyramid that is about as large, in its middle. */
static void hold_block(const rvi_camera *c, const rvi_relief *r, double z, span spans[2]) {
    double cell = (double)r->cell;
    for (int j = 0; j <= SAMPLES; j++)
        for (int i = 0; i <= SAMPLES; i++) {
            int x = (int)((int64_t)(r->width - 1) * i / SAMPLES);
            int y = (int)((int64_t)(r->height - 1) * j / SAMPLES);
            float top = r->upper[(size_t)y * (size_t)r->width + (size_t)x];
            hold(c, spans, x * cell, y * cell, z * (double)top);
            if (i % SAMPLES == 0 && j % SAMPLES == 0)
                hold(c, spans, x * cell, y * cell, z * (double)r->base);
        }
    int level = rvi_camera_level(r);
    const rvi_level *l = &r->level[rvi_mini(level, r->levels - 1)];
    double half = 0.5 * (double)(1 << level) * cell, wide = (r->width - 1) * cell,
           high = (r->height - 1) * cell;
    for (int y = 0; r->levels > 1 && y < l->top_height; y++)
        for (int x = 0; x < l->top_width; x++) {
            double px = (2 * x + 1) * half, py = (2 * y + 1) * half;
            float top = r->pyramid[l->top + (size_t)y * (size_t)l->top_width + (size_t)x];
            hold(c, spans, px < wide ? px : wide, py < high ? py : high, z * (double)top);
        }
}

/* A cylinder around the block, the same from all sides. */
static void hold_drum(const rvi_camera *c, const rvi_relief *r, double z, span spans[2]) {
    double w = 0.5 * (r->width - 1) * (double)r->cell, h = 0.5 * (r->height - 1) * (double)r->cell;
    double radius = sqrt(w * w + h * h);
    for (int k = 0; k < RING; k++) {
        float angle = (float)k * (float)(2 * RVI_PI / RING);
        double x = w + radius * (double)rvi_cosf(angle), y = h + radius * (double)rvi_sinf(angle);
        double inner = w + 0.6 * (x - w), deeper = h + 0.6 * (y - h);
        hold(c, spans, x, y, z * (double)r->base);
        hold(c, spans, inner, deeper, z * (double)r->high);
    }
}

/* How much higher the far part lies than the near one, seen from `azimuth`. */
static double rise(const rvi_relief *r, float azimuth) {
    float angle = azimuth * (float)DEGREE;
    double east = -(double)rvi_sinf(angle), south = (double)rvi_cosf(angle), sum = 0;
    for (int j = 0; j <= SAMPLES; j++)
        for (int i = 0; i <= SAMPLES; i++) {
            int x = (int)((int64_t)(r->width - 1) * i / SAMPLES);
            int y = (int)((int64_t)(r->height - 1) * j / SAMPLES);
            double ahead = (2.0 * i / SAMPLES - 1) * east + (2.0 * j / SAMPLES - 1) * south;
            /* What stands close to the camera hides the rest. */
            ahead = ahead < 0 ? 2 * ahead * ahead * ahead : ahead;
            sum += ahead * (double)(r->upper[(size_t)y * (size_t)r->width + (size_t)x] - r->low);
        }
    return sum;
}

float rvi_camera_side(const rvi_relief *r) {
    static const float sides[] = {213, 147, 237, 123, 303, 57, 327, 33};
    float best = sides[0];
    double most = rise(r, best);
    for (int k = 1; k < 8; k++) {
        double now = rise(r, sides[k]);
        if (now > most) {
            most = now;
            best = sides[k];
        }
    }
    return best;
}

static void turn_to(rvi_camera *c, float azimuth, double sin_down, double cos_down) {
    float angle = azimuth * (float)DEGREE;
    double east = -(double)rvi_sinf(angle), south = (double)rvi_cosf(angle);
    double right[3] = {-south, east, 0};
    double up[3] = {sin_down * east, sin_down * south, cos_down};
    double forward[3] = {cos_down * east, cos_down * south, -sin_down};
    for (int k = 0; k < 3; k++) {
        c->right[k] = right[k];
        c->up[k] = up[k];
        c->forward[k] = forward[k];
    }
}

/* A camera that comes near stays above the ground, and above the floor beside the block. */
static void stay_above(rvi_camera *c, const rvi_relief *r, double z) {
    double x = c->from[0] / (double)r->cell, y = c->from[1] / (double)r->cell;
    bool inside = x >= 0 && y >= 0 && x <= r->width - 1 && y <= r->height - 1;
    float ground = inside ? rvi_grid_at(r->upper, r->width, r->height, x, y) : r->base;
    double side = (double)((r->width > r->height ? r->width : r->height) - 1) * (double)r->cell;
    double least = z * (double)ground + 0.01 * side;
    c->from[2] = c->from[2] < least ? least : c->from[2];
}

/* Turned, with spans that hold nothing yet. */
static rvi_camera aim(const rvi_shot *shot, span spans[2]) {
    float half = 0.5f * shot->fov * (float)DEGREE, down = shot->elevation * (float)DEGREE;
    rvi_camera c = {.width = shot->width, .height = shot->height};
    c.tangent = (double)rvi_sinf(half) / (double)rvi_cosf(half);
    turn_to(&c, shot->azimuth, (double)rvi_sinf(down), (double)rvi_cosf(down));
    double wide = 0.9 * c.tangent * ((double)shot->width / shot->height);
    spans[0] = (span){wide, wide, 1e300, -1e300};
    spans[1] = (span){0.88 * c.tangent, 0.78 * c.tangent, 1e300, -1e300};
    return c;
}

static void stand(rvi_camera *c, const span spans[2], const double middle[3], double distance) {
    double back = 1e300, across[2];
    for (int k = 0; k < 2; k++) {
        double most = (spans[k].low - spans[k].high) / (spans[k].below + spans[k].above);
        back = most < back ? most : back;
    }
    double at = rvi_dot3(middle, c->forward);
    double ahead = at - (at - back) * distance;
    /* The nearer the camera comes, the more it looks at the middle. */
    double near = distance < 1 ? 1 - distance : 0;
    for (int k = 0; k < 2; k++) {
        /* What is left over on both sides is shared, upright most of it is sky. */
        double low = spans[k].low - spans[k].below * back;
        double high = spans[k].high + spans[k].above * back;
        double framed = low + (k == 0 ? 0.5 : 0.3) * (high - low);
        across[k] = framed + near * (rvi_dot3(middle, k == 0 ? c->right : c->up) - framed);
    }
    for (int k = 0; k < 3; k++)
        c->from[k] = across[0] * c->right[k] + across[1] * c->up[k] + ahead * c->forward[k];
    c->nearest = at - ahead;
}

static double not_below_0(double x) {
    return x > 0 ? x : 0;
}

rvi_camera rvi_camera_frame(const rvi_relief *r, const rvi_shot *shot) {
    span spans[2];
    rvi_camera c = aim(shot, spans);
    if (shot->steady)
        hold_drum(&c, r, (double)shot->z, spans);
    else
        hold_block(&c, r, (double)shot->z, spans);
    double middle[3] = {0.5 * (r->width - 1) * (double)r->cell,
                        0.5 * (r->height - 1) * (double)r->cell,
                        0.5 * (double)shot->z * (double)(r->low + r->high)};
    stand(&c, spans, middle, (double)shot->distance);
    double radius = sqrt(middle[0] * middle[0] + middle[1] * middle[1]);
    c.nearest = not_below_0(c.nearest - radius);
    stay_above(&c, r, (double)shot->z);
    return c;
}

static double ground_at(const rvi_relief *r, const double place[3], double offset) {
    double x = (place[0] + offset) / (double)r->cell, y = (place[1] + offset) / (double)r->cell;
    return (double)rvi_grid_at(r->upper, r->width, r->height, x, y);
}

rvi_camera rvi_camera_place(const rvi_relief *r, const rvi_shot *shot, double offset) {
    span spans[2];
    rvi_camera c = aim(shot, spans);
    double to[3], z = (double)shot->z;
    for (int k = 0; k < 2; k++) {
        c.from[k] = shot->eye[k] + offset;
        to[k] = shot->target[k] + offset - c.from[k];
    }
    c.from[2] = z * ground_at(r, shot->eye, offset) + shot->eye[2];
    to[2] = z * ground_at(r, shot->target, offset) + shot->target[2] - c.from[2];
    double flat = sqrt(to[0] * to[0] + to[1] * to[1]), length = rvi_length3(to);
    double east = flat > 0 ? to[0] / flat : 0, south = flat > 0 ? to[1] / flat : -1;
    double down = length > 0 ? -to[2] / length : 0, ahead = length > 0 ? flat / length : 1;
    const double right[3] = {-south, east, 0}, up[3] = {down * east, down * south, ahead},
                 forward[3] = {ahead * east, ahead * south, -down};
    for (int k = 0; k < 3; k++) {
        c.right[k] = right[k];
        c.up[k] = up[k];
        c.forward[k] = forward[k];
    }
    return c;
}

rvi_camera rvi_camera_from(const rvi_relief *r, const rvi_shot *shot, const double middle[3],
                           double far) {
    span spans[2];
    rvi_camera c = aim(shot, spans);
    for (int k = 0; k < 3; k++)
        c.from[k] = middle[k] - far * c.forward[k];
    stay_above(&c, r, (double)shot->z);
    return c;
}

rvi_camera rvi_camera_around(const double low[3], const double high[3], const rvi_shot *shot) {
    span spans[2];
    rvi_camera c = aim(shot, spans);
    double middle[3], square = 0;
    for (int k = 0; k < 8; k++)
        hold(&c, spans, k & 1 ? low[0] : high[0], k & 2 ? low[1] : high[1],
             k & 4 ? low[2] : high[2]);
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
        square += (high[k] - middle[k]) * (high[k] - middle[k]);
    }
    stand(&c, spans, middle, (double)shot->distance);
    c.nearest = not_below_0(c.nearest - sqrt(square));
    return c;
}
