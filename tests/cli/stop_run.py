"""stop_run.py LINES SECONDS PROGRAM WORDS...: runs a program, sends it SIGINT so many seconds after it has
written so many lines to standard error, one for each step, and prints its exit code and how many milliseconds
it took to stop. That is the processor time it still used, or the time by the clock where that is less: on a
loaded machine the clock says nothing about the program. "never": it was still there after 20 s."""
import glob, os, signal, subprocess, sys, threading, time

lines, delay, words = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]


def used(pid):
    """CPU time of all threads so far, ms."""
    total = 0
    for name in glob.glob(f'/proc/{pid}/task/*/schedstat'):
        try:
            total += int(open(name).read().split()[0])
        except OSError:
            pass
    return total / 1e6


def listens(pid):
    """Does it catch SIGINT? Before that, right after its start, the signal would end it."""
    for line in open(f'/proc/{pid}/status'):
        if line.startswith('SigCgt:'):
            return int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1
    return False


run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=open('../err', 'wb'))
while open('../err', 'rb').read().count(b'\n') < lines and run.poll() is None:
    time.sleep(0.005)
while run.poll() is None and not listens(run.pid):
    time.sleep(0.001)
time.sleep(delay)
if run.poll() is not None:
    sys.exit(f'{words[1:]} ended before it could be stopped: {open("../err").read()}')
late = threading.Timer(20, run.kill)
late.start()
before, clock = used(run.pid), time.time()
run.send_signal(signal.SIGINT)
_, status, usage = os.wait4(run.pid, 0)
wall = (time.time() - clock) * 1000
late.cancel()
cpu = (usage.ru_utime + usage.ru_stime) * 1000 - before
code = os.waitstatus_to_exitcode(status)
run.returncode = code
print('never' if code == -signal.SIGKILL else code, round(min(wall, max(cpu, 0))))
