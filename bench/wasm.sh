#!/bin/sh
# wasm.sh: how fast WebAssembly in Node is beside a program on one core: runs bench_one_core both ways,
# in turns, and prints the seconds of processor time of each, the best of three turns, and their ratio. Then how much
# faster four threads of WebAssembly are than one, by the clock: not more than the machine has idle cores.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$source/build}
mkdir -p "$build"
cmake -S "$source" --preset release -B "$build/bench" -DRAVINE_BENCH=ON > "$build/said"
cmake --build "$build/bench" --target bench_one_core > "$build/said"
cmake -S "$source" --preset wasm -B "$build/wasm" -DRAVINE_BENCH=ON > "$build/said"
cmake --build "$build/wasm" > "$build/said"
cmake -S "$source" --preset wasm-threads -B "$build/wasm-threads" -DRAVINE_BENCH=ON > "$build/said"
cmake --build "$build/wasm-threads" > "$build/said"
for turn in 1 2 3; do
    "$build/bench/bench_one_core" | sed 's/^/program /'
    node "$source/studio/wasm/run.mjs" "$build/wasm/bench_one_core.wasm" | sed 's/^/wasm /'
done | awk '
    !($2 in best_program) { names[++count] = $2 }
    $1 == "program" && (!($2 in best_program) || $3 < best_program[$2]) { best_program[$2] = $3 }
    $1 == "wasm" && (!($2 in best_wasm) || $3 < best_wasm[$2]) { best_wasm[$2] = $3 }
    END {
        printf "%-10s %8s %8s  %s\n", "", "program", "wasm", "speed of wasm"
        for (i = 1; i <= count; i++) {
            name = names[i]
            printf "%-10s %7.3fs %7.3fs  %3.0f %%\n", name, best_program[name], best_wasm[name],
                100 * best_program[name] / best_wasm[name]
        }
    }'
echo
node "$source/studio/wasm/run.mjs" "$build/wasm-threads/bench_four_threads.wasm" 4
uptime | sed 's/.*load/load/'
