/* solid.c: `ravine solid check FILE.obj` and `ravine solid from-terrain LAND OUT [KEY=VALUE ...]`.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct findings {
    const cli_options *options;
    uint64_t count, of[RV_FAULT_COUNT];
} findings;

static const char *const kinds[RV_FAULT_COUNT] = {
    [RV_FAULT_OPEN_EDGE] = "open edges",
    [RV_FAULT_CROWDED_EDGE] = "edges of more than two faces",
    [RV_FAULT_TURNED_FACE] = "faces turned over",
    [RV_FAULT_PINCHED_VERTEX] = "pinched vertices",
    [RV_FAULT_FLAT_FACE] = "faces without area",
    [RV_FAULT_CROSSING_FACES] = "faces that meet",
    [RV_FAULT_INSIDE_OUT] = "shells inside out",
};

static void put_number(const char *key, uint32_t number) {
    if (number != RV_NO_NUMBER)
        printf(",\"%s\":%llu", key, (unsigned long long)number + 1);
}

static void put_json(const rv_fault *fault, const char *sentence) {
    fputs("{\"fault\":", stdout);
    cli_json_text(stdout, kinds[fault->kind]);
    put_number("face", fault->face);
    put_number("other_face", fault->other);
    put_number("vertex", fault->vertex[0]);
    put_number("other_vertex", fault->vertex[1]);
    for (int i = 0; i < 3; i++) {
        fputs(i == 0 ? ",\"at\":[" : ",", stdout);
        cli_json_real(stdout, fault->at[i]);
    }
    fputs("],\"sentence\":", stdout);
    cli_json_text(stdout, sentence);
    fputs("}\n", stdout);
}

static void tell(void *user, const rv_fault *fault) {
    findings *found = user;
    char sentence[512];
    found->count++;
    found->of[fault->kind]++;
    rv_fault_print(fault, sentence, sizeof sentence);
    if (found->options->json)
        put_json(fault, sentence);
    else if (!found->options->quiet)
        puts(sentence);
}

static int fail_mesh(const char *file, const findings *found) {
    char list[512];
    size_t used = 0;
    for (int kind = 0; kind < RV_FAULT_COUNT; kind++)
        if (found->of[kind] > 0)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%llu %s", used ? ", " : "",
                                     (unsigned long long)found->of[kind], kinds[kind]);
    return cli_fail(3, "%.1000s is not the surface of a solid: %s.", file, list);
}

static int check_mesh(const cli_options *options, const char *file, const rv_mesh *mesh,
                      rv_status *status) {
    findings found = {.options = options};
    *status = rv_mesh_check(mesh, tell, &found);
    if (*status != RV_OK)
        return 0;
    if (found.count > 0)
        return fail_mesh(file, &found);
    size_t vertices = rv_mesh_vertex_count(mesh), faces = rv_mesh_face_count(mesh);
    if (options->json) {
        printf("{\"valid\":true,\"vertices\":%zu,\"faces\":%zu,\"volume\":", vertices, faces);
        cli_json_real(stdout, rv_mesh_volume(mesh));
        fputs(",\"unit\":\"m3\"}\n", stdout);
    } else if (!options->quiet) {
        cli_put_line(stdout, file);
        printf(": the surface of a solid, %zu vertices, %zu faces, %.6g m3\n", vertices, faces,
               rv_mesh_volume(mesh));
    }
    return 0;
}

int cli_solid_check(rv_context *ctx, const cli_options *options, rv_status *status) {
    *status = RV_OK;
    if (options->count != 3 || strcmp(options->words[1], "check") != 0 || options->dry_run)
        return cli_fail(2, "solid takes check FILE.obj, or from-terrain LAND OUT.obj.");
    rv_mesh *mesh;
    *status = rv_mesh_load(ctx, options->words[2], &mesh);
    if (*status != RV_OK)
        return 0;
    int code = check_mesh(options, options->words[2], mesh, status);
    rv_mesh_destroy(mesh);
    return code;
}

/* A block is a recipe: open LAND save OUT solid=100; of a recipe for LAND, its steps come first. */
int cli_solid_words(cli_options *options) {
    static char *words[8];
    static char open[] = "open", save[] = "save", depth[] = "solid=100";
    if (options->count < 2 || strcmp(options->words[0], "solid") != 0 ||
        strcmp(options->words[1], "from-terrain") != 0)
        return 0;
    if (options->count < 4 || options->count > 6)
        return cli_fail(2, "solid from-terrain takes the land, the file to write, and solid= and "
                           "error= as save does.");
    const char *land = options->words[2];
    size_t size = strlen(land);
    int count = 0;
    if (size < 3 || strcmp(land + size - 3, ".rv") != 0)
        words[count++] = open;
    words[count++] = options->words[2];
    words[count++] = save;
    words[count++] = options->words[3];
    bool deep = false;
    for (int i = 4; i < options->count; i++) {
        deep |= strncmp(options->words[i], "solid=", 6) == 0;
        words[count++] = options->words[i];
    }
    if (!deep)
        words[count++] = depth;
    options->words = words;
    options->count = count;
    return 0;
}
