# Ctrl-C stops any step soon, with exit code 130, and leaves no half-written file.
. "$SOURCE/tests/cli/common.sh"
mkdir work
cd work || exit 1

# The aim is 100 ms; a sanitizer takes its time.
most_ms=300
is_sanitized && most_ms=5000
slowest=0

# Starts a run and waits for its first word, which comes after it listens to signals.
start() {
    "$RAVINE" "$@" 2>../err &
    run=$!
    while [ ! -s ../err ] && kill -0 "$run" 2>/dev/null; do
        sleep 0.005
    done
}

# A time below 0.4 seconds that differs from run to run.
some_time() {
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
}

# stop SIGNAL CODE WHAT [FILES]: sends the signal; FILES may be there afterwards. How soon it stops is
# asked by `interrupt`; here a loaded machine has its time.
stop() {
    local begun code ms
    begun=$(date +%s%N)
    kill "-$1" "$run"
    wait "$run"
    code=$?
    ms=$((($(date +%s%N) - begun) / 1000000))
    echo "$3: exit code $code after $ms ms"
    equal "$3: exit code" "$code" "$2"
    equal "$3: files" "$(ls -A)" "${4:-}"
    [ "$ms" -le "$((8 * most_ms))" ] || fail "$3: took $ms ms to stop"
}

# ---- at random moments of long steps ----
# interrupt WORDS...: after so many steps ($before) and seconds ($later)
before=1
later=0
interrupt() {
    local code ms
    read -r code ms < <(python3 "$SOURCE/tests/cli/stop_run.py" \
        "$before" "$later.$((RANDOM % 4))$((RANDOM % 10))" "$RAVINE" "$@")
    echo "$(printf '%.70s' "$*"): exit code $code after $ms ms"
    equal "$*: exit code" "$code" 130
    equal "$*: files" "$(ls -A)" ""
    equal "$*: errors" "$(grep -c '^ravine: ' ../err)" 1
    [ "$ms" -le "$slowest" ] || slowest=$ms
    [ "$ms" -le "$most_ms" ] || fail "$*: took $ms ms to stop"
}
for _ in 1 2 3 4; do
    interrupt terrain size=512 noise droplets drops=10G
done
interrupt terrain size=512 noise droplets drops=10G border=apron margin=256
interrupt --threads 1 terrain size=300 noise droplets drops=10G max_path=4096 radius=32
interrupt terrain size=4096 noise octaves=16 warp=1 noise octaves=16 warp=1
interrupt terrain size=4096 faults count=10000
# Long enough for a fast machine: a second and more.
interrupt terrain size=4096 noise octaves=1 repeat 8 blur radius=20k end
interrupt terrain size=3000 noise octaves=1 repeat 8 resize size=6000 resize size=3001 end
# Brushes on layers and bands: each drop costs many times as much.
soil='strata layer thickness=10'
# shellcheck disable=SC2086
{
    before=4
    later=1
    interrupt terrain size=1024 noise octaves=1 $soil droplets drops=10M radius=9
    interrupt terrain size=1024 noise octaves=1 $soil droplets drops=10M radius=32
    later=0
    interrupt terrain size=2048 noise octaves=1 $soil pipes rounds=100000
    interrupt terrain size=2048 noise octaves=1 $soil thermal rounds=100000
    interrupt terrain size=2048 noise octaves=1 $soil rivers steps=10000
    interrupt terrain size=2048 noise octaves=1 $soil runoff rounds=100000
}
before=2
interrupt scene river frames=100000

# ---- while a pipe gives nothing ----
mkfifo ../silent.r32 ../silent.obj
before=0
interrupt open ../silent.r32 # nobody writes to it
sleep 100 > ../silent.r32 &
writer=$!
interrupt open ../silent.r32
interrupt terrain size=16 mask ../silent.r32
kill "$writer"
interrupt solid check ../silent.obj

# ---- other signals ----
start terrain size=512 noise droplets drops=10G
sleep 0.3
stop TERM 143 "signal TERM"
start terrain size=512 noise droplets drops=10G
sleep 0.3
kill -INT "$run"
stop INT 130 "Ctrl-C twice"
set -m # a shell without job control lets what it starts ignore Ctrl-C until it listens
"$RAVINE" terrain size=512 noise droplets drops=10G 2>../err &
run=$!
set +m
stop INT 130 "at the very start"

# ---- while a file is being written ----
# Waits until the run writes a file beside $1.
being_written() {
    local i
    for ((i = 0; i < 6000; i++)); do
        [ "$(find . -name "$1*tmp*")" ] && return 0
        kill -0 "$run" 2>/dev/null || break
        sleep 0.005
    done
    fail "$1 was never seen being written"
    return 1
}
for _ in 1 2 3; do
    start terrain size=4096 noise octaves=2 save big.png
    being_written big.png
    some_time
    stop INT 130 "during save big.png"
    printf 'an older file' >big.png
    start terrain size=4096 noise octaves=2 save big.png
    being_written big.png
    stop INT 130 "during save big.png over an older one" big.png
    equal "big.png" "$(cat big.png)" "an older file"
    rm big.png
done
start terrain size=4096 noise octaves=2 hillshade big.png
being_written big.png
stop INT 130 "during hillshade big.png"

# Saves that are too quick to be met in the act: what is there in the end is whole.
for file in big.npy big.r16 big.r32; do
    start terrain size=2048 noise octaves=1 save "$file" save "$file" save "$file" save "$file"
    some_time
    some_time
    kill -INT "$run" 2>/dev/null
    wait "$run"
    [ "$(find . -name '*tmp*')" ] && fail "a temporary file is left of $file"
    [ ! -e "$file" ] || "$RAVINE" --quiet open "$file" || fail "$file is not whole"
    rm -f -- *
done
echo "slowest stop: $slowest ms"
finish
