#!/bin/sh
# check_laws.sh SOURCE [BUILD]: holds the sources to the laws of CONTRIBUTING.md and, where a build
# is given, its objects and compiler commands, too. Prints every breach; exit code 1 when there is one.
LC_ALL=C
export LC_ALL
source=$(cd "$1" && pwd) || exit 2
build=${2:+$(cd "$2" && pwd)} || exit 2
cd "$source" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
breaches=$work/breaches
: > "$breaches"

breach() {
    echo "$*" >> "$breaches"
}

# Files of the project: what git knows and would take; without git, everything but builds.
all_files() {
    if [ "$(git -c safe.directory='*' rev-parse --show-toplevel 2> "$work/git")" = "$source" ]; then
        git -c safe.directory='*' ls-files --cached --others --exclude-standard --deduplicate |
            while read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done
    else
        find . -type d \( -name .git -o -path ./build -o -path ./demo \) -prune -o -type f -print |
            sed 's|^\./||'
    fi
}
all_files | sort > "$work/files"
grep -E '\.(c|h|inc)$' "$work/files" > "$work/c_files"
grep -E '^(src|include)/.*\.h$' "$work/files" > "$work/headers"
# The steps of the table.
sed -n 's/^RV_STEP(\([a-z_]*\),.*/\1/p' include/ravine/steps.def > "$work/steps"

# File names are unique, so that a name is an address.
check_names() {
    awk -F/ '{ if ($NF in first) print first[$NF] " and " $0 ": two files with one name";
               else first[$NF] = $0 }' "$work/files" >> "$breaches"
}

# Layers: a folder of src includes only itself and what stands left of it, never its neighbours.
check_layers() {
    xargs grep -n '^[[:space:]]*#[[:space:]]*include' /dev/null < "$work/c_files" | awk '
        BEGIN {
            rank["base"] = 1
            rank["terrain"] = rank["words"] = 2
            rank["mesh"] = 3
            rank["formats"] = rank["picture"] = rank["measure"] = rank["device"] = rank["cluster"] = 4
            rank["wear"] = rank["water"] = 5
            rank["steps"] = rank["scene"] = 6
            rank["recipe"] = 7
        }
        {
            split($0, place, ":")
            where = place[1] ":" place[2]
            split(place[1], path, "/")
            quoted = $0 !~ /^[^"]*</
            if ($0 !~ /["<]/) { # a name that stands for a file
                if (place[1] !~ /\.inc$/)
                    print where ": only a .inc file may include what a macro names"
                next
            }
            what = $0
            sub(/^[^"<]*["<]/, "", what)
            sub(/[">].*$/, "", what)
            folder = what
            sub(/\/.*$/, "", folder)
            mine = path[2]
        }
        path[1] == "src" && !(mine in rank) {
            print where ": src/" mine " has no place among the layers"
            next
        }
        path[1] == "src" && quoted && !(folder in rank) {
            print where ": includes \"" what "\"; say which folder it is in"
            next
        }
        path[1] == "src" && quoted && folder != mine && rank[folder] >= rank[mine] {
            print where ": " mine " may not see " what
        }
        path[1] == "src" && what ~ /_state\.h$/ && folder != mine {
            print where ": " what " is for src/" folder " alone"
        }
        path[1] == "src" && what ~ /^steps\/.*\// {
            step = what
            sub(/\/[^\/]*$/, "", step)
            if (place[1] != "src/" step ".c" && index(place[1], "src/" step "/") != 1)
                print where ": " what " is for src/" step ".c alone"
        }
        path[1] == "src" && !quoted && (folder in rank) {
            print where ": " what " is ours, include it with quotes"
        }
        (path[1] == "cli" || path[1] == "examples") && (folder in rank || what ~ /\.\./) {
            print where ": " path[1] " may see only <ravine/ravine.h>, not " what
        }
        what == "png.h" && place[1] !~ /^(src\/formats|tests)\// {
            print where ": only src/formats may know libpng"
        }
        what == "microhttpd.h" && place[1] != "cli/studio/server.c" {
            print where ": only cli/studio/server.c may know libmicrohttpd"
        }
        what ~ /^(CL|OpenCL)\// && mine != "device" { print where ": only src/device may know OpenCL" }
        what == "mpi.h" && mine != "cluster" { print where ": only src/cluster may know MPI" }
    ' >> "$breaches"
}

# A step is a file and an entry in the table; a folder below src/steps belongs to a step; and a recipe
# of same_bits runs it. The strings of that driver are recipes, but for the first one of each line,
# which is a name.
check_steps() {
    sed -n 's|^src/steps/\([^/]*\)\.c$|\1|p' "$work/files" | sort > "$work/step_files"
    sort "$work/steps" | comm -13 - "$work/step_files" |
        sed 's|.*|src/steps/&.c: there is no such step in the table|' >> "$breaches"
    sort "$work/steps" | comm -23 - "$work/step_files" |
        sed 's|.*|include/ravine/steps.def: there is no src/steps/&.c|' >> "$breaches"
    sed -n 's|^src/steps/\([^/]*\)/.*|\1|p' "$work/files" | sort -u | comm -23 - "$work/step_files" |
        sed 's|.*|src/steps/&: no step has this name|' >> "$breaches"
    sed -e 's/^ *{"[^"]*", *//' tests/same_bits/driver.c | grep -o '"[^"]*"' | tr -d '"' |
        tr ' ' '\n' | sort -u > "$work/recipe_words"
    sort "$work/steps" | comm -23 - "$work/recipe_words" |
        sed 's|.*|tests/same_bits/driver.c: no recipe runs the step &|' >> "$breaches"
}

# What the library stands on does not know the parameters of single steps.
check_enums() {
    names=$(paste -s -d '|' "$work/steps")
    grep -E '^src/(base|terrain|picture)/' "$work/c_files" |
        xargs grep -noE "\\<RV_($names)_[a-z]+_[a-z0-9_]+" /dev/null |
        sed 's/:\([^:]*\)$/: \1 belongs to a step/' >> "$breaches"
}

# A type has one name and a name one type: headers can be included together. An opaque type may be
# declared in one header and defined in another.
check_types() {
    xargs awk '
        FNR == 1 { type = "" }
        function found(kind, name) {
            if ((kind, name) in first && first[kind, name] != FILENAME)
                print FILENAME ":" FNR ": " name " is defined in " first[kind, name] ", too"
            else
                first[kind, name] = FILENAME
        }
        /^(typedef )?(struct|union|enum) [a-z_0-9]+ \{/ {
            name = $0
            sub(/ \{.*$/, "", name)
            sub(/^.* /, "", name)
            found("tag", name)
        }
        /^typedef .*\(\*[a-z_0-9]+\)\(/ {
            name = $0
            sub(/^[^(]*\(\*/, "", name)
            sub(/\).*$/, "", name)
            found("type", name)
            next
        }
        /^typedef .*;|^\} [a-z_0-9]+;/ {
            name = $0
            sub(/(\[[^\]]*\])*;.*$/, "", name)
            sub(/^.*[ *]/, "", name)
            found("type", name)
        }
    ' /dev/null < "$work/headers" >> "$breaches"
}

# Every header stands alone, and all together are one file of C and of C++.
check_headers() {
    xargs cc -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -fsyntax-only -x c \
        < "$work/headers" > "$work/said" 2>&1 || {
        echo 'a header does not stand alone:'
        grep -E 'error' "$work/said"
    } >> "$breaches"
    sed -e 's|^src/\(.*\)|#include "\1"|' -e 's|^include/\(.*\)|#include <\1>|' \
        "$work/headers" > "$work/all.c"
    cp "$work/all.c" "$work/all.cc"
    cc -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -fsyntax-only "$work/all.c" \
        > "$work/said" 2>&1 || {
        echo 'the headers do not stand together in C:'
        grep -E 'error' "$work/said"
    } >> "$breaches"
    g++ -std=c++17 -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -fsyntax-only "$work/all.cc" \
        > "$work/said" 2>&1 || {
        echo 'the headers do not stand together in C++:'
        grep -E 'error' "$work/said"
    } >> "$breaches"
}

# Lines of C end at column 100; the table is wider and so are the calls of the manual.
check_columns() {
    grep -v '^include/ravine/ravine\.h$' "$work/c_files" |
        xargs awk 'length($0) > 100 { print FILENAME ":" FNR ": longer than 100 columns" }' \
            /dev/null >> "$breaches"
}

# One look for all C, where the formatter of that version is there.
check_format() {
    format=clang-format-14
    if ! command -v $format > "$work/which"; then
        format=clang-format
        if ! clang-format --version 2> "$work/which" | grep -q 'version 14\.'; then
            echo "clang-format 14 is not here: the look of the code was not checked"
            return
        fi
    fi
    grep -v '^include/ravine/ravine\.h$' "$work/c_files" | xargs $format --dry-run -Werror \
        > "$work/format" 2>&1 ||
        sed -n 's/:[0-9]*:[0-9]*: error:.*/: looks other than make format leaves it/p' "$work/format" |
        uniq >> "$breaches"
}

# Nothing in the sources asks for less exact arithmetic.
check_arithmetic() {
    grep -v '^tests/laws/' "$work/c_files" | xargs grep -nE \
        '(pragma|optimize).*fast|FP_CONTRACT +(ON|DEFAULT)|_mm[0-9]*_(mask[z]?_)?(rsqrt|rcp)|native_(sin|cos|exp|log|powr|sqrt|rsqrt|recip|divide)' \
        /dev/null | sed 's/:\([0-9]*\):.*/:\1: arithmetic that is not exact/' >> "$breaches"
}

# Public functions that compute nothing, or with whole numbers alone: they hand out what is there, copy it, or
# release it.
plain_functions='rv_status_text rv_version rv_version_number rv_context_desc_default rv_context_open
    rv_context_destroy rv_context_error rv_context_threads rv_context_memory_used
    rv_context_memory_peak rv_context_memory_limit rv_terrain_desc_default rv_terrain_destroy rv_terrain_width
    rv_terrain_height rv_terrain_cell rv_terrain_layer_count rv_terrain_layer
    rv_terrain_layer_thickness rv_terrain_layer_ledger rv_terrain_layer_last rv_terrain_field
    rv_terrain_field_count rv_terrain_field_name rv_terrain_hardness rv_terrain_ledger
    rv_snapshot_destroy rv_mesh_destroy rv_mesh_vertex_count rv_mesh_face_count rv_mesh_points
    rv_mesh_faces rv_step_count rv_step_get rv_step_find rv_step_name rv_step_also rv_recipe_preset_count
    rv_recipe_preset_name rv_recipe_preset_text rv_kind_name rv_kind_text rv_field_count
    rv_field_get rv_field_find rv_param_seed rv_param_text rv_param_vector rv_param_set_seed
    rv_param_set_text rv_param_set_vector rv_terrain_figure_count rv_terrain_figure
    rv_params_destroy rv_params_struct rv_recipe_destroy rv_recipe_count rv_recipe_step
    rv_recipe_params rv_scene_word_count rv_scene_word rv_scene_preset_count rv_scene_preset_name
    rv_scene_destroy rv_scene_material_count rv_scene_material_name rv_seed_of_turn rv_device_count
    rv_device_get rv_context_device'

# Every public function that computes sets the floating-point state first, and is called in every
# state by a test.
check_entries() {
    sed -n 's/^RV_API [^(]*[ *]\(rv_[a-z0-9_]*\)(.*/\1/p' include/ravine/ravine.h | sort > "$work/public"
    grep -E '^src/.*\.c$' "$work/c_files" | xargs awk '
        function over() { # the body begins with the next line
            getline line
            print name, line ~ /^    RVI_ENTRY\(/ ? "enters" : "plain", FILENAME
            name = ""
        }
        FNR == 1 { name = "" }
        /^[a-z][a-z0-9_ ]*[ *]rv_[a-z0-9_]+\(/ && !/;$/ {
            name = $0
            sub(/\(.*$/, "", name)
            sub(/^.*[ *]/, "", name)
        }
        name != "" && /\{$/ { over() }
    ' /dev/null > "$work/entries"
    test_of_states=tests/unit/test_float_state.c
    while read -r name; do
        said=$(grep "^$name " "$work/entries") || continue
        case " $(echo $plain_functions) " in *" $name "*) continue ;; esac
        case $said in
        *' plain '*) breach "${said##* }: $name does not begin with RVI_ENTRY" ;;
        *) grep -q "\<$name(" $test_of_states || breach "$test_of_states: $name is not called" ;;
        esac
    done < "$work/public"
}

# uses WHERE NOT_WHERE NAMES SENTENCE: no object whose path matches WHERE and not NOT_WHERE may need a
# function of these names.
uses() {
    awk -v where="$1" -v not_where="$2" -v names="$3" -v law="$4" '
        BEGIN { split(names, list); for (i in list) named[list[i]] = 1 }
        {
            object = $1
            name = $3
            sub(/@.*$/, "", name)
            sub(/^__(isoc[0-9]*_)?/, "", name)
            sub(/(_chk|64)$/, "", name)
        }
        object ~ where && object !~ not_where && (name in named) {
            print substr(object, 1, length(object) - 1) " uses " $3 "(): " law
        }
    ' "$work/needs" >> "$breaches"
}

check_objects() {
    (cd "$build/CMakeFiles" && find ravine.dir/src ravine_cli.dir/cli -name '*.o' | sort |
        xargs nm -A -u) > "$work/needs"
    if ! [ -f "$build/CMakeFiles/ravine.dir/src/base/math.c.o" ]; then
        breach "$build: holds no objects of the library, so that nothing can be said about them"
        return
    fi

    functions=
    for name in sin cos tan sincos asin acos atan atan2 sinh cosh tanh asinh acosh atanh \
        exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot tgamma lgamma erf erfc; do
        functions="$functions $name ${name}f ${name}l"
    done
    uses / /base/math.c "$functions" "libm does not compute it alike everywhere, use base/math.h"
    uses / '/base/(file|file_owner|run_files).c|/cli/(studio/studio_files|sweep_files).c' 'openat creat fopen fdopen freopen rename renameat
        unlink remove mkstemp mkostemp mkdtemp tmpfile mkdir rmdir truncate ftruncate' 'only src/base may touch files' # studio_files.c: the page, what it brings; sweep_files.c: the table
    uses / '/base/(file|file_owner|run_files).c|/cli/(studio/studio_files|complete|sweep_files).c' opendir \
        'only src/base may touch files' # complete.c: names of files, for completion
    uses / '/base/(file|file_owner|run_files|program).c|/cli/(main|sweep_files).c' open \
        'only src/base may touch files' # program.c and main.c: /dev/null; sweep_files.c: the table
    uses /src/ - 'printf vprintf puts putchar perror exit quick_exit' \
        'a library neither prints nor ends the program'
    uses /src/ /base/program.c '_exit _Exit' 'a library does not end the program' # there: others
    uses /src/ - 'rand srand rand_r random srandom drand48 lrand48 time' \
        'random numbers come from base/random.h'
    uses /src/ - 'setlocale strtod strtold atof sscanf' \
        'numbers do not depend on the locale, use base/text.h'
    uses /src/ /base/ 'malloc calloc realloc reallocarray free aligned_alloc posix_memalign strdup
        strndup' 'memory comes from rvi_alloc'
    # studio.c: the browser
    uses / '/base/program.c|/cli/studio/studio.c' 'posix_spawn posix_spawnp fork vfork execve execv execvp execl execlp system
        popen waitpid' 'only base/program.c may run programs'
    uses / /base/loaded_library.c 'dlopen dlsym' 'only base/loaded_library.c may load a library'
    uses /src/ /base/ 'pthread_create pthread_mutex_lock thrd_create' 'threads come from base/threads.h'
}

# Every file was compiled as C17 with the float flags, none with what undoes them.
check_commands() {
    grep '"command":' "$build/compile_commands.json" > "$work/commands"
    if ! [ -s "$work/commands" ]; then
        breach "$build: there is no compile_commands.json to look into"
    fi
    awk '
        { file = $0; sub(/",?$/, "", file); sub(/^.* /, "", file) }
        match($0, /-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-ffp-contract=(fast|on)/) {
            print file ": compiled with " substr($0, RSTART, RLENGTH)
        }
        !/-std=c17 / || !/-ffp-contract=off / || !/-fno-math-errno / || !/-fno-trapping-math / {
            print file ": compiled without -std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math"
        }
    ' "$work/commands" >> "$breaches"
}

# One version: that of the header. What cannot ask it says the same.
check_version() {
    version=$(sed -n 's/^#define RV_VERSION "\([0-9.]*\)"$/\1/p' include/ravine/ravine.h)
    if [ -z "$version" ]; then
        return
    fi
    number=$(echo "$version" | awk -F. '{ print 10000 * $1 + 100 * $2 + $3 }')
    grep -q "^#define RV_VERSION_NUMBER $number\>" include/ravine/ravine.h ||
        breach "include/ravine/ravine.h: RV_VERSION_NUMBER of $version is $number"
    [ "$(sed -n 's/^## \([0-9.]*[0-9]\).*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ] ||
        breach "CHANGELOG.md: does not begin with $version"
    port=packaging/vcpkg/ravine/vcpkg.json
    if [ -f $port ] && ! grep -q "\"version\": \"$version\"" $port; then
        breach "$port: is not of version $version"
    fi
}

check_names
check_layers
check_version
check_steps
check_enums
check_types
check_headers
check_columns
check_format
check_arithmetic
check_entries
if [ -n "$build" ]; then
    check_objects
    check_commands
fi

if [ -s "$breaches" ]; then
    cat "$breaches"
    exit 1
fi
echo "$(grep -c '' "$work/files") files keep the laws"
