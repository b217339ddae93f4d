# What a run does to files: none is lost, mixed or left half-written, whatever ends the run, and none
# that the user protects or the run itself reads is replaced.
. "$SOURCE/tests/cli/common.sh"
mkdir work
cd work || exit 1
ravine() {
    "$RAVINE" --quiet "$@"
}
short=${RAVINE_SHORT:-}
tries=$((${short:-0} ? 2 : 8))

# refused WHAT ARGUMENTS...: exit code 4, one sentence, and no file is changed
refused() {
    local what=$1 before code
    shift
    before=$(ls -l --time-style=full-iso && cksum ./*)
    ravine "$@" >../out 2>../err
    code=$?
    equal "$*: exit code" "$code" 4
    equal "$*: lines" "$(wc -l <../err)" 1
    holds "$*" "$(cat ../err)" "$what"
    equal "$*: files" "$(ls -l --time-style=full-iso && cksum ./*)" "$before"
}

# ---- rights ----
ravine terrain size=16 noise save old.r16 || fail "save"
chmod 600 old.r16 old.r16.ravine.json
ravine terrain size=16 noise seed=2 save old.r16 || fail "save over a private file"
equal "mode" "$(find old.r16 old.r16.ravine.json -perm 600 | wc -l | tr -d ' ')" 2
ln old.r16 other.r16
equal "hard link" "$("$RAVINE" terrain size=16 noise seed=3 save old.r16 2>&1 | grep -c 'other hard links')" 1
chmod 444 old.r16
refused 'old.r16: is read-only' terrain size=16 noise save old.r16
refused 'old.r16: is read-only' --dry-run terrain size=16 noise save old.r16
chmod 644 old.r16
chmod 444 old.r16.ravine.json
refused 'old.r16.ravine.json: is read-only' terrain size=16 noise save old.r16
rm -rf -- *

# ---- inputs ----
ravine terrain size=16 noise level high=1 save in.npy || fail "save"
printf 'open in.npy\nsave out.npy\n' >recipe.rv
cp recipe.rv recipe.npy
ln -s in.npy link.npy
refused 'in.npy: is read by open' open in.npy blur save in.npy
refused 'in.npy: is read by open' --dry-run open in.npy blur save in.npy
refused 'overwrite=yes' open in.npy save "$PWD/in.npy"
refused 'link.npy: is read by open' open in.npy save link.npy
refused 'in.npy: is read by mask' terrain size=16 mask in.npy noise save in.npy
refused 'recipe.npy: is the recipe itself' recipe.npy save recipe.npy
rm recipe.npy
before=$(last_hash open in.npy blur)
ravine open in.npy blur save in.npy overwrite=yes || fail "overwrite=yes"
equal "overwritten" "$(last_hash open in.npy)" "$before"
"$RAVINE" terrain size=32 noise save m.r16 hillshade m.png repeat 3 save m.r16 overwrite=yes end 2> said
made=$(sed -n '/^Made/,$s/^.\{26\}//p' said | sort | tr '\n' ' ')
equal "files that were made" "$made" "m.png m.r16 m.r16.ravine.json "
ravine open in.npy save new.npy open new.npy blur save new.npy || fail "a file of the run itself"
# names that no word has: frames, plots, links to inputs
ravine terrain size=16 noise save a.png save land-drainage.png save f-00001.png save f-00003.png || fail "save"
ln -s in.npy same-00001.png
refused 'land-drainage.png: is read by open' open land-drainage.png measure plots=land
refused 'land-drainage.png: is read by mask' --dry-run terrain size=16 mask land-drainage.png measure plots=land
refused 'f-00001.png: is read by open' open f-00001.png repeat 3 blur film f.png end
refused 'f-00001.png: is read by open' --dry-run open f-00001.png repeat 3 blur film "$PWD/f-%05d.png" end
refused 'same-00001.png: is read by open' open in.npy repeat 2 film same.png end
ravine open f-00003.png repeat 3 blur film f.png end || fail "a frame that is none of the film"
ravine open a.png measure plots=a.png film a.png || fail "names that are not written"
equal "files that are not written" "$(last_hash open a.png)" "$(last_hash terrain size=16 noise save b.png open b.png)"
ravine terrain size=16 noise repeat 2 film g.png end open g-00001.png film h.png || fail "frames of the run itself"
rm ./*.png*
# checkpoints under names that steps write or read, though no word has them
refused_checkpoint() {
    local what=$1 before=$(ls)
    shift
    ravine --every 0 --checkpoint "$@" 2>../err
    equal "--checkpoint $*" "$? $(ls)" "2 $before"
    holds "--checkpoint $*" "$(cat ../err)" "$what"
}
refused_checkpoint 'cannot be the checkpoint: film writes' f-00002.png terrain size=16 noise repeat 3 film f.png end
refused_checkpoint 'cannot be the checkpoint: save writes' o.png.ravine.json terrain size=16 noise save o.png
refused_checkpoint 'cannot be the checkpoint: measure writes' "$PWD/o-drainage.png" terrain size=16 measure plots=o
mv in.npy.ravine.json ..
refused_checkpoint 'cannot be the checkpoint: open reads' in.npy.ravine.json open in.npy
mv ../in.npy.ravine.json .
ravine --every 0 --checkpoint f-00003.png terrain size=16 noise repeat 3 film f.png end || fail "a checkpoint of its own"
rm f-*.png
# frames that could not be written
mkdir f-00002.png
touch r-00002.png
chmod 444 r-00002.png
refused 'f-00002.png: is a directory' terrain size=16 noise repeat 3 film f.png end
refused 'r-00002.png: is read-only' --dry-run terrain size=16 noise repeat 9 film r.png every=4 end
ravine terrain size=16 noise repeat 8 film r.png every=9 end || fail "frames before a read-only file"
rm -rf ./?-*.png
# many names: each is looked up once
steps=$((${short:-0} ? 300 : 3000))
k=0
while [ $((k += 1)) -le $steps ]; do echo "save $k.npy open $k.npy mask in.npy"; done >many.rv
printf 'terrain size=16\n%s\n' "$(cat many.rv)" >many.rv
timeout 10 "$RAVINE" --quiet --dry-run many.rv || fail "a plan of many names ($?)"
rm many.rv
# a run that goes on may read what it wrote, and write it again
rm -f new.npy*
"$RAVINE" --quiet --threads 1 --checkpoint run.ck --every 0 terrain size=64 noise save new.npy droplets drops=300k \
    open new.npy save new.npy &
until [ -e new.npy ] && [ run.ck -nt new.npy ]; do
    kill -0 $! || break
done
kill -9 $!
wait $!
[ -e run.ck ] || fail "the run was not stopped"
ravine resume run.ck || fail "a run that goes on"
"$RAVINE" --quiet terrain size=9 noise save rock.obj solid=5 || fail "rock"
printf 'model rock.obj\nbox low=-9/-9/-900 high=99/99/900\nrun frames=1 save=rock.obj\n' >rock.scene
refused 'rock.obj: is read by the scene' scene rock.scene
sed 's/rock.obj/m-00001.obj/; s/run .*/run frames=3 every=1 save=m.obj/' rock.scene >m.scene
mv rock.obj m-00001.obj
refused 'm-00001.obj: is read by the scene' scene m.scene
refused 'm-00001.obj: is read by the scene' --dry-run scene m.scene
refused_checkpoint 'cannot be the checkpoint: the scene writes' n-00002.obj scene m.scene save=n.obj
refused_checkpoint 'cannot be the checkpoint: the scene writes' n-00002.png scene m.scene save= film=n.png
ln -s m-00001.obj k-00002.png
refused 'k-00002.png: is read by the scene' scene m.scene save= film=k.png
rm k-00002.png
mkdir k-00002.png n-00002.obj
refused 'k-00002.png: is a directory' scene m.scene save= film=k.png
refused 'n-00002.obj: is a directory' scene m.scene save=n.obj
ravine scene m.scene save=n.obj every=3 || fail "names that are not written"
rm -rf -- *

# ---- sidecars of others ----
for text in '{"cell_m": 3, "author": "me"}' 'my notes' ''; do
    printf '%s' "$text" >z.r32.ravine.json
    refused 'z.r32.ravine.json: was not written by Ravine and was not changed' terrain size=8 noise save z.r32
    refused 'z.r32.ravine.json: was not written by Ravine' --dry-run terrain size=8 noise save z.r32
    ravine terrain size=8 noise save z.r32 overwrite=yes save z.r32 || fail "overwrite=yes, then without"
    ravine terrain size=9 noise save z.r32 || fail "a sidecar of Ravine"
    ravine open z.r32 || fail "the sidecar is not the new one"
    rm z.r32
done
rm -rf -- *

# ---- changed by another program ----
ravine terrain size=16 cell=5 noise save land.r16 low=-20 high=2000 || fail "save"
before=$(last_hash open land.r16)
printf 'ab' | dd of=land.r16 conv=notrunc 2>../err
said=$(ravine open land.r16 2>&1)
equal "a changed file: exit code" $? 3
holds "a changed file" "$said" 'open it with width=16 low=-20 high=2000 cell=5 if that still holds'
ravine open land.r16 width=16 low=-20 high=2000 cell=5 || fail "the words of the sentence"
ravine terrain size=16 cell=5 noise save land.r16 low=-20 high=2000 || fail "save it again"
equal "saved again" "$(last_hash open land.r16)" "$before"
rm -rf -- *

# ---- two runs at once ----
a='terrain size=32 noise relief=100'
b='terrain size=32 noise seed=5 relief=3000'
ravine $a save a.r16 && ravine $b save b.r16
both="$(last_hash open a.r16) $(last_hash open b.r16)"
for _ in $(seq $((3 * tries))); do
    "$RAVINE" --quiet $a save pair.r16 &
    "$RAVINE" --quiet $b save pair.r16 &
    wait
    holds "two runs at once" "$both" "$(last_hash open pair.r16)"
done
rm -rf -- *

# ---- the end of a run ----
# start_save: starts a save and waits until it writes
start_save() {
    local before now
    before=$(ls)
    "$RAVINE" --quiet terrain size=4000 noise octaves=1 save big.png 2>../err &
    run=$!
    for _ in $(seq 3000); do
        now=$(find . -name 'big.png.tmp*')
        [ "$now" ] && [ "$now" != "./$before" ] && return
        sleep 0.005
    done
    fail "big.png was never seen being written"
}
# SIGKILL leaves a file, which the next run removes; one that lives keeps its own.
for _ in $(seq 2); do
    start_save
    kill -KILL $run
    wait $run 2>../err
done
[ "$(ls)" ] || fail "a killed run left nothing, so that this test tests nothing"
start_save
ravine terrain size=8 save small.r32 || fail "save beside a killed run"
equal "temporary files beside a living run" "$(find . -name '*.tmp*' | wc -l)" 1
wait $run || fail "a save was disturbed by another run"
ravine open big.png || fail "big.png is not whole"
equal "files" "$(ls | tr '\n' ' ')" "big.png big.png.ravine.json small.r32 small.r32.ravine.json "
rm -f -- *
# Two signals, one soon after the other.
for _ in $(seq "$tries"); do
    start_save
    kill -INT $run
    kill -TERM $run
    wait $run
    code=$?
    [ $code = 130 ] || [ $code = 143 ] || fail "two signals: exit code $code"
    equal "two signals: files" "$(ls -A)" ""
done
# A file that may not grow.
(
    ulimit -f 4
    ravine terrain size=128 noise save big.r32 2>../err
)
equal "a limit on files: exit code" $? 4
holds "a limit on files" "$(cat ../err)" "big.r32: cannot be written: File too large."
equal "a limit on files: files" "$(ls -A)" ""
finish
