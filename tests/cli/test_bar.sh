# The progress bar: on a terminal only, erased at the end, without colour where NO_COLOR is set.
. "$SOURCE/tests/cli/common.sh"

cat >terminal.py <<'EOF'
"""terminal.py COLUMNS COMMAND...: runs a command with a terminal as its stderr and prints what came."""
import fcntl, os, pty, struct, subprocess, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
run = subprocess.Popen(sys.argv[2:], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
got = b''
while True:
    try:
        part = os.read(master, 65536)
    except OSError:
        break
    if not part:
        break
    got += part
sys.stdout.buffer.write(got)
sys.exit(run.wait())
EOF
export TERM=xterm

# The whole of a step, long enough for several bars (one in a tenth of a second) on any machine.
python3 terminal.py 60 "$RAVINE" --threads 1 terrain size=512 noise droplets drops=1M >seen || fail "$(cat seen)"
python3 - <<'EOF' || fail "the bar"
import re
text = open('seen', newline='').read()
bars = re.findall(r'\rdroplets   \[([^\]]*)\] +(\d+)%', text)
assert len(bars) > 2, text
plain = [re.sub(r'\x1b\[\d*m', '', bar) for bar, _ in bars]
assert all(re.fullmatch('#*-*', bar) for bar in plain), plain
assert all(len(bar) == 40 for bar in plain), plain
percents = [int(p) for _, p in bars]
assert percents == sorted(percents) and percents[-1] <= 100, percents
assert len(set(zip(plain, percents))) == len(bars), 'the same line was drawn twice'
assert '\x1b[32m' in text, 'no colour'
assert re.search(r'%[^\n]*\r\x1b\[Kdroplets .*eroded', text), 'the bar was not erased before the report'
EOF

# show COLUMNS COMMAND...: the first second of a long step
show() {
    local columns=$1
    shift
    python3 terminal.py "$columns" timeout -s INT 1 "$@" --threads 1 \
        terrain size=512 noise droplets drops=10G >seen
}
show 60 env NO_COLOR=1 "$RAVINE"
grep -q '\[[0-9]*m' seen && fail "colours in spite of NO_COLOR"
grep -q '\] .*%' seen || fail "no bar with NO_COLOR"
grep -q "%.*$(printf '\r\033')\[Kravine: " seen || fail "the bar was not erased before the error"
show 200 env COLUMNS=40 "$RAVINE"
grep -qE '[-#]{21}' seen && fail "the bar is wider than COLUMNS allows"
grep -qE '[-#]{20}' seen || fail "the bar is narrower than COLUMNS allows"
for option in --quiet --json; do
    show 60 "$RAVINE" $option
    grep -q '%' seen && fail "$option: a bar: $(cat seen)"
done
show 60 env TERM=dumb "$RAVINE"
grep -q '%' seen && fail "a bar on a terminal that cannot move its cursor"
timeout -s INT 1 "$RAVINE" --threads 1 terrain size=512 noise droplets drops=10G 2>seen
grep -q '%' seen && fail "a bar without a terminal"

# ---- errors are red on a terminal, and only there ----
python3 terminal.py 60 "$RAVINE" nose >seen
grep -q "$(printf '\033\\[31mravine:\033\\[0m ')" seen || fail "the error is not red"
NO_COLOR=1 python3 terminal.py 60 "$RAVINE" nose >seen
grep -q '^ravine: ' seen || fail "the error is red in spite of NO_COLOR"
"$RAVINE" nose 2>seen
grep -q '^ravine: ' seen || fail "the error is red without a terminal"
finish
