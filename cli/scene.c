/* scene.c: `ravine scene NAME|FILE [KEY=VALUE ...] [WORD.KEY=VALUE ...] [WORD ...]`, and the rest
 * of a run that was saved. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20 }; /* for people who did not say how many */

/* ---- JSON ---- */

static void put_reals(const char *name, int count, const char *const *keys, const double *values) {
    printf(",\"%s\":{", name);
    for (int i = 0; i < count; i++) {
        printf("%s\"%s\":", i > 0 ? "," : "", keys[i]);
        cli_json_real(stdout, values[i]);
    }
    putchar('}');
}

static void put_real(const char *name, double value) {
    printf(",\"%s\":", name);
    cli_json_real(stdout, value);
}

static void put_materials(const rv_scene *scene) {
    fputs(",\"materials\":[", stdout);
    for (int i = 0; i < rv_scene_material_count(scene); i++) {
        rv_ledger l = rv_scene_material_ledger(scene, i);
        fputs(i > 0 ? ",{\"name\":" : "{\"name\":", stdout);
        cli_json_text(stdout, rv_scene_material_name(scene, i));
        put_real("eroded", l.eroded);
        put_real("deposited", l.deposited);
        putchar('}');
    }
    putchar(']');
}

static void put_messages(cli_run *run) {
    fputs(",\"messages\":[", stdout);
    for (size_t at = 0; at < run->size; at += strlen(run->messages + at) + 1) {
        fputs(at ? "," : "", stdout);
        cli_json_text(stdout, run->messages + at);
    }
    putchar(']');
    run->size = 0;
}

static void json_frame(cli_run *run, const rv_frame *f) {
    static const char *const volumes[] = {"eroded", "deposited", "left_map", "suspended", "owed"};
    static const char *const parts[] = {"particles", "faces",   "pressure",
                                        "force",     "advance", "frame"};
    const double ledger[] = {f->ledger.eroded, f->ledger.deposited, f->ledger.left_map,
                             f->ledger.suspended, f->owed};
    const double ms[] = {f->ms.particles, f->ms.faces,   f->ms.pressure,
                         f->ms.force,     f->ms.advance, f->ms.frame};
    printf("{\"frame\":%" PRId64 ",\"frames\":%" PRId64, f->frame, f->frames);
    put_real("time", f->time);
    printf(",\"particles\":%zu,\"vertices\":%zu,\"faces\":%zu", f->particles, f->vertices,
           f->faces);
    put_real("smallest_angle", f->smallest_angle);
    put_real("volume", f->volume);
    put_reals("ledger", 5, volumes, ledger);
    put_materials(run->scene);
    printf(",\"refused\":%zu,\"pushed_out\":%zu,\"trapped\":%zu", f->refused, f->pushed_out,
           f->trapped);
    put_reals("ms", 6, parts, ms);
    printf(",\"hash\":\"%016" PRIx64 "\"", f->hash);
    put_messages(run);
    puts("}");
}

/* ---- for people ---- */

static bool has_row(const rv_frame *f) {
    int64_t step = f->every > 0 ? f->every : (f->frames + ROWS - 1) / ROWS;
    return f->frame >= f->frames || f->frame == 0 || f->frame % (step > 0 ? step : 1) == 0;
}

/* "52.5 cm3": scenes can be as small as a stone or as large as a valley. What is less than the
 * rounding of all that moved is 0; JSON has it. */
static void volume_text(double volume, double moved, char out[32]) {
    bool small = volume < 1e-3;
    double value = volume < 1e-12 * moved ? 0 : small ? volume * 1e6 : volume;
    snprintf(out, 32, value < 99.5 ? "%.3g %s" : "%.0f %s", value, small ? "cm3" : "m3");
}

static void people_frame(cli_run *run, const rv_frame *f) {
    if (!run->headed) /* what was said before the first frame */
        cli_report_rest(run);
    if (has_row(f)) {
        char eroded[32], deposited[32];
        double moved = f->ledger.eroded + f->ledger.deposited;
        volume_text(f->ledger.eroded, moved, eroded);
        volume_text(f->ledger.deposited, moved, deposited);
        if (!run->headed)
            fprintf(stderr, "%7s %9s %9s %8s %13s %13s %8s %8s\n", "frame", "time s", "particles",
                    "faces", "eroded", "deposited", "refused", "ms");
        run->headed = true;
        fprintf(stderr, "%7" PRId64 " %9.4g %9zu %8zu %13s %13s %8zu %8.2f\n", f->frame, f->time,
                f->particles, f->faces, eroded, deposited, f->refused, f->ms.frame);
    }
    cli_report_rest(run);
}

static void after_frame(void *user, const rv_frame *frame) {
    cli_run *run = user;
    if (run->options->json) {
        json_frame(run, frame);
        if (fflush(stdout) != 0)
            run->broken = true;
    } else {
        if (has_row(frame) || run->size > 0)
            cli_bar_erase(&run->bar);
        people_frame(run, frame);
    }
}

/* ---- the plan ---- */

static void people_plan(const rv_scene_plan *p, size_t limit) {
    char memory[32], most[32];
    cli_bytes(p->memory, memory);
    cli_bytes(limit, most);
    printf("box        (%g, %g, %g) to (%g, %g, %g) m\n", p->low[0], p->low[1], p->low[2],
           p->high[0], p->high[1], p->high[2]);
    printf("water      at most %zu particles, %g m apart\n", p->particles, p->spacing);
    printf("rock       %zu vertices, %zu faces\n", p->vertices, p->faces);
    printf("frames     %" PRId64 "\n", p->frames);
    printf("About %s of the %s allowed.\n", memory, most);
}

/* Also of a scene that is over the limit. */
static rv_status show_plan(rv_context *ctx, cli_run *run, rv_scene *scene) {
    const cli_options *options = run->options;
    rv_scene_plan p;
    size_t limit = rv_context_memory_limit(ctx);
    rv_status status =
        options->checkpoint ? rv_scene_check_checkpoint(scene, options->checkpoint) : RV_OK;
    if (status != RV_OK)
        return status;
    status = rv_scene_plan_run(scene, &p);
    if (p.memory == 0)
        return status;
    if (options->json) {
        printf("{\"frames\":%" PRId64 ",\"particles\":%zu,\"vertices\":%zu,\"faces\":%zu", p.frames,
               p.particles, p.vertices, p.faces);
        put_real("spacing", p.spacing);
        printf(",\"memory\":%zu,\"memory_limit\":%zu}\n", p.memory, limit);
    } else if (!options->quiet) {
        people_plan(&p, limit);
    }
    cli_report_rest(run);
    return status;
}

/* ---- the run ---- */

static bool is_preset(const char *name) {
    for (int i = 0; i < rv_scene_preset_count(); i++)
        if (strcmp(rv_scene_preset_name(i), name) == 0)
            return true;
    return false;
}

/* Names the nearest preset; a name with a dot or a slash is meant as a file. */
static int unknown_scene(const char *name) {
    const char *nearest = rv_scene_preset_name(0);
    for (int i = 1; i < rv_scene_preset_count(); i++)
        if (cli_distance(name, rv_scene_preset_name(i)) < cli_distance(name, nearest))
            nearest = rv_scene_preset_name(i);
    return cli_fail(3, "There is no file and no preset \"%.200s\"; the nearest is %s.", name,
                    nearest);
}

static int open_scene(rv_context *ctx, const cli_options *options, rv_scene **scene,
                      rv_status *status) {
    const char *name = options->count > 1 ? options->words[1] : NULL;
    *status = RV_OK;
    if (!name || strchr(name, '='))
        return cli_fail(2, "scene takes the name of a preset or a file, then KEY=VALUE; "
                           "`ravine help scene` lists them.");
    if (strcmp(name, "-") == 0) {
        char *text;
        int code = cli_read_input(&text);
        if (code == 0)
            *status = rv_scene_parse(ctx, text, "standard input", scene);
        free(text);
        if (code != 0)
            return code;
    } else if (is_preset(name)) {
        *status = rv_scene_create(ctx, name, scene);
    } else if (!cli_file_exists(name) && !strchr(name, '.') && cli_path_name(name) == name) {
        return unknown_scene(name);
    } else {
        *status = rv_scene_load(ctx, name, scene);
    }
    if (*status == RV_OK)
        *status =
            rv_scene_add_words(*scene, options->count - 2, (const char *const *)options->words + 2);
    return 0;
}

static int run_scene(cli_run *run, rv_scene *scene, rv_status *status) {
    bool tells = run->options->json || !run->options->quiet;
    rv_scene_watch watch = {.after = tells ? after_frame : NULL,
                            .user = run,
                            .checkpoint = run->options->checkpoint,
                            .every = run->options->every};
    run->scene = scene;
    cli_bar_begin(&run->bar, "scene");
    *status = rv_scene_run(scene, &watch);
    cli_bar_erase(&run->bar);
    if (*status == RV_OK)
        cli_report_rest(run);
    return 0;
}

int cli_scene(rv_context *ctx, cli_run *run, rv_status *status) {
    rv_scene *scene = NULL;
    int code = open_scene(ctx, run->options, &scene, status);
    cli_interrupt_watch(false); /* not before: nothing else would end a wait for standard input */
    if (code == 0 && *status == RV_OK && run->options->dry_run)
        *status = show_plan(ctx, run, scene);
    else if (code == 0 && *status == RV_OK)
        code = run_scene(run, scene, status);
    rv_scene_destroy(scene);
    return code;
}

int cli_scene_resume(rv_context *ctx, cli_run *run, const char *file, rv_status *status) {
    rv_scene *scene;
    cli_interrupt_watch(false);
    *status = rv_scene_resume(ctx, file, &scene);
    int code = *status == RV_OK ? run_scene(run, scene, status) : 0;
    rv_scene_destroy(scene);
    return code;
}
