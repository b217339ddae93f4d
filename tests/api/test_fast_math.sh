#!/bin/sh
# test_fast_math.sh SOURCE LIBRARY...: a program built with -ffast-math, whose start sets the processor to
# flush subnormal numbers to zero, gets the same bits from each of the libraries (static ones with the
# flags of what they need in $NEEDS) as one built without, and computes as before afterwards.
set -e
source=$1
shift

cat > land.c << 'END'
#include <ravine/ravine.h>
#include <stdio.h>

static bool flushes(void) {
    volatile float small = 0x1p-120f, smaller = small * 0x1p-20f, zero = 0.0f;
    return smaller == zero;
}

int main(void) {
    static const char *const recipes[] = {"terrain size=64 cone relief=1e-37 blur radius=50",
                                          "terrain size=64 noise droplets drops=2k thermal"};
    rv_context *ctx;
    bool before = flushes();
    if (rv_context_create(NULL, &ctx) != RV_OK)
        return 1;
    for (int i = 0; i < 2; i++) {
        rv_terrain *land;
        if (rv_recipe_run_text(ctx, recipes[i], NULL, &land) != RV_OK)
            return 1;
        printf("%016llx\n", (unsigned long long)rv_terrain_hash(land));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
    fprintf(stderr, "%s\n", before && flushes() ? "flushes" : !before && !flushes() ? "keeps" : "changed");
    return 0;
}
END

for library in "$@"; do
    for flags in -O2 '-O2 -ffast-math'; do
        # shellcheck disable=SC2086 # lists of flags
        cc -std=c99 $flags -I "$source/include" land.c -o land "$library" \
            "-Wl,-rpath,$(dirname "$library")" ${NEEDS:-}
        ./land > "$flags.hashes" 2> "$flags.state"
    done
    cmp -- '-O2.hashes' '-O2 -ffast-math.hashes' || { echo "$library: other bits"; exit 1; }
    grep -q keeps -- '-O2.state' || { echo "$library: the plain program lost its state"; exit 1; }
    # Where the compiler's fast-math does not flush, there is nothing to see.
    if grep -q changed -- '-O2 -ffast-math.state'; then
        echo "$library: the program lost its state"
        exit 1
    fi
    echo "$library: $(cat -- '-O2 -ffast-math.state')"
done
