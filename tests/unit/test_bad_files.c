/* What is no heightmap is refused in one sentence and leaves the land alone; a save that fails
 * leaves the file that was there. */
#include "format_files.h"

#include "formats/exr.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- What is refused ---- */

typedef struct bad_input {
    const char *file;
    const char *bytes;
    size_t size;
    const char *sidecar; /* NULL: none */
    const char *words;
} bad_input;

#define BYTES(text) text, sizeof(text) - 1
#define PNG_HEAD "\x89PNG\r\n\x1a\n\0\0\0\x0d"

static const bad_input bad_inputs[] = {
    {"b.r16", BYTES(""), NULL, "b.r16 is empty"},
    {"b.r16", BYTES("ab"), NULL, "a single cell"},
    {"b.r16", BYTES("abc"), NULL, "b.r16 has 3 bytes"},
    {"b.r16", BYTES("abcdefgh."), NULL, "2 x 2 would be 8"},
    {"b.r16", BYTES("abcdefgh."), "{\"width\": 4, \"height\": 1}",
     "b.r16 has 9 bytes, expected 8: 4 x 1 cells of 2 bytes"},
    {"b.r16", BYTES("abcdef"), "{\"width\": 4, \"height\": 1}", "b.r16 has 6 bytes, expected 8"},
    {"b.r16", BYTES("abcdef"), "{\"width\": 4}", "expected a multiple of 8"},
    {"b.r16", BYTES("abcdefgh"), "{\"height\": 3}", "2 cells high"},
    {"b.r16", BYTES("abcdefgh"), "{\"byte_order\": \"big\"}", "little"},
    {"b.r32", BYTES(""), NULL, "b.r32 is empty"},
    {"b.r32", BYTES("abcd"), NULL, "a single cell"},
    {"b.r32", BYTES("\0\0\0\0\0\0\0\0\0\0\xc0\x7f\0\0\0\0"), NULL,
     "b.r32: the value at row 1, column 0 (counted from 0) is not a number"},
    {"b.r32", BYTES("\0\0\0\0\0\0\x80\xff\0\0\0\0\0\0\0\0"), NULL,
     "row 0, column 1 (counted from 0) is infinite"},
    {"b.r32", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\xff"), NULL,
     "row 1, column 1 (counted from 0) is -3.40282e+38 m"},
    {"b.npy", BYTES(""), NULL, "b.npy is empty"},
    {"b.npy", BYTES("\x93NUM"), NULL, "b.npy is cut off within its header"},
    {"b.npy", BYTES("\x93NUMPY\x01\x00\x76\x00{'descr'"), NULL, "cut off"},
    {"b.npy", BYTES("\x93NUMPY\x02\x00\x76\x00"), NULL, "cut off"},
    {"b.npy", BYTES("\x93NUMPY\x09\x00\x76\x00"), NULL, "version 9"},
    {"b.npy", BYTES("\x93NUMPY\x02\x00\xff\xff\xff\xff"), NULL, "too long"},
    {"b.npy", BYTES("PK\x03\x04 and so on"), NULL, "looks like a ZIP archive"},
    {"b.npy", BYTES("what is this"), NULL, "b.npy is not a NumPy array."},
    {"b.xyz", BYTES("II*\0"), NULL, ".npy, .tif, .asc or .exr"},
    {"b", BYTES("abcd"), NULL, ".npy, .tif, .asc or .exr"},
#ifdef RAVINE_PNG
    {"b.png", BYTES(""), NULL, "b.png is empty"},
    {"b.png", BYTES("\xff\xd8\xff\xe0\0"), NULL, "looks like a JPEG picture"},
    {"b.png", BYTES("MM\0*\0\0"), NULL, "looks like a TIFF picture"},
    {"b.png", BYTES("version https://git-lfs.github.com/spec/v1\n"), NULL, "Git LFS"},
    {"b.png", BYTES("hello"), NULL, "b.png is not a PNG picture."},
    {"b.png", BYTES("\x89PNG\r\n\x1a\n\0\0"), NULL, "cut off within its header"},
    {"b.png", BYTES(PNG_HEAD "JUNK\0\0\0\2\0\0\0\2\x08\0\0\0\0abcd"), NULL,
     "the header of the PNG is damaged"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\2\0\0\0\2\x07\0\0\0\0abcd"), NULL,
     "the header of the PNG is damaged"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\2\0\0\0\2\x10\3\0\0\0abcd"), NULL,
     "b.png is damaged: libpng says"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0abcd"), NULL, "single cell"},
    {"b.png", BYTES(PNG_HEAD "IHDR\xff\xff\xff\xff\0\0\0\1\x08\0\0\0\0abcd"), NULL,
     "4294967295 x 1 cells"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\0\0\0\0\1\x08\0\0\0\0abcd"), NULL, "0 x 1 cells"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\1\0\0\0\1\0\0\x10\0\0\0\0abcd"), NULL,
     "b.png has only 33 bytes; its header says 65536 x 65536"},
#endif
};

/* Beside a good c.r16 of 2 x 2 cells. */
static const struct {
    const char *text, *words;
} bad_sidecars[] = {
    {"", "c.r16.ravine.json, line 1: an object"},
    {"[]", "line 1: an object"},
    {"{", "a string in quotes"},
    {"{\"a\": 1,}", "a string in quotes"},
    {"{\"a\" 1}", "a colon"},
    {"{\"a\": 1 \"b\": 2}", "a comma or }"},
    {"{\"a\": 01}", "line 1"},
    {"{\"a\": 1.}", "a number"},
    {"{\"a\": 2k}", "a comma or }"},
    {"{\"a\": nil}", "a value"},
    {"{\"a\": \"\\x\"}", "JSON does not allow"},
    {"{\"a\": \"\\u12g4\"}", "JSON does not allow"},
    {"{\"a\": \"\n\"}", "JSON does not allow"},
    {"{\n\n\"a\": \"", "line 3: a string has no end"},
    {"{} {}", "nothing may follow"},
    {"{\"a\": [1, 2}", "closing bracket"},
    {"{\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deeply"},
    {"{\"width\": \"2\"}", "width must be a whole number"},
    {"{\"width\": 2.5}", "width must be a whole number"},
    {"{\"height\": 0}", "height must be a whole number"},
    {"{\"height\": 1e99}", "height must be a whole number"},
    {"{\"min_m\": true}", "min_m must be a number"},
    {"{\"max_m\": 1e60}", "max_m must be a number"},
    {"{\"cell_m\": 0}", "cell_m must be a number above 0"},
    {"{\"cell_m\": null}", "cell_m must be a number"},
    {"{\"min_m\": 5, \"max_m\": 1}", "min_m 5 is above max_m 1"},
    {"{\"row_order\": \"south first\"}", "row_order must be \"north first\""},
    {"{\"row_order\": 7}", "row_order must be \"north first\""},
    {"{\"registration\": \"\"}", "registration must be \"node\""},
    {"{\"byte_order\": \"middle\"}", "byte_order must be \"little\" or \"big\""},
};

#define F4 "{'descr': '<f4', 'fortran_order': False, 'shape': "

static const struct {
    const char *dictionary, *values;
    size_t size;
    const char *words;
} bad_arrays[] = {
    {"{'descr'", BYTES(""), "the header of the NumPy array is damaged"},
    {"{}", BYTES(""), "damaged"},
    {F4 "(2, 2)} x", BYTES(""), "damaged"},
    {F4 "(2, 2), 'x': 1}", BYTES(""), "damaged"},
    {F4 "(2, -2)}", BYTES(""), "damaged"},
    {F4 "(2 2)}", BYTES(""), "damaged"},
    {F4 "(2, 2", BYTES(""), "damaged"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", BYTES(""), "damaged"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}", BYTES(""), "an unsupported type"},
    {"{'descr': '|u2', 'fortran_order': False, 'shape': (2, 2)}", BYTES(""), "an unsupported type"},
    {"{'descr': [('a', '<f4')], 'shape': ()}", BYTES(""), "an unsupported type"},
    {F4 "()}", BYTES(""), "0 dimensions"},
    {F4 "(4,)}", BYTES(""), "1 dimension;"},
    {F4 "(2, 2, 1)}", BYTES(""), "3 dimensions"},
    {F4 "(1, 1)}", BYTES("1234"), "single cell"},
    {F4 "(0, 4)}", BYTES(""), "1 to 65536"},
    {F4 "(65537, 4)}", BYTES(""), "1 to 65536"},
    {F4 "(18446744073709551615, 18446744073709551615)}", BYTES(""), "1 to 65536"},
    {F4 "(99999999999999999999999, 2)}", BYTES(""), "damaged"},
    {F4 "(65536, 65536)}", BYTES(""), "expected 17179869"},
    {F4 "(1, 2)}", BYTES("12345678."), "bytes, expected"},
    {F4 "(1, 2)}", BYTES("1234567"), "says 2 x 1 cells of 4 bytes"},
    {F4 "(1, 2)}", BYTES("1234\0\0\x80\x7f"), "row 0, column 1 (counted from 0) is infinite"},
    {"{'descr': '>f8', 'fortran_order': True, 'shape': (2, 1)}",
     BYTES("\0\0\0\0\0\0\0\0\x7f\xe0\0\0\0\0\0\0"), "row 1, column 0 (counted from 0) is infinite"},
};

static void assert_refused(rv_context *ctx, const char *file, const char *words) {
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = open_file(land, file);
    if (status != RV_ERROR_INPUT)
        fail_msg("%s instead of \"%s\"", rv_status_text(status), words);
    assert_says(ctx, words);
    assert_says(ctx, file);
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    forget(file);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof bad_inputs / sizeof bad_inputs[0]; i++) {
        const bad_input *bad = &bad_inputs[i];
        char sidecar[64];
        snprintf(sidecar, sizeof sidecar, "%s.ravine.json", bad->file);
        write_file(bad->file, bad->bytes, bad->size);
        if (bad->sidecar != NULL)
            write_text(sidecar, bad->sidecar);
        assert_refused(ctx, bad->file, bad->words);
    }
    rv_context_destroy(ctx);
}

static void bad_arrays_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < sizeof bad_arrays / sizeof bad_arrays[0]; i++) {
        put_npy(b, 1, bad_arrays[i].dictionary);
        put(b, bad_arrays[i].values, bad_arrays[i].size);
        write_file("b.npy", b->data, b->size);
        assert_refused(ctx, "b.npy", bad_arrays[i].words);
    }
    put_npy(b, 1, F4 "(1, 2)}");
    put(b, "12345678", 8);
    write_file("b.npy", b->data, b->size);
    write_text("b.npy.ravine.json", "{\"width\": 3}");
    assert_refused(ctx, "b.npy", "2 cells wide, but b.npy.ravine.json says 3");
    free(b);
    rv_context_destroy(ctx);
}

static void bad_sidecars_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof bad_sidecars / sizeof bad_sidecars[0]; i++) {
        write_file("c.r16", "abcdefgh", 8);
        write_text("c.r16.ravine.json", bad_sidecars[i].text);
        assert_refused(ctx, "c.r16", bad_sidecars[i].words);
    }
    rv_context_destroy(ctx);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    assert_int_equal(open_file(land, "missing.r32"), RV_ERROR_INPUT);
    assert_says(ctx, "missing.r32");
    assert_int_equal(mkdir("folder.r32", 0777), 0);
    assert_int_equal(open_file(land, "folder.r32"), RV_ERROR_INPUT);
    assert_says(ctx, "folder.r32");
    assert_says(ctx, "directory");
    assert_int_equal(save(land, "folder.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "folder.r32");
    assert_false(exists("folder.r32.ravine.json"));
    assert_int_equal(rmdir("folder.r32"), 0);
    assert_int_equal(save(land, "nowhere/land.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "nowhere/land.r32");
    assert_int_equal(mkdir("x.r32.ravine.json", 0777), 0);
    assert_int_equal(save(land, "x.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "x.r32.ravine.json");
    assert_false(exists("x.r32"));
    assert_int_equal(rmdir("x.r32.ravine.json"), 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A sparse file may declare more than the memory limit; that is said before it is read. */
static void more_than_memory_is_refused(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.memory_limit = 1 << 20;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    write_text("big.r32", "");
    assert_int_equal(truncate("big.r32", 4 << 20), 0);
    assert_int_equal(open_file(land, "big.r32"), RV_ERROR_MEMORY);
    assert_says(ctx, "big.r32");
#ifdef RAVINE_PNG
    /* A small file of 8 MiB of heights. */
    blob *b = malloc(sizeof *b), *packed = malloc(sizeof *packed);
    assert_non_null(b);
    assert_non_null(packed);
    memset(b->data, 0, BYTES_MOST);
    uLongf size = BYTES_MOST;
    assert_int_equal(compress(packed->data, &size, b->data, BYTES_MOST), Z_OK);
    put_header(b, 2048, 1024, 1, 0, 0);
    put_chunk(b, "IDAT", packed->data, size);
    put_chunk(b, "IEND", "", 0);
    write_file("big.png", b->data, b->size);
    assert_int_equal(open_file(land, "big.png"), RV_ERROR_MEMORY);
    assert_says(ctx, "2048 x 1024 cells of big.png");
    free(b);
    free(packed);
    remove("big.png");
#endif
    assert_less_equal(rv_context_memory_peak(ctx), (size_t)1 << 20);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("big.r32");
}

/* ---- Saving ---- */

static void the_line_of_save_names_all(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = rough_land(ctx, 5, 4, 0.0f, 131.07f);
    char hash[32];
    snprintf(hash, sizeof hash, "hash %016llx\n", (unsigned long long)rv_terrain_hash(land));
    support_ok(ctx, save(land, "line.r16"));
    assert_logged("line.r16: 5 x 4 cells, 16 bit, one level is 0.002 m, hash ");
    assert_logged(hash);
    log_text[0] = '\0';
    support_ok(ctx, save(land, "line.npy"));
    assert_logged("line.npy: 5 x 4 cells, float32 metres, hash ");
    float flow[20] = {0};
    flow[7] = 3.0f;
    support_ok(ctx, rv_terrain_field_set(land, "flow", flow));
    rv_save_params p = rv_save_params_default();
    p.file = "line.r16";
    p.field = "flow";
    p.high = 2.0f;
    log_text[0] = '\0';
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
    assert_logged("line.r16: flow, 5 x 4 cells, 16 bit, one level is 3.05e-05, 1 cells cut to "
                  "0 ... 2, hash ");
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file("line.r16", b);
    assert_memory_equal(b->data + 12, "\0\0\xff\xff\0\0", 6);
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("line.r16");
    forget("line.npy");
}

static void wrong_wishes_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 5, 4, 0.0f, 10.0f);
    float zero[20] = {0};
    support_ok(ctx, rv_terrain_field_set(land, "flow", zero));
    support_ok(ctx, rv_terrain_field_set(land, "eroded", zero));
    rv_save_params p = rv_save_params_default();
    p.file = "wish.r16";
    p.field = "flown";
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "no field \"flown\" to save; there is height, eroded, flow");
    p.field = "height";
    p.file = "wish.xyz";
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "wish.xyz: the name must end in ");
    assert_says(ctx, ".npy, .tif, .asc or .exr");
    p.file = "wish.r16";
    p.low = 5.0f;
    p.high = 5.0f;
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "wish.r16: low=5 is not below high=5");
    p.low = 11.0f;
    p.high = RV_AUTO;
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "low=11 is not below high=10");
    assert_false(exists("wish.r16") || exists("wish.r16.ravine.json"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- When memory, disk or patience run out ---- */

/* Calls save or open with the n-th allocation failing, for every n until none fails. */
static void try_every_allocation(const char *file, bool opening) {
    support_memory memory = {.left = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.allocator = support_allocator(&memory);
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    if (opening)
        support_ok(ctx, save(land, file));
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = RV_ERROR_MEMORY;
    long n = 0;
    for (; status != RV_OK; n++) {
        long held = memory.held;
        memory.left = n;
        status = opening ? open_file(land, file) : save(land, file);
        memory.left = -1;
        if (status == RV_OK)
            break;
        assert_int_equal(status, RV_ERROR_MEMORY);
        assert_not_equal(rv_context_error(ctx)[0], '\0');
        assert_int_equal(memory.held, held);
        assert_equal(rv_terrain_hash(land), hash);
        if (!opening) {
            char sidecar[64];
            snprintf(sidecar, sizeof sidecar, "%s.ravine.json", file);
            assert_false(exists(file) || exists(sidecar));
        }
        assert_less(n, 1000);
    }
    assert_greater(n, 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
    forget(file);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    static const char *const files[] = {"fail.r16", "fail.r32", "fail.npy",
#ifdef RAVINE_PNG
                                        "fail.png",
#endif
                                        "fail.exr"};
    const size_t count = sizeof files / sizeof files[0] - (rvi_exr_there() ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        try_every_allocation(files[i], false);
        try_every_allocation(files[i], true);
    }
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *old = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    rv_terrain *new = rough_land(ctx, 200, 200, 0.0f, 1.0f);
    static const char *const files[] = {"disk.r16", "disk.r32", "disk.npy",
#ifdef RAVINE_PNG
                                        "disk.png",
#endif
                                        "disk.exr"};
    const size_t count = sizeof files / sizeof files[0] - (rvi_exr_there() ? 0 : 1);
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < count; i++)
        for (int there = 0; there < 2; there++) {
            uint64_t hash = rv_terrain_hash(old);
            if (there)
                support_ok(ctx, save(old, files[i]));
            little = before;
            little.rlim_cur = 10000;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
            rv_status status = save(new, files[i]);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
            assert_int_equal(status, RV_ERROR_OUTPUT);
            assert_says(ctx, files[i]);
            char sidecar[64];
            snprintf(sidecar, sizeof sidecar, "%s.ravine.json", files[i]);
            assert_int_equal(exists(files[i]), there);
            assert_int_equal(exists(sidecar), there);
            if (there && strstr(files[i], ".r32") != NULL) {
                support_ok(ctx, open_file(old, files[i]));
                assert_equal(rv_terrain_hash(old), hash);
            }
            forget(files[i]);
        }
    signal(SIGXFSZ, SIG_DFL);
    rv_terrain_destroy(old);
    rv_terrain_destroy(new);
    rv_context_destroy(ctx);
}

/* Room for the heights, but not for the sidecar: neither is left new. */
static void a_sidecar_without_room_leaves_the_old_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 200;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    rv_status status = save(land, "room.r16");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, RV_ERROR_OUTPUT);
    assert_says(ctx, "room.r16.ravine.json");
    assert_false(exists("room.r16") || exists("room.r16.ravine.json"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static int answers_left;

static bool stop_when_none_left(void *user, const rv_progress *now) {
    (void)user;
    (void)now;
    return answers_left-- > 0;
}

static void a_stop_leaves_nothing(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.progress = stop_when_none_left;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    answers_left = 1000000;
    rv_terrain *land = rough_land(ctx, 64, 64, 0.0f, 1.0f);
    support_ok(ctx, save(land, "kept.npy"));
    uint64_t hash = rv_terrain_hash(land);
    answers_left = 0;
    assert_int_equal(open_file(land, "kept.npy"), RV_CANCELLED);
    answers_left = 0;
    assert_int_equal(save(land, "stop.r16"), RV_CANCELLED);
    assert_false(exists("stop.r16") || exists("stop.r16.ravine.json"));
    answers_left = 1000000;
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("kept.npy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(bad_sidecars_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(more_than_memory_is_refused),
        cmocka_unit_test(the_line_of_save_names_all),
        cmocka_unit_test(wrong_wishes_are_refused),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_sidecar_without_room_leaves_the_old_file),
        cmocka_unit_test(a_stop_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
