/* message.c: JSON that came in (RFC 8259), and messages that go out: four bytes with the length of
 * the JSON text, little-endian, the text, and the data in bulk that it tells the sizes of. */
#include "studio.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 8 };

typedef struct reader {
    char *at, *end;
    studio_json *nodes;
    size_t count, room;
} reader;

static void skip_blanks(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at))
        r->at++;
}

static bool take(reader *r, char c) {
    skip_blanks(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static int hex_digits(reader *r) {
    int code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char *digits = "0123456789abcdef";
        const char *found = NULL;
        if (r->at < r->end && *r->at)
            found = strchr(digits, *r->at >= 'A' && *r->at <= 'F' ? *r->at - 'A' + 'a' : *r->at);
        if (!found)
            return -1;
        code = code * 16 + (int)(found - digits);
    }
    return code;
}

static char *put_utf8(char *to, unsigned long code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xC0, 0xE0, 0xF0};
    *to++ = (char)(heads[more] | code >> (6 * more));
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> (6 * more) & 0x3F));
    return to;
}

/* What follows a backslash; NULL: nothing that JSON knows. Never longer than it was. */
static char *put_escape(reader *r, char *to) {
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (r->at >= r->end)
        return NULL;
    char c = *r->at++;
    const char *found = c ? strchr(names, c) : NULL;
    if (found) {
        *to++ = means[found - names];
        return to;
    }
    long code = c == 'u' ? hex_digits(r) : -1;
    if (code >= 0xD800 && code < 0xDC00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        long low = hex_digits(r);
        code =
            low >= 0xDC00 && low < 0xE000 ? 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00) : -1;
    }
    if (code <= 0 || (code >= 0xD800 && code < 0xE000))
        return NULL;
    return put_utf8(to, (unsigned long)code);
}

/* After its first quote; in place. NULL: not a text. */
static const char *read_text(reader *r) {
    char *start = r->at, *to = start;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\\') {
            r->at++;
            to = put_escape(r, to);
            if (!to)
                return NULL;
        } else if ((unsigned char)*r->at < 0x20) {
            return NULL;
        } else {
            *to++ = *r->at++;
        }
    }
    if (r->at >= r->end)
        return NULL;
    r->at++;
    *to = '\0';
    return start;
}

static bool read_number(reader *r, double *out) {
    char digits[64];
    size_t size = 0;
    while (r->at < r->end && size < sizeof digits - 1 && *r->at &&
           strchr("+-0123456789.eE", *r->at))
        digits[size++] = *r->at++;
    digits[size] = '\0';
    char *end;
    *out = strtod(digits, &end);
    return size > 0 && *end == '\0' && digits[0] != '+' && *out - *out == 0.0;
}

static bool take_word(reader *r, const char *word) {
    size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static studio_json *read_value(reader *r, int depth);

/* After its bracket. */
static bool read_members(reader *r, studio_json *list, int depth) {
    bool object = list->kind == STUDIO_OBJECT;
    char close = object ? '}' : ']';
    studio_json **last = &list->first;
    if (take(r, close))
        return true;
    do {
        const char *key = NULL;
        if (object && (!take(r, '"') || !(key = read_text(r)) || !take(r, ':')))
            return false;
        studio_json *value = read_value(r, depth - 1);
        if (!value)
            return false;
        value->key = key;
        *last = value;
        last = &value->next;
    } while (take(r, ','));
    return take(r, close);
}

static studio_json *read_value(reader *r, int depth) {
    skip_blanks(r);
    if (r->at >= r->end || depth == 0 || r->count == r->room)
        return NULL;
    studio_json *value = &r->nodes[r->count++];
    bool good = true;
    if (take(r, '{') || take(r, '[')) {
        value->kind = r->at[-1] == '{' ? STUDIO_OBJECT : STUDIO_LIST;
        good = read_members(r, value, depth);
    } else if (take(r, '"')) {
        value->kind = STUDIO_TEXT;
        value->text = read_text(r);
        good = value->text != NULL;
    } else if (take_word(r, "true")) {
        value->kind = STUDIO_TRUE;
    } else if (take_word(r, "false")) {
        value->kind = STUDIO_FALSE;
    } else if (take_word(r, "null")) {
        value->kind = STUDIO_NULL;
    } else {
        value->kind = STUDIO_NUMBER;
        good = read_number(r, &value->number);
    }
    return good ? value : NULL;
}

studio_json *studio_json_read(char *text, size_t size) {
    reader r = {.at = text, .end = text + size, .room = 1};
    for (size_t i = 0; i < size; i++) /* no value without one of these before it */
        r.room += strchr(",[{:", text[i]) && text[i] != '\0';
    r.nodes = calloc(r.room, sizeof *r.nodes);
    if (!r.nodes)
        return NULL;
    const studio_json *value = read_value(&r, DEPTH);
    skip_blanks(&r);
    if (value && r.at == r.end)
        return r.nodes; /* the first is the whole */
    free(r.nodes);
    return NULL;
}

const studio_json *studio_json_get(const studio_json *object, const char *key) {
    const studio_json *member = object && object->kind == STUDIO_OBJECT ? object->first : NULL;
    while (member && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

const char *studio_json_text(const studio_json *object, const char *key) {
    const studio_json *member = studio_json_get(object, key);
    return member && member->kind == STUDIO_TEXT ? member->text : "";
}

double studio_json_number(const studio_json *object, const char *key, double otherwise) {
    const studio_json *member = studio_json_get(object, key);
    return member && member->kind == STUDIO_NUMBER ? member->number : otherwise;
}

/* ---- out ---- */

bool studio_letter_begin(studio_letter *letter) {
    *letter = (studio_letter){.json = NULL};
    letter->json = open_memstream(&letter->text, &letter->text_size);
    if (letter->json)
        fputc('{', letter->json);
    return letter->json != NULL;
}

void *studio_letter_add(studio_letter *letter, size_t size) {
    if (letter->count == (int)(sizeof letter->data / sizeof letter->data[0]))
        return NULL;
    char *data = malloc(size ? size : 1);
    if (!data)
        return NULL;
    letter->sizes[letter->count] = size;
    letter->data[letter->count++] = data;
    return data;
}

static studio_packet *pack(const studio_letter *letter) {
    size_t size = 4 + letter->text_size;
    for (int i = 0; i < letter->count; i++)
        size += letter->sizes[i];
    studio_packet *packet = calloc(1, sizeof *packet);
    char *bytes = malloc(size);
    if (!packet || !bytes) {
        free(packet);
        free(bytes);
        return NULL;
    }
    packet->bytes = bytes;
    packet->size = size;
    for (int i = 0; i < 4; i++)
        *bytes++ = (char)(letter->text_size >> (8 * i));
    memcpy(bytes, letter->text, letter->text_size);
    bytes += letter->text_size;
    for (int i = 0; i < letter->count; i++) {
        memcpy(bytes, letter->data[i], letter->sizes[i]);
        bytes += letter->sizes[i];
    }
    return packet;
}

studio_packet *studio_letter_end(studio_letter *letter) {
    fputs(",\"buffers\":[", letter->json);
    for (int i = 0; i < letter->count; i++)
        fprintf(letter->json, "%s%zu", i ? "," : "", letter->sizes[i]);
    fputs("]}", letter->json);
    bool good = !ferror(letter->json);
    good = fclose(letter->json) == 0 && good;
    studio_packet *packet = good ? pack(letter) : NULL;
    for (int i = 0; i < letter->count; i++)
        free(letter->data[i]);
    free(letter->text);
    return packet;
}

studio_packet *studio_ok(double id) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"ok\"", id);
    return studio_letter_end(&letter);
}

studio_packet *studio_wrong(double id, int status, const char *sentence) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"wrong\",\"status\":%d,\"sentence\":", id, status);
    cli_json_text(letter.json, sentence);
    studio_packet *packet = studio_letter_end(&letter);
    if (packet)
        packet->stopped = status == RV_CANCELLED;
    return packet;
}

void studio_packet_free(studio_packet *packet) {
    if (packet)
        free(packet->bytes);
    free(packet);
}
