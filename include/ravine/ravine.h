/* ravine.h: terrain that water and gravity have worn.
 *
 *     rv_context *ctx;
 *     rv_context_create(NULL, &ctx);
 *     rv_terrain *land;
 *     rv_terrain_create(ctx, &(rv_terrain_desc){.width = 512, .height = 512, .cell = 10.0f},
 * &land); rv_noise_params noise = rv_noise_params_default(); noise.seed = 7; rv_step_run(land,
 * RV_STEP_noise, &noise, NULL); rv_step_run(land, RV_STEP_droplets, NULL, NULL); const float
 * *height = rv_terrain_field(land, "height"); rv_terrain_destroy(land); rv_context_destroy(ctx);
 *
 * Units. Heights and cells are metres, angles are degrees. Row 0 is the north edge, column 0 the
 * west edge; cell (x, y) is at index y * width + x. Cells are samples: W of them span (W - 1) *
 * cell metres.
 *
 * Errors. A call that can fail returns a status; rv_context_error() then holds one sentence that
 * says why. Where a call fails, *out is NULL.
 *
 * Threads. A context and all that was made with it belong to one thread at a time; two contexts
 * share nothing.
 *
 * Floating point. The results do not depend on how your program rounds, flushes subnormal numbers
 * to zero or traps exceptions: every call sets what it needs, on all threads, and gives your state
 * back when it returns. Your callbacks run in your state, but for rv_erosion_factor_fn, which
 * computes in the library's: round to nearest, nothing flushed, no traps.
 *
 * How long pointers live, unless a comment says otherwise:
 *   - What you hand in is read during the call and not kept.
 *   - What a call hands out through rv_NOUN **out is yours until rv_NOUN_destroy(). Destroy it
 * before its context.
 *   - What a call returns as a pointer into an object (a field, a name, points of a mesh) lives
 * until that object changes or is destroyed. A step that runs on a terrain changes it.
 *   - Descriptions (rv_*_info and all they point to), and names, labels and units of figures, live
 * as long as the library is loaded.
 *   - What a callback gets lives until the callback returns.
 *
 * Names. Hand-written constants are RV_KIND_MAKE; those from the table end with the table's own
 * word, in its case: RV_STEP_noise, RV_noise_shape_ridged.
 */
#ifndef RAVINE_H
#define RAVINE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RV_VERSION "0.2.0"
#define RV_VERSION_NUMBER 200 /* 10000 * major + 100 * minor + patch */

#if defined(_WIN32) || !defined(__GNUC__)
#define RV_API
#else
#define RV_API __attribute__((visibility("default")))
#endif

/* ---- Status ------------------------------------------------------------------------------- */

typedef enum rv_status {
    RV_OK = 0,
    RV_CANCELLED,      /* the progress callback asked to stop */
    RV_ERROR_USAGE,    /* an unknown word, a value out of range, a call that makes no sense */
    RV_ERROR_INPUT,    /* a file that cannot be read or holds something else */
    RV_ERROR_OUTPUT,   /* a file that cannot be written */
    RV_ERROR_MEMORY,   /* more than the memory limit or the machine has */
    RV_ERROR_UNMET,    /* the land is not what a step requires of it; nothing else is wrong */
    RV_ERROR_VERSION,  /* the program was compiled with the header of another version */
    RV_ERROR_INTERNAL, /* a bug in Ravine */
    RV_ERROR_DEVICE,   /* a device that is not there, or that fails */
    RV_STATUS_COUNT
} rv_status;

RV_API const char *rv_status_text(rv_status status); /* a few words; lives as long as the library */
RV_API const char *rv_version(void);                 /* RV_VERSION of the linked library; as long */
RV_API int rv_version_number(void);                  /* the same as RV_VERSION_NUMBER */

/* ---- Context: threads, memory, messages ---------------------------------------------------- */

typedef struct rv_context rv_context;
typedef struct rv_terrain rv_terrain;

/* Where memory comes from. `release` gets the size that `allocate` was asked for. `user` must live
 * until the context is destroyed. */
typedef struct rv_allocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} rv_allocator;

/* How far the running step is. `land` is whole and may be read, or NULL when it may not. */
typedef struct rv_progress {
    const char *step; /* its name */
    double done;      /* 0 to 1: of the step */
    double total;     /* 0 to 1: of the recipe, where each run of a step counts the same */
    const rv_terrain *land;
} rv_progress;

typedef bool (*rv_progress_fn)(void *user, const rv_progress *now); /* false: stop */
typedef void (*rv_log_fn)(void *user, const char *line);
typedef void (*rv_made_fn)(void *user, const char *path, uint64_t bytes);

typedef struct rv_context_desc {
    int threads;             /* 0: one per core */
    size_t memory_limit;     /* bytes, 0: nine tenths of what the machine, its container and ulimit
                                allow */
    rv_allocator allocator;  /* NULL functions: malloc and free */
    rv_log_fn log;           /* what steps have to say, one line a call; NULL: silence */
    rv_progress_fn progress; /* called on the calling thread, at least every 100 ms; NULL: none */
    rv_made_fn made; /* a file was written and has its name, on the calling thread; NULL: none */
    void *user;      /* handed to all three; must live until the context is destroyed */
} rv_context_desc;

RV_API rv_context_desc rv_context_desc_default(void);
/* A new context; desc NULL: the defaults. rv_context_create(desc, out), at the end of this header,
 * calls it with rv_abi(), so that a program compiled with the header of another version gets
 * RV_ERROR_VERSION. A language that does not use this header's structs passes 0: not checked. */
RV_API rv_status rv_context_open(uint32_t abi, const rv_context_desc *desc, rv_context **out);
RV_API void rv_context_destroy(rv_context *ctx); /* after all made with it; NULL is fine */
RV_API const char *
rv_context_error(const rv_context *ctx); /* the last failure's sentence, until the next */
/* Does progress get the land? It does at first. To make it ready takes time on large maps, most of all
 * where a device has it. */
RV_API void rv_context_progress_land(rv_context *ctx, bool wanted);
RV_API int rv_context_threads(const rv_context *ctx);         /* how many threads it uses */
RV_API size_t rv_context_memory_used(const rv_context *ctx);  /* bytes held now */
RV_API size_t rv_context_memory_peak(const rv_context *ctx);  /* most bytes held at one time */
RV_API size_t rv_context_memory_limit(const rv_context *ctx); /* bytes */

/* ---- Devices: GPUs and what else OpenCL offers ------------------------------------------------
 */

/* Devices are numbered from 1. These stand for one, too: */
enum {
    RV_DEVICE_CPU = 0,   /* none: the processor does it */
    RV_DEVICE_AUTO = -1, /* the first GPU whose bits are the processor's, or the processor */
    RV_DEVICE_GPU = -2   /* the first GPU */
};

typedef struct rv_device_info {
    char platform[64], name[128], driver[64];
    uint64_t memory;  /* bytes */
    uint64_t largest; /* bytes that one grid may have */
    bool gpu;
    bool doubles; /* has them; without them noise is made by the processor */
} rv_device_info;

RV_API int rv_device_count(void);
RV_API bool rv_device_get(int device, rv_device_info *out); /* false: there is no such device */
/* Tries it: are its bits the processor's, and how many bytes does a copy in its memory read and
 * write in a second? */
RV_API rv_status rv_device_try(rv_context *ctx, int device, bool *same_bits, double *copy_rate);
/* Steps that can run on the device do from now on, with the same result; the processor runs the
 * others. RV_ERROR_DEVICE: it is not there, fails or has other bits, and the context is as it was.
 */
RV_API rv_status rv_context_use_device(rv_context *ctx, int device);
RV_API int rv_context_device(const rv_context *ctx); /* which it uses; 0: the processor */
/* How many bytes of its memory may be used; 0: nine tenths of it. Steps that need more run on the
 * processor, and a message says so. */
RV_API void rv_context_device_limit(rv_context *ctx, uint64_t bytes);

/* ---- Terrain: a grid of layered heights with named fields beside it -------------------------- */

typedef struct rv_terrain_desc {
    int width;  /* cells from west to east, 1 to 65536 */
    int height; /* cells from north to south, 1 to 65536; at least two cells in all */
    float cell; /* metres between neighbours */
} rv_terrain_desc;

/* One material of the stack. Layer 0 is bedrock: its thickness is a height and may be negative. */
typedef struct rv_layer_desc {
    const char *name;  /* copied by rv_terrain_layer_add */
    float erodibility; /* 0: cannot be eroded, 1: erodes fully */
    float talus;       /* talus angle in degrees: steeper slopes slide */
    uint32_t colour;   /* for pictures: 0xffRRGGBB; 0: none of its own */
} rv_layer_desc;

/* What a step did to the land, in cubic metres: before + eroded = deposited + left_map + suspended.
 * The volume of the land changes by raised + deposited - eroded. Each is measured by itself, where
 * it happens, and none is below 0. */
typedef struct rv_ledger {
    double eroded;    /* taken from the ground */
    double deposited; /* laid down on the ground */
    double left_map;  /* carried over the edge of the map */
    double suspended; /* still carried by water when the step ended */
    double raised;    /* lifted from below, or brought or filled up from outside */
    double before;    /* carried by water already when the step began */
} rv_ledger;

/* Adds what another step did after it: what was left in the water and found there counts once. */
RV_API void rv_ledger_add(rv_ledger *to, const rv_ledger *more);

/* Water, in cubic metres: before + rained = evaporated + absorbed + left_map + standing. */
typedef struct rv_water {
    double before; /* what stood on the land */
    double rained; /* rain and springs */
    double evaporated;
    double absorbed; /* by the ground: infiltration */
    double left_map; /* ran over the edge of the map */
    double standing; /* what stands on the land afterwards */
} rv_water;

RV_API rv_terrain_desc rv_terrain_desc_default(void); /* 512 x 512 cells of 10 m */
RV_API rv_status rv_terrain_create(rv_context *ctx, const rv_terrain_desc *desc,
                                   rv_terrain **out); /* flat, 0 m */
RV_API void rv_terrain_destroy(rv_terrain *land);
RV_API int rv_terrain_width(const rv_terrain *land);
RV_API int rv_terrain_height(const rv_terrain *land);
RV_API float rv_terrain_cell(const rv_terrain *land);

RV_API int rv_terrain_layer_count(const rv_terrain *land);                /* at least 1: bedrock */
RV_API rv_layer_desc rv_terrain_layer(const rv_terrain *land, int layer); /* 0 is the lowest */
RV_API const float *rv_terrain_layer_thickness(const rv_terrain *land,
                                               int layer); /* NULL: a device failed */
RV_API rv_ledger rv_terrain_layer_ledger(
    const rv_terrain *land, int layer); /* eroded and deposited since it was made; the rest is 0 */
RV_API rv_ledger rv_terrain_layer_last(const rv_terrain *land,
                                       int layer); /* the same, of the last step alone */
RV_API rv_status rv_terrain_layer_add(rv_terrain *land, const rv_layer_desc *desc,
                                      const float *thickness); /* on top; NULL: none of it yet */

/* "height" is the surface. Others exist once a step made them: flow, eroded, deposited, mask ...;
 * rv_field_get() lists those that steps know. The thickness of a layer has the layer's name. width
 * * height values. Ask again after every step: on a device the values before stay where they were. */
RV_API const float *rv_terrain_field(
    const rv_terrain *land,
    const char *name); /* NULL: no such field, or a device failed (rv_context_error) */
RV_API rv_status rv_terrain_field_set(rv_terrain *land, const char *name, const float *values);
RV_API int rv_terrain_field_count(const rv_terrain *land); /* without "height" */
RV_API const char *rv_terrain_field_name(const rv_terrain *land,
                                         int index); /* in alphabetical order */

/* The erosion factor of a place: how much of what erosion would take there really comes off, from 0
 * (never eroded) to 1 (all of it); what is below 0 or NaN counts as 0, what is above 1 as 1. x and
 * y are metres to the east and south of the north-west cell, z is the height of the ground in
 * metres. It is asked for places on the map only, often, and from several threads at once: it must
 * give the same for the same place. */
typedef float (*rv_erosion_factor_fn)(void *user, float x, float y, float z);

/* Every step that erodes then multiplies by it what it takes there, whatever the ground is made of,
 * along with mask, hardness, erodibility and strata; only drain, whose channels must go through,
 * obeys the mask alone. NULL: no function. It belongs to the program, not to the land: it is no
 * part of hashes and checkpoints. It stays through crop and resize, where x and y still mean the
 * same places, and is kept with snapshots; steps that start over (terrain, open) end it. `user`
 * must live as long as the function is set. */
RV_API void rv_terrain_hardness(rv_terrain *land, rv_erosion_factor_fn fn, void *user);

RV_API rv_ledger rv_terrain_ledger(const rv_terrain *land); /* of all steps since it was made */
/* Cubic metres above 0 m; and the hash of size, layers and fields, which is never 0. NaN and 0: the
 * land is on a device that failed (rv_context_error). */
RV_API double rv_terrain_volume(const rv_terrain *land);
RV_API uint64_t rv_terrain_hash(const rv_terrain *land);

/* The same land once more, to the last bit, in this context or in another: both must be idle. */
RV_API rv_status rv_terrain_copy(const rv_terrain *land, rv_context *ctx, rv_terrain **out);

typedef struct rv_snapshot rv_snapshot;
RV_API rv_status rv_terrain_snapshot(const rv_terrain *land, rv_snapshot **out);
RV_API rv_status rv_terrain_restore(rv_terrain *land,
                                    const rv_snapshot *snapshot); /* to the last bit */
RV_API void rv_snapshot_destroy(rv_snapshot *snapshot);

/* ---- Meshes: triangles in space ----------------------------------------------------------------
 */

/* x is east, y is north, z is up, in metres. The corners of a face go counterclockwise seen from
 * outside. */
typedef struct rv_mesh rv_mesh;

/* The surface of a terrain, whose south-west corner becomes x = y = 0. error 0: every cell is a
 * vertex; else few vertices, whose triangles stay within `error` metres of the height of every
 * cell. depth 0: the surface alone; else a closed block with a flat base so many metres below the
 * lowest cell. */
RV_API rv_status rv_mesh_from_terrain(const rv_terrain *land, float error, float depth,
                                      rv_mesh **out);
RV_API rv_status rv_mesh_load(rv_context *ctx, const char *path, rv_mesh **out); /* .obj or .ply */
/* .obj, .ply, .stl or .glb. `land`: the terrain it was made from, whose fields a .ply then holds;
 * or NULL. */
RV_API rv_status rv_mesh_save(const rv_mesh *mesh, const char *path, const rv_terrain *land);
RV_API void rv_mesh_destroy(rv_mesh *mesh); /* before its context; NULL is fine */

RV_API size_t rv_mesh_vertex_count(const rv_mesh *mesh);
RV_API size_t rv_mesh_face_count(const rv_mesh *mesh);
/* Both live as long as the mesh. */
RV_API const double *rv_mesh_points(const rv_mesh *mesh); /* x, y, z of each vertex */
RV_API const uint32_t *
rv_mesh_faces(const rv_mesh *mesh);                /* three vertices of each face, counted from 0 */
RV_API double rv_mesh_volume(const rv_mesh *mesh); /* cubic metres, where it is closed */

/* What keeps a mesh from being the surface of a solid. */
typedef enum rv_fault_kind {
    RV_FAULT_OPEN_EDGE,      /* an edge of one face */
    RV_FAULT_CROWDED_EDGE,   /* an edge of more than two */
    RV_FAULT_TURNED_FACE,    /* two faces go along their edge in the same direction */
    RV_FAULT_PINCHED_VERTEX, /* the faces around a vertex are more than one fan */
    RV_FAULT_FLAT_FACE,      /* a face without area */
    RV_FAULT_CROSSING_FACES, /* two faces meet where they have no corner or edge in common */
    RV_FAULT_INSIDE_OUT,     /* a shell whose faces look inwards, or a wrong way inside another */
    RV_FAULT_COUNT
} rv_fault_kind;

#define RV_NO_NUMBER UINT32_MAX

typedef struct rv_fault {
    rv_fault_kind kind;
    uint32_t face, other; /* counted from 0; RV_NO_NUMBER: none */
    uint32_t vertex[2];   /* of the edge, or the first alone; RV_NO_NUMBER: none */
    double at[3];         /* where */
} rv_fault;

typedef void (*rv_fault_fn)(void *user, const rv_fault *fault);

/* Reports every fault, kind by kind; RV_OK whether there are some or none. Coordinates are first
 * rounded to a lattice of 2^-39 of the farthest of them or finer; on it every answer is exact. Of
 * the faces that a single face meets, at most 16 are reported. Shells are checked when there is no
 * other fault. */
RV_API rv_status rv_mesh_check(const rv_mesh *mesh, rv_fault_fn report, void *user);

/* Writes the fault as a sentence, which counts from 1 as an OBJ does; returns its length, as
 * snprintf does. */
RV_API int rv_fault_print(const rv_fault *fault, char *out, size_t size);

/* ---- Steps: made from the one table, steps.def ----------------------------------------------- */

#define RV_AUTO NAN      /* a real parameter that the step chooses itself */
#define RV_AUTO_INT (-1) /* the same for whole numbers */

/* Enumerations of choices: RV_noise_shape_ridged and so on. */
#define RV_CHOICE(step, key, def, help) typedef enum rv_##step##_##key {
#define RV_OPTION(step, key, name, help) RV_##step##_##key##_##name,
#define RV_CHOICE_END(step, key)                                                                   \
    RV_##step##_##key##_COUNT                                                                      \
    }                                                                                              \
    rv_##step##_##key;
#include <ravine/steps.def>

/* Parameters: rv_noise_params and so on. */
#define RV_STEP(name, kind, flags, sentence, source, reads, writes)                                \
    typedef struct rv_##name##_params {
#define RV_REAL(step, key, def, low, high, unit, help) float key;
#define RV_LENGTH(step, key, def, low, high, help) float key; /* m; below 0: so many cells */
#define RV_INT(step, key, def, low, high, unit, help) int key;
#define RV_COUNT(step, key, def, low, high, unit, help) int64_t key;
#define RV_SEED(step, key, def, help) uint64_t key;
#define RV_SWITCH(step, key, def, help) bool key;
#define RV_CHOICE(step, key, def, help) int key; /* of enum rv_STEP_KEY */
#define RV_TEXT(step, key, def, help) const char *key;
#define RV_FILE(step, key, def, help) const char *key;
#define RV_NONE(step) char none; /* C has no empty structs */
#define RV_STEP_END(name)                                                                          \
    }                                                                                              \
    rv_##name##_params;                                                                            \
    RV_API rv_##name##_params rv_##name##_params_default(void);
#include <ravine/steps.def>

/* The number of a step. Numbers may change from version to version: names do not, and files hold
 * names. rv_step_find() gives the number of a name. */
typedef enum rv_step_id {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) RV_STEP_##name,
#include <ravine/steps.def>
    RV_STEP_COUNT
} rv_step_id;

typedef enum rv_param_type {
    RV_PARAM_REAL,   /* float */
    RV_PARAM_INT,    /* int */
    RV_PARAM_COUNT,  /* int64_t; the first parameter of a step may stand without its key */
    RV_PARAM_SEED,   /* uint64_t, any value */
    RV_PARAM_SWITCH, /* bool */
    RV_PARAM_CHOICE, /* int, an index into `options` */
    RV_PARAM_TEXT,   /* const char * */
    RV_PARAM_FILE,   /* const char * */
    RV_PARAM_VECTOR  /* double[3], x/y/z; only scene words have such */
} rv_param_type;

typedef struct rv_option_info {
    const char *name;
    const char *help;
} rv_option_info;

typedef struct rv_param_info {
    const char *name;
    rv_param_type type;
    size_t offset;         /* in the parameter struct */
    double def, low, high; /* numbers, switches and choices */
    uint64_t seed;         /* default of a seed */
    bool required;         /* a file that must be named */
    bool writes;           /* a file, or the folder of files, that is written; else it is read */
    bool in_cells;         /* a length in m that may also be said in cells: -3 is 3cells */
    const char *text;      /* default of a text or file */
    double vector[3];      /* default of a vector; NaN first: auto */
    const char *unit;      /* "" where there is none */
    const char *help;
    const rv_option_info *options;
    int option_count;
} rv_param_info;

/* A word that takes parameters: a step of a recipe, or a word of a scene. */
typedef struct rv_word_info {
    const char *name;
    const char *sentence; /* what it is */
    size_t params_size;   /* bytes of its parameter struct */
    const rv_param_info *params;
    int param_count;
} rv_word_info;

typedef enum rv_step_kind {
    RV_KIND_MAKE,  /* makes heights */
    RV_KIND_SHAPE, /* reshapes them */
    RV_KIND_LIMIT, /* limits the steps after it */
    RV_KIND_FIELD, /* computes fields, leaves the heights alone */
    RV_KIND_WEAR,  /* erodes; keeps the ledger */
    RV_KIND_SHOW,  /* writes files, leaves the terrain alone */
    RV_KIND_ORDER, /* says in what order a recipe runs */
    RV_KIND_COUNT
} rv_step_kind;

typedef enum rv_step_flags {
    RV_STEP_FLAG_RESIZES = 1, /* gives the terrain another size */
    RV_STEP_FLAG_MASKS = 2    /* makes or shapes land, and applies the mask itself */
} rv_step_flags;

typedef struct rv_step_info {
    rv_word_info word;
    rv_step_id id;
    rv_step_kind kind;
    unsigned flags;     /* of rv_step_flags */
    const char *source; /* the paper it comes from */
    const char *reads;  /* names of fields, separated by blanks; "*": all */
    const char *writes;
} rv_step_info;

RV_API int rv_step_count(void); /* RV_STEP_COUNT of the linked library */
RV_API const rv_step_info *rv_step_get(rv_step_id id);
RV_API const rv_step_info *rv_step_find(const char *name); /* NULL: no such step */
RV_API const char *rv_step_name(rv_step_id id);
RV_API const char *
rv_step_also(rv_step_id id); /* what else people call it: "erosion, rain"; "": nothing */
RV_API const char *rv_kind_name(rv_step_kind kind); /* "make" ... */
RV_API const char *rv_kind_text(rv_step_kind kind); /* "make land" ... */

/* What the numbers of a field mean. */
typedef struct rv_field_info {
    const char *name;
    const char *unit; /* "" where there is none */
    const char *meaning;
} rv_field_info;

RV_API int rv_field_count(void); /* of the fields that steps read and write */
RV_API const rv_field_info *rv_field_get(int index);
RV_API const rv_field_info *rv_field_find(const char *name); /* NULL: steps do not know it */

/* A parameter struct by the description of its word. Texts are not copied: those in the struct must
 * live as long as it is used. */
RV_API void rv_word_default(const rv_word_info *word, void *params);
RV_API rv_status rv_word_check(rv_context *ctx, const rv_word_info *word,
                               const void *params);                           /* all in range? */
RV_API bool rv_param_has_auto(const rv_param_info *param);                    /* may it be auto? */
RV_API bool rv_param_is_auto(const rv_param_info *param, const void *params); /* is it? */
RV_API double rv_param_number(const rv_param_info *param,
                              const void *params); /* real, int, count, switch, choice */
RV_API uint64_t rv_param_seed(const rv_param_info *param, const void *params);
RV_API const char *rv_param_text(const rv_param_info *param,
                                 const void *params); /* text, file; NULL for others */
RV_API const double *rv_param_vector(const rv_param_info *param,
                                     const void *params); /* points into params */
RV_API void rv_param_set_number(const rv_param_info *param, void *params, double number);
RV_API void rv_param_set_seed(const rv_param_info *param, void *params, uint64_t seed);
RV_API void rv_param_set_text(const rv_param_info *param, void *params, const char *text);
RV_API void rv_param_set_vector(const rv_param_info *param, void *params, const double value[3]);
/* Writes the value as a recipe would say it; returns its length, as snprintf does. */
RV_API int rv_param_print(const rv_param_info *param, const void *params, char *out, size_t size);

/* What one step did. */
typedef struct rv_report {
    rv_step_id step;
    const void *params; /* the step's own struct, as it was handed in; NULL: its defaults */
    rv_ledger ledger;
    rv_water water;      /* of steps that have water */
    uint64_t drop_steps; /* moves of single drops, for steps that have drops */
    const rv_terrain *land;
    double seconds;      /* filled in by recipes, as all that follows */
    int64_t turn, turns; /* which run of the step this is, of how many that repeats ask for */
    uint64_t hash;       /* of the terrain after it; 0: see rv_watch.no_hash */
    bool stopped;        /* and kept as it stood: see rv_watch.keep */
} rv_report;

/* `params` is the step's own struct, NULL: its defaults. `report` may be NULL.
 * After a failure or a stop the terrain is whole: as before the step, or stopped between slices. */
RV_API rv_status rv_step_run(rv_terrain *land, rv_step_id step, const void *params,
                             rv_report *report);

/* A number that the last step found out about the land, if it measures. */
typedef struct rv_figure {
    const char *name;  /* one word, as --json has it */
    const char *label; /* for people; "": too much detail for them */
    const char *unit;  /* "" where there is none */
    double value;      /* NaN: not defined on this land */
    double min, max;   /* a river check: real land stays within; NaN: no such bound */
} rv_figure;

RV_API int rv_terrain_figure_count(const rv_terrain *land);
RV_API const rv_figure *rv_terrain_figure(const rv_terrain *land,
                                          int index);    /* until the next step */
RV_API bool rv_figure_is_check(const rv_figure *figure); /* has it a bound? */
RV_API bool rv_figure_passes(const rv_figure *figure);   /* defined, and within its bounds? */

/* ---- Parameters as text, for programs that know steps by name only ------------------------------
 */

/*     rv_params *noise;
 *     rv_params_create(ctx, "noise", &noise);
 *     rv_params_set(noise, "seed", "18446744073709551615");
 *     rv_params_run(noise, land, NULL);
 *     rv_params_destroy(noise);
 */
typedef struct rv_params rv_params;

RV_API rv_status rv_params_create(rv_context *ctx, const char *step,
                                  rv_params **out); /* with its defaults */
RV_API void rv_params_destroy(rv_params *params);   /* NULL is fine */
/* Reads a value as a recipe does, with the same errors; the text is copied. */
RV_API rv_status rv_params_set(rv_params *params, const char *key, const char *text);
/* Writes the value of `key` as a recipe would say it; returns its length, as snprintf does; -1:
 * there is no such key. */
RV_API int rv_params_get(const rv_params *params, const char *key, char *out, size_t size);
RV_API const void *
rv_params_struct(const rv_params *params); /* the step's own struct; until the next set */
RV_API rv_status rv_params_run(const rv_params *params, rv_terrain *land,
                               rv_report *report); /* as rv_step_run */

/* ---- Recipes: words to steps ------------------------------------------------------------------
 */

typedef struct rv_recipe rv_recipe;

/* Read words as steps. `name` stands in messages for where the text came from. */
RV_API rv_status rv_recipe_parse(rv_context *ctx, const char *text, const char *name,
                                 rv_recipe **out);
RV_API rv_status rv_recipe_load(rv_context *ctx, const char *path, rv_recipe **out);
RV_API void rv_recipe_destroy(rv_recipe *recipe);

/* The recipes that come with Ravine: "alps", "hills" ..., and their text, whose first line says
 * what it makes:
 * "# alps.rv: high mountains ...". Both live as long as the library is loaded. */
RV_API int rv_recipe_preset_count(void);
RV_API const char *rv_recipe_preset_name(int index);
RV_API const char *rv_recipe_preset_text(int index);

/* Add what one command line says: steps and their parameters go to the end, STEP.KEY=VALUE changes
 * every STEP of the recipe, STEP#2.KEY=VALUE the second. After a failure no step is added. */
RV_API rv_status rv_recipe_add_words(rv_recipe *recipe, int count, const char *const *words);
/* Leaves out every "render", or the second "render#2". A repeat goes with its end, the steps
 * between stay. */
RV_API rv_status rv_recipe_remove(rv_recipe *recipe, const char *step);
/* Leaves out what comes after the last "thermal", or after "thermal#2". A repeat around it stays
 * whole up to there. */
RV_API rv_status rv_recipe_end_after(rv_recipe *recipe, const char *step);

RV_API int rv_recipe_count(const rv_recipe *recipe);
RV_API rv_step_id rv_recipe_step(const rv_recipe *recipe, int index);
RV_API const void *rv_recipe_params(const rv_recipe *recipe, int index); /* the step's own struct */

/* Writes the recipe as text that reads back as the same recipe; returns its length, as snprintf
 * does, or -1 when a text holds the end of a line, which no recipe can say. */
RV_API int rv_recipe_print(const rv_recipe *recipe, char *out, size_t size);

/* What a run would need, without running it. */
typedef struct rv_plan {
    rv_step_id step;
    int width, height; /* of the terrain after the step, in its last turn */
    float cell;
    size_t memory; /* bytes held at the peak of the step, in any turn; 0: was not planned */
} rv_plan;
/* One plan for each step. Every run begins with it and fails as it does, before its first step:
 * words, fields, files and memory are checked for all steps. After RV_ERROR_MEMORY because of the
 * limit, the plans are complete. */
RV_API rv_status rv_recipe_plan(const rv_recipe *recipe, rv_plan *plans);
/* Could a run save itself there? Fails as rv_recipe_run with that checkpoint would, before its
 * first step: the file cannot be written, is something else, or is one that a step reads or writes.
 */
RV_API rv_status rv_recipe_check_checkpoint(const rv_recipe *recipe, const char *checkpoint);

/* Must live until the run returns. */
typedef struct rv_watch {
    void (*before)(void *user, int index, rv_step_id step); /* NULL: not asked for */
    void (*after)(void *user, int index,
                  const rv_report *report); /* it is done, or RV_ERROR_UNMET */
    void *user;
    const char *checkpoint; /* file to save the run to, so that it can be resumed; NULL: none. Only
                               this run, or its resume, replaces and removes it */
    double every;           /* seconds between two checkpoints; they are made between steps */
    bool keep; /* stop and keep: where progress returns false for the first time, the running step
                  ends as it stands, and of the steps after it those that save and show still
                  run; the run then returns RV_OK. A second false stops it, and so does the first
                  while there is no land yet */
    bool no_hash; /* reports have none, which takes time on large maps */
} rv_watch;

/* Runs all steps. `out` NULL: the terrain is destroyed at the end. Where a step is repeated, every
 * turn after the first draws other random numbers from its seed. */
RV_API rv_status rv_recipe_run(const rv_recipe *recipe, const rv_watch *watch, rv_terrain **out);
/* Continues from a checkpoint, with the files of the folder where it began; ends in the same bytes
 * as without a stop. */
RV_API rv_status rv_recipe_resume(rv_context *ctx, const char *checkpoint, const rv_watch *watch,
                                  rv_terrain **out);
RV_API rv_status rv_recipe_run_text(rv_context *ctx, const char *text, const rv_watch *watch,
                                    rv_terrain **out);

/* The seed that a repeat gives a step in one of its turns, which count from 0; of repeats in
 * repeats the turns of the inner one count on. For programs that run the steps of a recipe
 * themselves. */
RV_API uint64_t rv_seed_of_turn(uint64_t seed, int64_t turn);

/* ---- Contact sheets: pictures of several runs on one
 * ------------------------------------------------------ */

#define RV_SHEET_MOST 10000 /* pictures */

typedef struct rv_sheet_entry {
    const char *png;  /* the picture; NULL: there is none, and its place stays empty */
    const char *text; /* up to four lines below it, cut where it ends; NULL: none */
} rv_sheet_entry;

/* Writes pictures side by side, from left to right and top to bottom; columns 0: about as many as
 * rows. */
RV_API rv_status rv_sheet_save(rv_context *ctx, const rv_sheet_entry *entries, int count,
                               int columns, const char *png);

/* ---- Scenes: water that wears closed meshes
 * ------------------------------------------------------ */

/*     rv_scene *scene;
 *     rv_scene_create(ctx, "river", &scene);
 *     for (int i = 0; i < 100; i++)
 *         rv_scene_step(scene);
 *     rv_mesh *rock;
 *     rv_scene_mesh(scene, &rock);
 */
typedef struct rv_scene rv_scene;

/* The words that scenes are written in. */
RV_API int rv_scene_word_count(void);
RV_API const rv_word_info *rv_scene_word(int index);

/* A scene in words, or a settings file (lines of m, f, p, d, s). `name` stands in messages for
 * where the text came from; models are looked for beside a file that was loaded, then in the
 * working directory. */
RV_API rv_status rv_scene_load(rv_context *ctx, const char *path, rv_scene **out);
RV_API rv_status rv_scene_parse(rv_context *ctx, const char *text, const char *name,
                                rv_scene **out);
RV_API rv_status rv_scene_create(rv_context *ctx, const char *preset,
                                 rv_scene **out); /* "river", "cave" ... */
RV_API int rv_scene_preset_count(void);
RV_API const char *rv_scene_preset_name(int index); /* lives as long as the library is loaded */
RV_API void rv_scene_destroy(rv_scene *scene);      /* before its context; NULL is fine */

/* Add what one command line says: WORD.KEY=VALUE changes every such word, KEY=VALUE without a word
 * before it is of run. Before the first frame only. */
RV_API rv_status rv_scene_add_words(rv_scene *scene, int count, const char *const *words);
/* Writes the scene as words that read back as the same; returns their length, as rv_recipe_print
 * does. */
RV_API int rv_scene_print(const rv_scene *scene, char *out, size_t size);

/* Reads the models, checks everything and fills in the water: frame 0. The first step does it, too.
 */
RV_API rv_status rv_scene_start(rv_scene *scene);
/* One frame: a step of the water, then one of the wear. After a failure or a stop the scene is
 * whole. */
RV_API rv_status rv_scene_step(rv_scene *scene);

/* Where a scene that was started stands. */
typedef struct rv_frame {
    int64_t frame, frames; /* how many there were, of how many the scene asks for */
    int64_t every;         /* of which every so many is reported; 0: all */
    double time;           /* s of the water */
    size_t particles;
    size_t vertices, faces; /* of the rock */
    double smallest_angle;  /* degrees, of its faces; NaN without rock */
    /* m3: eroded - deposited = suspended + left_map + owed, to 1e-9 of them; the rest is 0. */
    rv_ledger ledger;
    double owed;       /* moved by the rock and not yet by particles, or the other way round */
    double volume;     /* of the rock */
    size_t refused;    /* moves of vertices that were refused or cut short, in all */
    size_t pushed_out; /* particles that moving rock has pushed, in all */
    size_t trapped;    /* particles removed because rock had closed around them, in all */
    struct {
        double particles, faces, pressure, force, advance, frame;
    } ms;          /* what the last frame took */
    uint64_t hash; /* of rock and water */
} rv_frame;
RV_API rv_status rv_scene_info(const rv_scene *scene, rv_frame *out);

/* The materials of the rock; none before it was started, and where nothing is worn. */
RV_API int rv_scene_material_count(const rv_scene *scene);
RV_API const char *rv_scene_material_name(const rv_scene *scene,
                                          int material); /* lives as long as the scene */
/* What particles took from it and laid on it; the rest is 0. In sum over all materials
 * eroded - deposited = suspended + left_map of the frame: what the rock still owes is of no
 * material. */
RV_API rv_ledger rv_scene_material_ledger(const rv_scene *scene, int material);

RV_API rv_status rv_scene_mesh(const rv_scene *scene,
                               rv_mesh **out); /* a copy of the rock; NULL: there is none */

/* The pointers live until the next frame. */
typedef struct rv_particles {
    size_t count;
    double origin[3];        /* m: what positions are counted from */
    float spacing;           /* m between them at rest */
    const float *positions;  /* m: x, y, z and one unused float, of each */
    const float *velocities; /* the same in m/s */
    const double *sediments; /* m3 that each carries */
    const uint32_t *ids;     /* that stay with each while its index in the arrays changes */
} rv_particles;
RV_API rv_status rv_scene_particles(const rv_scene *scene, rv_particles *out);

RV_API rv_status rv_scene_picture(const rv_scene *scene,
                                  const char *png); /* as its run word says */

/* All that the next frames depend on, and back: they become the same to the byte. */
RV_API rv_status rv_scene_save(const rv_scene *scene, const char *checkpoint);
RV_API rv_status rv_scene_resume(rv_context *ctx, const char *checkpoint, rv_scene **out);
RV_API bool rv_scene_is_checkpoint(rv_context *ctx, const char *path); /* of a scene, that is */

/* What a run would need. A run begins with it and fails as it does, before its first frame. After
 * RV_ERROR_MEMORY because of the limit, the plan is complete. */
typedef struct rv_scene_plan {
    int64_t frames;
    size_t particles;       /* at most */
    size_t vertices, faces; /* of the rock before it is worn */
    double low[3], high[3]; /* the box */
    double spacing;         /* m */
    size_t memory;          /* bytes, about; 0: was not planned */
} rv_scene_plan;
RV_API rv_status rv_scene_plan_run(rv_scene *scene, rv_scene_plan *out);
RV_API rv_status rv_scene_check_checkpoint(const rv_scene *scene,
                                           const char *checkpoint); /* as for recipes */

/* Must live until the run returns. */
typedef struct rv_scene_watch {
    void (*after)(
        void *user,
        const rv_frame *now); /* frame 0, then as `every` of run says; NULL: not asked for */
    void *user;
    const char *checkpoint; /* file to save the run to between frames; NULL: none */
    double every;           /* seconds between two checkpoints */
} rv_scene_watch;

/* Runs a scene to its last frame, from where it stands, and saves, draws and films what its run
 * word says. RV_ERROR_INTERNAL: numbers would not be finite or no time would pass; the last good
 * frame is saved. */
RV_API rv_status rv_scene_run(rv_scene *scene, const rv_scene_watch *watch);

/* ---- Does this header fit the library?
 * ------------------------------------------------------------ */

/* A number made of the minor version, the names in the table, and the sizes of all structs that
 * pass between program and library. */
static inline uint32_t rv_abi(void) {
    static const char *const names[] = {
#define RV_REAL(step, key, def, low, high, unit, help) #key,
#define RV_LENGTH(step, key, def, low, high, help) #key,
#define RV_INT(step, key, def, low, high, unit, help) #key,
#define RV_COUNT(step, key, def, low, high, unit, help) #key,
#define RV_SEED(step, key, def, help) #key,
#define RV_SWITCH(step, key, def, help) #key,
#define RV_CHOICE(step, key, def, help) #key,
#define RV_OPTION(step, key, name, help) #name,
#define RV_TEXT(step, key, def, help) #key,
#define RV_FILE(step, key, def, help) #key,
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) #name,
#include <ravine/steps.def>
    };
    static const size_t sizes[] = {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) sizeof(rv_##name##_params),
#include <ravine/steps.def>
        sizeof(rv_context_desc), sizeof(rv_progress),   sizeof(rv_terrain_desc),
        sizeof(rv_layer_desc),   sizeof(rv_ledger),     sizeof(rv_fault),
        sizeof(rv_option_info),  sizeof(rv_param_info), sizeof(rv_word_info),
        sizeof(rv_step_info),    sizeof(rv_field_info), sizeof(rv_report),
        sizeof(rv_figure),       sizeof(rv_plan),       sizeof(rv_watch),
        sizeof(rv_frame),        sizeof(rv_particles),  sizeof(rv_scene_plan),
        sizeof(rv_scene_watch),  sizeof(rv_sheet_entry), sizeof(rv_device_info)};
    uint32_t n = RV_VERSION_NUMBER / 100;
    size_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *c = names[i];
        for (; *c; c++)
            n = n * 31u + (uint32_t)(unsigned char)*c;
        n = n * 31u;
    }
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        n = n * 31u + (uint32_t)sizes[i];
    return n;
}

static inline rv_status rv_context_create(const rv_context_desc *desc, rv_context **out) {
    return rv_context_open(rv_abi(), desc, out);
}

#ifdef __cplusplus
}
#endif

#endif
