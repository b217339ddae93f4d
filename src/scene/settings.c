/* settings.c: the settings file of V. Skorkovska, Modeling of Erosion Impacts on the Terrain
 * (2012), appendix B, as words of a scene.
 *
 *     # what begins so is left aside, and so are lines of dashes
 *     m FILE REVERSE SCALE MOVE     a model; the first is the box: neither worn nor divided
 *     f EVERY AT SIZE               a source: new particles every so many frames
 *     p MOST                        particles
 *     d LIMIT                       of tessellation
 *     s CHANGE MOST CRITICAL        the material
 *
 * Vectors are x/y/z. The library behind that program keeps its lengths in units of 4 mm: particles
 * at rest are 1.525 of them apart. Here a unit is a metre, and gravity makes a frame of 0.003 s one
 * of 0.0474 s. A particle of that program takes CHANGE (stress - CRITICAL) cubic units in a frame,
 * and holds MOST of them; words of scenes speak of metres a second over the area of a particle, and
 * of its volume.
 */
#include "scene/settings.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define SPACING 1.525
#define FRAME 0.0474

enum { PARTS = 6, LINE = 512 };

typedef struct part {
    const char *text;
    size_t size;
} part;

typedef struct settings {
    rv_context *ctx;
    const char *name;
    int line;
    part parts[PARTS]; /* of the line */
    size_t count;
    bool box; /* is there one? */
    char *out;
    size_t used, room;
} settings;

/* ---- lines ---- */

static size_t line_size(const char *at) {
    return strcspn(at, "\n");
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Cuts a line into its parts; more than there is room for count as one more. */
static void cut(settings *s, const char *at, size_t size) {
    s->count = 0;
    for (size_t i = 0; i < size;) {
        size_t end = i;
        while (end < size && !is_blank(at[end]))
            end++;
        if (end > i && s->count < PARTS)
            s->parts[s->count++] = (part){at + i, end - i};
        i = end > i ? end : i + 1;
    }
}

/* Nothing, a comment or a line of dashes? */
static bool says_nothing(const settings *s) {
    if (s->count == 0 || s->parts[0].text[0] == '#')
        return true;
    for (size_t i = 0; i < s->parts[0].size; i++)
        if (s->parts[0].text[i] != '-')
            return false;
    return s->count == 1;
}

bool rvi_settings_are(const char *text) {
    settings s = {0};
    for (size_t size; *text; text += size + (text[size] != '\0')) {
        size = line_size(text);
        cut(&s, text, size);
        if (!says_nothing(&s))
            return s.parts[0].size == 1 && strchr("mfpds", s.parts[0].text[0]) != NULL;
    }
    return false;
}

/* ---- values ---- */

static rv_status expected(const settings *s, const char *what) {
    return rvi_fail(s->ctx, RV_ERROR_INPUT, "%s, line %d: %s was expected.", s->name, s->line,
                    what);
}

/* A number within a range; what the sentence calls it is `what`. */
static rv_status number(const settings *s, size_t place, double low, double high, bool whole,
                        const char *what, double *out) {
    const part *p = &s->parts[place];
    char sentence[LINE];
    if (rvi_text_number(p->text, p->size, out) && *out >= low && *out <= high &&
        (!whole || *out == (double)(int64_t)*out))
        return RV_OK;
    snprintf(sentence, sizeof sentence, "%s, %s from %g to %g, not \"%.*s\",", what,
             whole ? "a whole number" : "a number", low, high, (int)(p->size < 60 ? p->size : 60),
             p->text);
    return expected(s, sentence);
}

static rv_status vector(const settings *s, size_t place, double low, double high, const char *what,
                        double out[3]) {
    const part *p = &s->parts[place];
    char sentence[LINE];
    bool good = rvi_text_vector(p->text, p->size, out);
    for (int i = 0; i < 3; i++)
        good = good && out[i] >= low && out[i] <= high;
    if (good)
        return RV_OK;
    snprintf(sentence, sizeof sentence,
             "%s, three numbers from %g to %g such as 1/2/3, not \"%.*s\",", what, low, high,
             (int)(p->size < 60 ? p->size : 60), p->text);
    return expected(s, sentence);
}

/* ---- words ---- */

static rv_status say(settings *s, const char *text) {
    size_t size = strlen(text);
    if (s->used + size + 1 > s->room) {
        size_t room = 2 * (s->room + size + 1);
        char *larger = rvi_alloc(s->ctx, room, 1, "the scene");
        if (larger == NULL)
            return RV_ERROR_MEMORY;
        if (s->used > 0)
            memcpy(larger, s->out, s->used);
        rvi_free(s->ctx, s->out);
        s->out = larger;
        s->room = room;
    }
    memcpy(s->out + s->used, text, size + 1);
    s->used += size;
    return RV_OK;
}

/* The same for numbers: a program may have set a locale with another point. */
static rv_status say_numbers(settings *s, char *text) {
    for (char *c = text; *c; c++)
        *c = *c == ',' ? '.' : *c;
    return say(s, text);
}

static rv_status read_model(settings *s) {
    double reverse, scale[3], move[3];
    const part *file = &s->parts[1];
    if (s->count != 5)
        return expected(s, "m FILE REVERSE SCALE MOVE, as in m rock.obj 0 1/1/1 0/0/0,");
    if (memchr(file->text, '"', file->size) != NULL || file->size > 4000)
        return expected(s, "the name of a file without quotes");
    rv_status status = number(s, 2, 0, 1, true, "whether faces are turned over", &reverse);
    if (status == RV_OK)
        status = vector(s, 3, 1e-6, 1e6, "a scale", scale);
    if (status == RV_OK)
        status = vector(s, 4, -1e6, 1e6, "a translation", move);
    if (status != RV_OK)
        return status;
    char name[4096], rest[LINE];
    snprintf(name, sizeof name, "%s file=\"%.*s\"", s->box ? "model" : "box", (int)file->size,
             file->text);
    snprintf(rest, sizeof rest, " scale=%.17g/%.17g/%.17g move=%.17g/%.17g/%.17g%s\n", scale[0],
             scale[1], scale[2], move[0], move[1], move[2],
             s->box && reverse > 0 ? " reverse=yes" : "");
    s->box = true;
    status = say(s, name);
    return status == RV_OK ? say_numbers(s, rest) : status;
}

static rv_status read_source(settings *s) {
    double every, at[3], size[3];
    char text[LINE];
    if (s->count != 4)
        return expected(s, "f EVERY AT SIZE, as in f 10 0/0/10 3/3/3,");
    rv_status status = number(s, 1, 1, 1e9, true, "frames between new particles", &every);
    if (status == RV_OK)
        status = vector(s, 2, -1e6, 1e6, "a place", at);
    if (status == RV_OK)
        status = vector(s, 3, 0, 1e6, "a size", size);
    if (status != RV_OK)
        return status;
    snprintf(text, sizeof text, "source at=%.17g/%.17g/%.17g size=%.17g/%.17g/%.17g every=%.0f\n",
             at[0], at[1], at[2], size[0], size[1], size[2], every);
    return say_numbers(s, text);
}

static rv_status read_particles(settings *s) {
    double most;
    char text[LINE];
    if (s->count != 2)
        return expected(s, "p MOST, as in p 1000,");
    rv_status status = number(s, 1, 1, 268435456, true, "how many particles there may be", &most);
    if (status != RV_OK)
        return status;
    snprintf(text, sizeof text, "particles max=%.0f spacing=%.17g\n", most, SPACING);
    return say_numbers(s, text);
}

static rv_status read_limit(settings *s) {
    double limit;
    char text[LINE];
    if (s->count != 2)
        return expected(s, "d LIMIT, as in d 2.5,");
    rv_status status = number(s, 1, 1e-6, 1e6, false, "a distance", &limit);
    if (status != RV_OK)
        return status;
    snprintf(text, sizeof text, "tessellate limit=%.17g\n", limit);
    return say_numbers(s, text);
}

static rv_status read_material(settings *s) {
    double change, most, critical;
    char text[LINE];
    if (s->count != 4)
        return expected(s, "s CHANGE MOST CRITICAL, as in s 0.02 1.0 0.25,");
    rv_status status = number(s, 1, 0, 100, false, "how fast rock is taken", &change);
    if (status == RV_OK)
        status = number(s, 2, 0, 10, false, "how much a particle holds", &most);
    if (status == RV_OK)
        status = number(s, 3, 0, 1e6, false, "the critical shear", &critical);
    if (status != RV_OK)
        return status;
    snprintf(text, sizeof text, "material critical=%.9g rate=%.9g\nwear capacity=%.9g\n", critical,
             change / (SPACING * SPACING * FRAME), most / (SPACING * SPACING * SPACING));
    return say_numbers(s, text);
}

static rv_status read_line(settings *s) {
    switch (s->parts[0].size == 1 ? s->parts[0].text[0] : '?') {
    case 'm':
        return read_model(s);
    case 'f':
        return read_source(s);
    case 'p':
        return read_particles(s);
    case 'd':
        return read_limit(s);
    case 's':
        return read_material(s);
    default:
        return expected(s, "m, f, p, d, s or #");
    }
}

rv_status rvi_settings_read(rv_context *ctx, const char *text, const char *name, char **out) {
    settings s = {.ctx = ctx, .name = name};
    *out = NULL;
    char spacing[LINE];
    snprintf(spacing, sizeof spacing, "particles spacing=%.17g\n", SPACING);
    rv_status status = say_numbers(&s, spacing);
    for (size_t size; *text && status == RV_OK; text += size + (text[size] != '\0')) {
        size = line_size(text);
        s.line++;
        cut(&s, text, size);
        if (!says_nothing(&s))
            status = read_line(&s);
        if (status == RV_OK)
            status = rvi_poll(ctx);
    }
    if (status == RV_OK)
        *out = s.out;
    else
        rvi_free(ctx, s.out);
    return status;
}
