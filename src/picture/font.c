/* font.c: letters as strokes.
 *
 * Each letter is some strokes with blanks between, each stroke some points, each point two digits:
 * x from the left and y upwards. The base line is at y = 2, capitals end at 9, small letters at 7.
 * A stroke of one point is a dot.
 */
#include "picture/font.h"

#include <string.h>

enum { BASE = 2, CAPITAL = 7, GAP = 2, BLANK = 3 }; /* in units of the digits */

typedef struct letter {
    char sign;
    const char *strokes;
} letter;

static const letter LETTERS[] = {
    {'A', "023962 1454"},
    {'B', "02094958574606 4655534202"},
    {'C', "5849190803124253"},
    {'D', "02093957543202"},
    {'E', "59090252 0646"},
    {'F', "590902 0646"},
    {'G', "58491908031242535636"},
    {'H', "0209 5259 0656"},
    {'I', "0209"},
    {'J', "4943321203"},
    {'K', "0209 5905 2652"},
    {'L', "090252"},
    {'M', "0209356962"},
    {'N', "02095259"},
    {'O', "190803124253584919"},
    {'P', "02094958564505"},
    {'Q', "190803124253584919 3451"},
    {'R', "02094958564505 3552"},
    {'S', "584919080716455453421203"},
    {'T', "0969 3932"},
    {'U', "090312425359"},
    {'V', "093269"},
    {'W', "0922486289"},
    {'X', "0259 0952"},
    {'Y', "093569 3532"},
    {'Z', "09590252"},
    {'a', "4742 4637170603123243"},
    {'b', "0902 0617374643321203"},
    {'c', "4637170603123243"},
    {'d', "4942 4637170603123243"},
    {'e', "05454637170603123243"},
    {'f', "39291812 0737"},
    {'g', "4741301001 4637170603123243"},
    {'h', "0902 0617374642"},
    {'i', "0702 09"},
    {'j', "171100 19"},
    {'k', "0902 4704 1542"},
    {'l', "090312"},
    {'m', "0702 0617273632 3647576662"},
    {'n', "0702 0617374642"},
    {'o', "170603123243463717"},
    {'p', "0700 0617374643321203"},
    {'q', "4740 4637170603123243"},
    {'r', "0702 052737"},
    {'s', "46371706153443321203"},
    {'t', "19132232 0737"},
    {'u', "0703123243 4742"},
    {'v', "072247"},
    {'w', "0722364267"},
    {'x', "0742 0247"},
    {'y', "0722 4710"},
    {'z', "07470242"},
    {'0', "190803123243483919"},
    {'1', "072922 0242"},
    {'2', "08193948460242"},
    {'3', "08193948473616 364543321203"},
    {'4', "32390444"},
    {'5', "490906364543321203"},
    {'6', "4839190803123243453606"},
    {'7', "094912"},
    {'8', "190807163647483919 1605031232434536"},
    {'9', "0312324348391908061545"},
    {'.', "02"},
    {',', "1200"},
    {'-', "0535"},
    {'+', "0545 2327"},
    {'/', "0149"},
    {':', "03 06"},
    {'=', "0444 0646"},
    {'(', "29070321"},
    {')', "09272301"},
    {'%', "1259 0819281708 4354635243"},
    {'^', "072947"},
    {'\'', "0907"},
    {'?', "08193948472524 22"},
};
enum { COUNT = sizeof LETTERS / sizeof LETTERS[0] };

static const letter *find(char sign) {
    const letter *other = &LETTERS[COUNT - 1];
    for (int i = 0; i < COUNT; i++)
        if (LETTERS[i].sign == sign)
            return &LETTERS[i];
    return other;
}

/* Units from the start of a letter to the start of the next. */
static int advance(char sign) {
    if (sign == ' ')
        return BLANK;
    int width = 0;
    const char *s = find(sign)->strokes;
    while (*s) {
        if (*s == ' ') {
            s++;
            continue;
        }
        width = s[0] - '0' > width ? s[0] - '0' : width;
        s += 2;
    }
    return width + GAP;
}

float rvi_font_width(float size, const char *text) {
    int units = 0;
    for (; *text; text++)
        units += advance(*text);
    return (float)(units > GAP ? units - GAP : 0) * size / CAPITAL;
}

/* Where units become pixels: along the line and up from it. */
typedef struct placing {
    float x, y, scale;
    bool upwards;
} placing;

static rvi_point place(const placing *p, const char *digits, int units) {
    float along = (float)(units + digits[0] - '0') * p->scale;
    float up = (float)(digits[1] - '0' - BASE) * p->scale;
    return p->upwards ? (rvi_point){p->x - up, p->y - along} : (rvi_point){p->x + along, p->y - up};
}

static void draw(rvi_canvas *canvas, const placing *p, rvi_ink ink, const char *text) {
    float width = 0.14f * p->scale * CAPITAL;
    int units = 0;
    for (; *text; units += advance(*text++)) {
        if (*text == ' ')
            continue;
        for (const char *s = find(*text)->strokes; *s;) {
            rvi_point from = place(p, s, units);
            bool alone = s[2] == ' ' || s[2] == '\0';
            if (alone)
                rvi_canvas_line(canvas, from, from, width * 1.2f, ink);
            for (s += 2; *s && *s != ' '; s += 2) {
                rvi_point to = place(p, s, units);
                rvi_canvas_line(canvas, from, to, width, ink);
                from = to;
            }
            s += *s == ' ';
        }
    }
}

void rvi_font_write(rvi_canvas *canvas, float x, float y, float size, rvi_anchor anchor,
                    rvi_ink ink, const char *text) {
    float width = rvi_font_width(size, text);
    x -= anchor == RVI_RIGHT ? width : anchor == RVI_MIDDLE ? 0.5f * width : 0.0f;
    placing p = {x, y, size / CAPITAL, false};
    draw(canvas, &p, ink, text);
}

void rvi_font_write_upwards(rvi_canvas *canvas, float x, float y, float size, rvi_ink ink,
                            const char *text) {
    placing p = {x, y + 0.5f * rvi_font_width(size, text), size / CAPITAL, true};
    draw(canvas, &p, ink, text);
}
