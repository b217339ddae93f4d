# What a container and ulimit allow is the memory limit: a run that needs more ends with a sentence and
# exit code 5; the system need not kill it. A control group is made where the machine lets us.
. "$SOURCE/tests/cli/common.sh"

limit_of() {
    sed -n 's/.*"memory_limit":\([0-9]*\).*/\1/p' "$1" | tail -n 1
}

# Sanitizers do not start below such limits.
if (ulimit -v 2000000 && "$RAVINE" --version) > said 2>&1; then
    (ulimit -v 2000000 && "$RAVINE" --dry-run --json terrain) > plan
    equal "limit of ulimit -v" "$(limit_of plan)" $((2000000 * 1024 / 10 * 9))
    (ulimit -v 2000000 && "$RAVINE" --threads 1 terrain size=32768 noise octaves=1) > said 2>&1
    equal "too much for ulimit -v" $? 5
    holds "too much for ulimit -v" "$(cat said)" "memory limit of 1.717 GiB"
else
    echo "ulimit -v: not tested, this build does not start below it"
fi

# make_group FILE PATH: a control group below ours of 300 MB
make_group() {
    group=$2/ravine-test-$$
    mkdir "$group" 2> said && echo 314572800 > "$group/$1" 2> said && return 0
    rmdir "$group" 2> said
    return 1
}
one=$(sed -n 's/^[0-9]*:[^:]*memory[^:]*:\(.*\)/\1/p' /proc/self/cgroup 2> said)
two=$(sed -n 's/^0::\(.*\)/\1/p' /proc/self/cgroup 2> said)
if make_group memory.limit_in_bytes "/sys/fs/cgroup/memory$one" || make_group memory.max "/sys/fs/cgroup$two"; then
    in_group() {
        sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$RAVINE" --threads 1 "$@"
    }
    in_group --dry-run --json terrain > plan
    equal "limit of the group" "$(limit_of plan)" $((314572800 / 10 * 9))
    in_group terrain size=12000 noise octaves=1 > said 2>&1
    equal "too much for the group" $? 5
    holds "too much for the group" "$(cat said)" "memory limit of 270 MiB"
    in_group --quiet terrain size=2048 noise octaves=1 > said 2>&1
    equal "enough for the group" $? 0
    rmdir "$group"
else
    echo "control groups: not tested, none can be made here"
fi
finish
