#!/usr/bin/env bash
# kills.sh [COUNT [SEED]]: ends runs with recipes, scenes, films and saves COUNT times (1000) at random
# moments, by SIGKILL, SIGTERM and SIGINT, and looks at what is left: every file is the old one or the new
# one, to the byte (a sidecar may know both: what is opened with it is the old land or the new), files of
# others are as they were, no encoder lives on, the run that is resumed ends in the
# bytes of one that was never stopped, and after it nothing else is left. RAVINE=path/to/ravine.
# SEED is printed; the moments depend on the machine, too.
set -u
count=${1:-1000} seed=${2:-$((RANDOM * 32768 + RANDOM))}
RAVINE=${RAVINE:-ravine}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
RANDOM=$seed
echo "seed $seed"

# A script plays ffmpeg: it takes its time, and its film is all frames, one after the other.
mkdir bin
cat > bin/ffmpeg <<'END'
#!/bin/sh
echo $$ >> "$ENCODERS"
for last; do :; done
film=${last#file:}
for frame in "${film%/*}"/0*.png; do
    cat "$frame"
    sleep 0.01
done > "$film"
END
chmod +x bin/ffmpeg
PATH=$work/bin:$PATH
export ENCODERS=$work/encoders

# ---- what is run ----

cat > saves.rv <<'END'
terrain size=48
noise seed=3
repeat 6
  droplets 300
end
save out.npy
save out.png
save out.r16
hillshade shade.png
END
cat > film.rv <<'END'
terrain size=32
noise seed=3
repeat 5
  droplets 100
  film wear.mp4 every=2
end
save out.r32
blur
film still.mp4
END
cat > rock.obj <<'END'
v -0.6 -0.6 -0.9
v 0.6 -0.6 -0.9
v -0.6 0.6 -0.9
v 0.6 0.6 -0.9
v -0.6 -0.6 -0.3
v 0.6 -0.6 -0.3
v -0.6 0.6 -0.3
v 0.6 0.6 -0.3
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
END
cat > wear.scene <<'END'
box low=-1/-1/-1 high=1/1/1
model rock.obj
water low=-0.5/-0.5/-0.28 high=0.3/0.3/0.1
particles max=150 spacing=0.12
material name=rock critical=0 rate=0.05
tessellate limit=0.4
run frames=9 every=3 save=out.obj film=wear.mp4 width=24 height=16
END
names=(saves film scene)
words=("saves.rv" "film.rv" "scene wear.scene")
# Other results of the same names, for runs to replace.
others=("saves.rv noise.seed=9" "film.rv noise.seed=9" "scene wear.scene frames=8")

ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# Results without a stop, how long they take, older results, and files that are nobody's business.
for kind in 0 1 2; do
    mkdir -p "new/$kind" "old/$kind" "run/$kind"
    for age in old new; do
        cp saves.rv film.rv wear.scene rock.obj "$age/$kind"
        said=${words[kind]}
        [ $age = new ] || said=${others[kind]}
        start=$(ms)
        # shellcheck disable=SC2086
        (cd "$age/$kind" && "$RAVINE" --quiet $said) || { echo "${names[kind]} fails"; exit 1; }
        took[kind]=$(($(ms) - start))
        for sidecar in "$age/$kind"/*.ravine.json; do
            [ -e "$sidecar" ] || continue
            land=${sidecar%.ravine.json}
            "$RAVINE" --quiet open "$land" save "$age/$kind.${land##*/}.npy" || exit 1
        done
    done
    for name in wear-00000.png wear-00001.png wear.mp4.part out.npy.tmp RAVINE-notes wear-frames; do
        echo "mine: $name" > "new/$kind/$name"
    done
    cp "new/$kind"/{wear-0000[01].png,wear.mp4.part,out.npy.tmp,RAVINE-notes,wear-frames} "old/$kind"
done

# ---- what must hold ----

failures=0
fail() {
    echo "kill $kill (${names[kind]}, $signal after $moment ms, $step): $*"
    failures=$((failures + 1))
}

# opened FILE: the heights that it is read as, in $work/opened.npy
opened() {
    rm -f "$work/opened.npy"
    "$RAVINE" --quiet open "$1" save "$work/opened.npy"
}

# Is every file whole, and the user's own as they were? Folders and temporary files may be left.
look() {
    local file land
    for file in *; do
        case $file in
        *.tmp[0-9a-f]* | *.frames-* | run.ck) continue ;;
        *.ravine.json)
            land=${file%.ravine.json}
            opened "$land" || fail "$land cannot be opened"
            cmp -s "$work/opened.npy" "$work/old/$kind.$land.npy" ||
                cmp -s "$work/opened.npy" "$work/new/$kind.$land.npy" ||
                fail "$land is read as neither old nor new"
            continue
            ;;
        esac
        cmp -s "$file" "$work/old/$kind/$file" || cmp -s "$file" "$work/new/$kind/$file" ||
            fail "$file is neither old nor new"
    done
    for file in "$work/old/$kind"/*; do
        [ -e "${file##*/}" ] || fail "${file##*/} is gone"
    done
}

# Does no encoder live on? It has a moment to go.
look_for_encoders() {
    local pid tries=0
    while read -r pid; do
        while kill -0 "$pid" 2> /dev/null && [ $((tries += 1)) -lt 200 ]; do
            sleep 0.01
        done
        if kill -0 "$pid" 2> /dev/null; then
            fail "the encoder $pid lives on"
            kill -9 "$pid"
        fi
    done < "$ENCODERS"
    : > "$ENCODERS"
}

# stop_at MILLISECONDS WORDS...: runs ravine and stops it then
stop_at() {
    local victim code
    moment=$1
    shift
    "$RAVINE" --quiet "$@" 2> said &
    victim=$!
    sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
    kill -"$signal" $victim 2> /dev/null
    wait $victim 2> /dev/null
    code=$?
    case $signal-$code in
    *-0 | KILL-137 | TERM-143 | INT-130) ;;
    *) fail "exit $code: $(cat said)" ;;
    esac
    rm -f said
    look
    look_for_encoders
}

# ---- the kills ----

for ((kill = 1; kill <= count; kill++)); do
    kind=$((RANDOM % 3)) step=run
    case $((RANDOM % 5)) in
    0) signal=TERM ;;
    1) signal=INT ;;
    *) signal=KILL ;;
    esac
    cd "$work/run/$kind" || exit 1
    rm -rf ./*
    cp "$work/old/$kind"/* .
    save=(--checkpoint run.ck --every 0)
    [ $((RANDOM % 4)) -gt 0 ] || save=()
    # shellcheck disable=SC2086
    stop_at $((RANDOM % (took[kind] + 20))) "${save[@]}" ${words[kind]}
    # Every second one that can go on is stopped once more.
    if [ -e run.ck ] && [ $((RANDOM % 2)) = 0 ] && [ $kill -lt $count ]; then
        kill=$((kill + 1)) step=resume
        stop_at $((RANDOM % (took[kind] + 20))) --every 0 resume run.ck
    fi
    step=end
    if [ -e run.ck ]; then
        "$RAVINE" --quiet resume run.ck || fail "the resume fails"
    else
        # shellcheck disable=SC2086
        "$RAVINE" --quiet ${words[kind]} || fail "the next run fails"
    fi
    for file in "$work/new/$kind"/*; do
        cmp -s "$file" "${file##*/}" || fail "${file##*/} is not what it is without a kill"
    done
    for file in *; do
        [ -e "$work/new/$kind/$file" ] || [ -e "$work/old/$kind/$file" ] || fail "$file is left"
    done
done
echo "$count kills, $failures failures"
exit $((failures > 0))
