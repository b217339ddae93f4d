#!/usr/bin/env python3
"""studio_client.py RAVINE FOLDER: starts `ravine studio` with the page FOLDER/page in FOLDER/work, and talks to it."""
import array, contextlib, http.client, json, os, random, signal, socket, string, struct, subprocess, sys, threading, time

ravine, folder = sys.argv[1:]
work, page, tmp = folder + "/work", folder + "/page", folder + "/tmp"
HILLS = ["terrain size=64 cell=10", "noise seed=7 relief=300"]
LONG = HILLS + ["pipes time=1M"]
WAIT = 60  # for what takes no time on a machine that is not busy


def check(truth, what):
    if not truth:
        raise SystemExit("not so: " + what)


def pack(message, *buffers):
    text = json.dumps({**message, "buffers": [len(b) for b in buffers]}).encode()
    return struct.pack("<I", len(text)) + text + b"".join(buffers)


def unpack(read):
    """One message from read(size), with its buffers; None: the end."""
    head = read(4)
    if len(head) < 4:
        return None
    message = json.loads(read(struct.unpack("<I", head)[0]))
    message["buffers"] = [read(size) for size in message["buffers"]]
    return message


class Server:
    def __init__(self, *words, cwd=work):
        self.process = subprocess.Popen([ravine, "studio", "--no-open", "--threads", "2", *words], cwd=cwd, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "RAVINE_STUDIO": page, "TMPDIR": tmp})
        self.know(self.process.stdout.readline().strip())

    @classmethod
    def at(cls, process, address):
        """One that was started elsewhere."""
        server = cls.__new__(cls)
        server.process = process
        server.know(address)
        return server

    def know(self, address):
        check(address.startswith("http://127.0.0.1:"), "the address: %r" % address)
        rest, self.token = address.split("/?token=")
        self.port = int(rest.rsplit(":", 1)[1])
        check(len(self.token) == 64, "the token is long")

    def ask(self, method, path, body=None, token=True, **headers):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        if token:
            headers["X-Ravine-Token"] = self.token
        connection.putrequest(method, path, skip_host="Host" in headers)
        if body is not None:
            headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        if body:
            try:
                connection.send(body)
            except (BrokenPipeError, ConnectionResetError):
                pass
        answer = connection.getresponse()
        result = answer.status, answer.headers, answer.read()
        connection.close()
        return result

    def raw(self, text):
        """The first line of the answer to bytes that no library would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT) as plug:
            plug.sendall(text)
            return plug.makefile("rb").readline().decode()

    def threads(self):
        return len(os.listdir("/proc/%d/task" % self.process.pid))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        rest = self.process.communicate(timeout=WAIT)
        check(self.process.returncode == 0, "it ends well: %d %s" % (self.process.returncode, rest[1]))
        check(os.listdir(tmp) == [], "it leaves no files: %s" % os.listdir(tmp))


class Tab:
    """A page: its stream of events, and its requests."""

    def __init__(self, server):
        self.server, self.run, self.events, self.change = server, 0, [], threading.Condition()
        self.name = "".join(random.choices(string.ascii_letters + string.digits, k=20))
        self.plug = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        self.plug.sendall(("GET /events?session=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Ravine-Token: %s\r\n\r\n" %
                           (self.name, server.port, server.token)).encode())
        self.answer = http.client.HTTPResponse(self.plug)
        self.answer.begin()
        check(self.answer.status == 200, "events: %d" % self.answer.status)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            while (event := unpack(self.answer.read)) is not None:
                with self.change:
                    self.events.append(event)
                    self.change.notify_all()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass

    def ask(self, kind, *buffers, **rest):
        if kind in ("run", "continue", "scene", "prepare"):
            self.run += 1
        if kind in ("run", "continue", "scene", "prepare", "control"):
            rest = {"run": self.run, **rest}
        if kind in ("run", "continue", "scene"):
            rest = {"live": {"fields": ["height"], "rate": 20, "every": 1, "slices": False}, **rest}
        status, _, body = self.server.ask("POST", "/message?session=" + self.name,
                                          pack({"id": 7, "kind": kind, **rest}, *buffers))
        check(status == 200, "%s: %d %s" % (kind, status, body))
        at = [0]

        def read(size):
            at[0] += size
            return body[at[0] - size:at[0]]
        reply = unpack(read)
        check(reply["id"] == 7, "the reply is to this request")
        return reply

    def until(self, kind, **rest):
        """The first event of this kind of the last run."""
        end = time.monotonic() + WAIT
        with self.change:
            while True:
                for event in self.events:
                    if event["kind"] == kind and event.get("run") == self.run and all(event[k] == v for k, v in rest.items()):
                        return event
                check(time.monotonic() < end, "an event %s %s comes" % (kind, rest))
                self.change.wait(1)

    def made(self, steps, **live):
        """The end of a run of these steps."""
        self.ask("run", steps=steps)
        return self.until("ended")

    def close(self):
        self.plug.shutdown(socket.SHUT_RDWR)
        self.plug.close()


def last_hash(*words):
    lines = subprocess.run([ravine, *words, "--json", "--quiet"], cwd=work, check=True, capture_output=True, text=True).stdout
    return json.loads(lines.strip().split("\n")[-1])["hash"]


def steps_hash(steps):
    with open(work + "/steps.rv", "w") as file:
        file.write("\n".join(steps) + "\n")
    return last_hash("steps.rv")


def waits_for(truth, what):
    end = time.monotonic() + WAIT
    while not truth():
        check(time.monotonic() < end, what)
        time.sleep(0.02)


def test_page(server):
    status, headers, body = server.ask("GET", "/", token=False)
    check(status == 200 and b"Studio" in body, "the page is there")
    policy = headers["Content-Security-Policy"]
    check("default-src 'none'" in policy and "unsafe-inline" not in policy and "http" not in policy, policy)
    check(headers["Cross-Origin-Opener-Policy"] == "same-origin", "isolated")
    check(headers["Cross-Origin-Embedder-Policy"] == "require-corp", "isolated")
    check(server.ask("GET", "/assets/code.js", token=False)[1]["Content-Type"].startswith("text/javascript"), "type")
    for path in ["/../secret", "/assets/../../secret", "/%2e%2e/secret", "/..%2fsecret", "/link", "/folder/secret",
                 "//etc/passwd", "/etc/passwd", "/assets", "/assets/", "/?/../secret/../../secret2"]:
        said = server.raw(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (path, server.port)).encode())
        check(" 404 " in said or (path.startswith("/?") and " 200 " in said), "%s: %s" % (path, said))
        check(b"secret" not in server.ask("GET", path, token=False)[2], path)


def test_strangers(server):
    own = "127.0.0.1:%d" % server.port
    message = "/message?session=x"
    for headers in [{"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Host": "127.0.0.1:1"}, {"Host": own + ".evil.example"},
                    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "https://" + own},
                    {"Sec_Fetch_Site": "cross-site"}]:
        for path in ["/", message.replace("message", "events")]:
            check(server.ask("GET", path, **headers)[0] == 403, "%s %s is refused" % (path, headers))
        check(server.ask("POST", message, b"", **headers)[0] == 403, "%s is refused" % headers)
    double = "GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n" % own
    check(" 403 " in server.raw(double.encode()) or " 400 " in server.raw(double.encode()), "two hosts are refused")
    check(server.ask("GET", "/", Origin="http://" + own)[0] == 200, "its own page is not")
    check(server.ask("GET", "/", Host="localhost:%d" % server.port)[0] == 200, "nor by its other name")
    for path in ["/message?session=x", "/events?session=x"]:
        method, body = ("POST", b"") if "message" in path else ("GET", None)
        check(server.ask(method, path, body, token=False)[0] == 403, "without token: refused")
        check(server.ask(method, path, body, token=False, X_Ravine_Token="0" * 64)[0] == 403, "wrong token: refused")
        check(server.ask(method, path + "&token=" + server.token, body, token=False)[0] == 403, "token in a link: refused")
    check(server.ask("PUT", "/", b"")[0] == 405 and server.ask("DELETE", "/index.html")[0] == 405, "other methods")
    check(server.ask("POST", "/message?session=nobody", pack({"id": 1, "kind": "hello"}))[0] == 409, "no such page")
    check(server.ask("GET", "/events?session=../x")[0] == 400, "a number of a page that is none")


def test_hostile(server):
    tab = Tab(server)
    path = "/message?session=" + tab.name
    status, _, body = server.ask("POST", path, None, Content_Length=str(5 << 30))
    check(status == 413 and b"too long" in body, "a huge message: %d" % status)
    deep = b"[" * 100000
    bodies = [b"", b"\0", b"\xff" * 4, b"\xff" * 100, struct.pack("<I", 2) + b"{}", struct.pack("<I", 2) + b"[]",
              struct.pack("<I", len(deep)) + deep, struct.pack("<I", 9) + b'{"id":1e9', os.urandom(1000),
              pack({"id": 7, "kind": "no such"}), pack({"id": 7, "kind": "run"}), pack({"id": 7, "kind": "look", "place": 1e30, "fields": 3}),
              pack({"id": 7, "kind": "put", "name": "../x"}, b"x"), pack({"id": 7, "kind": "put", "name": ""}, b"x"),
              pack({"id": 7, "kind": "control", "do": "x"}), pack({"id": 7, "kind": "save", "place": 0, "step": "noise"})]
    text = b'{"id":7,"kind":"put","name":"x","buffers":[1000000]}'
    bodies.append(struct.pack("<I", len(text)) + text)
    for sent in bodies:
        status, _, body = server.ask("POST", path, sent)
        check(status == 200 and b'"kind":"' in body, "%r: %d %r" % (sent[:60], status, body[:100]))
        if b'"run"' not in sent:
            check(b'"kind":"wrong"' in body and b'"sentence":"' in body, "%r: %r" % (sent[:60], body[:200]))
    for steps in [["nosie"], ["terrain size=1000000"], ["open /etc/passwd"], ["open ../../x.png"], ["terrain", "repeat times=1000000", "noise", "end"], [5, {}]]:
        check(tab.made(steps)["how"] == "failed" and tab.until("ended")["sentence"], "%s fails with a sentence" % steps)
    check(tab.made(HILLS)["how"] == "finished", "afterwards it works as before")
    tab.close()


def test_bodies(server):
    """Bodies that nobody asked for, and requests that do not end, stand in nobody's way."""
    status, _, body = server.ask("GET", "/", body=b"x" * 200000)
    check(status == 200 and b"Studio" in body, "a page is asked for with a body: %d" % status)
    plugs = [socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) for _ in range(8)]
    for plug in plugs:
        plug.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1")
    check(server.ask("GET", "/")[0] == 200, "others are served meanwhile")
    for plug in plugs:
        plug.close()


def test_run(server, recipe_hash):
    tab = Tab(server)
    ready = tab.ask("hello")
    check(ready["engine"] == "machine" and ready["threads"] == 2 and ready["folder"] == os.path.realpath(work), str(ready))
    check(ready["name"] == "first.rv" and "noise" in ready["recipe"], "the recipe to begin with: %s" % ready)
    steps = tab.ask("read", text=ready["recipe"])["steps"]
    ended = tab.made(steps)
    check(ended["how"] == "finished" and ended["land"]["hash"] == recipe_hash, "the hash of the command line: %s" % ended)
    fields = ["height", "flow", "layer 0", "none"]
    look = tab.ask("look", place=len(steps), fields=fields)
    check([len(b) for b in look["buffers"]] == [4 * 64 * 64, 4 * 64 * 64, 4 * 64 * 64, 0] and
          look["land"]["hash"] == recipe_hash, "fields")
    tab.ask("run", steps=steps, live={"fields": [], "rate": 20, "every": 4, "slices": False, "last": fields})
    ended = tab.until("ended")
    check(ended["fields"] == fields and ended["buffers"] == look["buffers"], "the same with the end of a run")
    flat = array.array("f", tab.ask("look", place=1, fields=["height"])["buffers"][0])
    check(max(flat) == 0 and max(array.array("f", look["buffers"][0])) > 0, "the land of each step is there")
    changed = steps[:-1] + ["thermal talus=20 rounds=3"]
    tab.made(changed)
    check(tab.until("started")["place"] == len(steps) - 1, "only what changed runs again")
    check(tab.until("ended")["land"]["hash"] == steps_hash(changed), "and gives the same")
    check(len(tab.ask("measure", place=len(steps))["figures"]) > 5, "figures")
    # Repeats draw other numbers in each turn, as on the command line.
    repeats = HILLS + ["repeat times=3", "droplets drops=500", "end", "thermal rounds=2"]
    check(tab.made(repeats)["land"]["hash"] == steps_hash(repeats), "repeats")
    check(tab.ask("look", place=5, fields=[])["land"]["hash"] == steps_hash(repeats[:5]), "after the repeat")
    tab.close()


def test_control(server):
    tab = Tab(server)
    tab.ask("run", steps=LONG)
    tab.until("slice", place=2)
    tab.ask("control", do="pause")
    done = tab.until("held")["done"]
    tab.ask("control", do="slice")
    waits_for(lambda: sum(e["kind"] == "held" for e in tab.events) == 2, "one slice further")
    check([e for e in tab.events if e["kind"] == "held"][1]["done"] >= done, "and a little later")
    tab.ask("control", do="keep")
    kept = tab.until("ended")
    check(kept["how"] == "kept" and kept["place"] == 3, str(kept))
    check(tab.ask("look", place=3, fields=["height"])["land"]["hash"] == kept["land"]["hash"], "it is kept")
    before = tab.ask("look", place=2, fields=["height"])["land"]["hash"]
    check(before == steps_hash(HILLS) and before != kept["land"]["hash"], "and what was before it")
    tab.ask("continue")
    check(tab.until("ended")["how"] == "finished", "goes on")
    tab.ask("run", steps=LONG)
    tab.until("slice", place=2)
    began = time.monotonic()
    tab.ask("control", do="cancel")
    ended = tab.until("ended")
    took = time.monotonic() - began
    check(ended["how"] == "cancelled" and ended["land"]["hash"] == before, str(ended))
    print("cancelled after %.0f ms" % (1000 * took))
    tab.ask("run", steps=LONG)
    tab.until("slice", place=2)
    old = tab.run
    tab.made(HILLS)
    check(any(e["kind"] == "ended" and e["run"] == old and e["how"] == "cancelled" for e in tab.events), "a new run ends the old")
    tab.ask("run", steps=LONG, live={"fields": [], "rate": 20, "every": 1, "slices": True})
    tab.until("held")
    tab.close()  # while it is held


def test_wishes(server):
    """What is wished of one run is not done to another, however late or early it comes."""
    tab = Tab(server)
    tab.ask("prepare", steps=HILLS)
    idle = tab.run
    tab.ask("run", steps=LONG)
    for wish in ["cancel", "keep", "pause"]:
        for other in [idle, 0.5]:
            check(tab.ask("control", run=other, do=wish)["kind"] == "ok", "an old wish is no fault")
    seen = tab.until("slice", place=2)["done"]
    waits_for(lambda: any(e["kind"] == "slice" and e["done"] > seen for e in tab.events), "the run goes on")
    check(not any(e["kind"] in ("held", "ended") for e in tab.events), "it was not held")
    tab.ask("control", run=tab.run + 1, do="cancel")  # this one comes before its run
    tab.ask("control", do="pause")
    tab.until("held")  # and the run that goes on hears its own
    tab.ask("run", steps=LONG)
    check(tab.until("ended")["how"] == "cancelled", "nor is an early one lost")
    check(tab.made(HILLS)["how"] == "finished", "and no other run ends")
    for run in [0, -1, None]:
        check(tab.ask("control", run=run, do="cancel")["kind"] == "wrong", "a wish for no run")
    tab.close()


def test_meanwhile(server):
    """What does not need the land that runs is answered while it runs, and while it is held."""
    tab = Tab(server)
    tab.ask("run", steps=LONG)
    tab.until("slice", place=2)
    subprocess.run([ravine, *" ".join(HILLS).split(), "save", "whole.npy", "--quiet"], cwd=work, check=True)
    for name in ["running.npy", "held.npy"]:
        said = tab.ask("store", place=2, step="save " + name)
        check(said["kind"] == "files", "a land that is made is stored: %s" % said)
        with open(work + "/whole.npy", "rb") as whole, open(work + "/" + name, "rb") as stored:
            check(stored.read() == whole.read(), "as the command line saves it: " + name)
        saved = tab.ask("save", place=2, step="save whole.npy")
        with open(work + "/whole.npy", "rb") as whole:
            check(saved["kind"] == "files" and saved["buffers"][0] == whole.read(), "and sent to the page: %s" % saved["files"])
        check(len(tab.ask("measure", place=2)["figures"]) > 5, "and measured")
        check(tab.ask("put", saved["buffers"][0], name="put.npy")["kind"] == "ok", "a file is put")
        said = tab.ask("store", place=3, step="save none.npy")
        check(said["kind"] == "wrong" and "not made yet" in said["sentence"], "one that is not made yet: %s" % said)
        devices = tab.ask("hello")["devices"]
        check(tab.ask("device", device=0)["device"] == 0, "no device")
        check(tab.ask("device", device=len(devices) + 1)["kind"] == "wrong", "one that is not there")
        for device in devices[:1]:
            check(tab.ask("device", device=device["number"])["device"] == device["number"], "a device")
        check(tab.ask("hello")["device"] == len(devices[:1]), "it is the one from now on")
        check(tab.ask("read", text="noise")["steps"][0].startswith("noise ") and
              tab.ask("look", place=2, fields=["height"])["land"]["hash"] == steps_hash(HILLS), "a look, a recipe")
        check(not any(event["kind"] == "ended" for event in tab.events), "and the run goes on")
        tab.ask("control", do="pause")
        tab.until("held")
    tab.ask("control", do="cancel")
    check(tab.until("ended")["how"] == "cancelled", "until it is cancelled")
    check(tab.ask("hello")["device"] == len(devices[:1]), "the device stays")
    steps = HILLS + ["thermal rounds=5"]
    check(tab.made(steps)["land"]["hash"] == steps_hash(steps), "and it works as before")
    check(tab.made(["open put.npy cell=10"])["land"]["hash"] == steps_hash(["open whole.npy cell=10"]), "with the file that was put")
    # What the end of the run interrupts is answered all the same.
    large = ["terrain size=400 cell=10", "noise", "pipes time=1M"]
    for _ in range(3):
        tab.ask("run", steps=large)
        tab.until("slice", place=2)
        replies = []
        asked = threading.Thread(target=lambda: replies.append(tab.ask("measure", place=2)))
        asked.start()
        time.sleep(0.02)
        tab.ask("control", do="cancel")
        check(tab.until("ended")["how"] == "cancelled", "the run ends")
        asked.join(WAIT)
        check(replies[0]["kind"] == "figures", "and the land is measured: %s" % replies)
    tab.close()


def test_memory(server):
    """What is answered while a run goes on has the memory that the run leaves, not as much again."""
    large = ["terrain size=512 cell=10", "noise", "pipes time=1M"]  # needs 29 MiB
    small = Server("--memory", "36M")
    tab = Tab(small)
    check(tab.ask("hello")["memory"] == 36 << 20, "the limit")
    tab.ask("run", steps=large)
    seen = tab.until("slice", place=2)["done"]
    said = tab.ask("measure", place=2)
    check(said["kind"] == "wrong" and "memory limit" in said["sentence"], "not beside the run: %s" % said)
    waits_for(lambda: any(e["kind"] == "slice" and e["done"] > seen for e in tab.events), "which goes on")
    tab.ask("control", do="cancel")
    check(tab.until("ended")["how"] == "cancelled", "until it is cancelled")
    check(tab.ask("measure", place=2)["kind"] == "figures", "then there is room")
    tab.close()
    small.process.send_signal(signal.SIGINT)
    small.process.communicate(timeout=WAIT)


def test_prepare(server):
    """Lands that are made in idle time: runs begin with them, and all else comes first."""
    tab, steps = Tab(server), HILLS + ["repeat times=2", "droplets drops=500", "end", "thermal rounds=5"]
    ms = tab.ask("prepare", steps=steps)["ms"]
    check(len(ms) == len(steps) and all(each is not None and each >= 0 for each in ms), "how long each took: %s" % ms)
    changed = steps[:-1] + ["thermal rounds=7"]
    check(tab.made(changed)["land"]["hash"] == steps_hash(changed), "the same land")
    check(tab.until("started")["place"] == len(steps) - 1, "from the step that is other")
    before = tab.ask("look", place=len(steps), fields=[])["land"]["hash"]
    for what in ["look", "control", "run"]:
        replies = []
        asked = threading.Thread(target=lambda: replies.append(tab.ask("prepare", steps=LONG + ["thermal"])))
        asked.start()
        time.sleep(0.2)
        if what == "look":
            check(tab.ask("look", place=len(steps), fields=[])["land"]["hash"] == before, "the land of the run is as it was")
        elif what == "control":
            tab.ask("control", do="cancel")
        else:
            check(tab.made(steps)["land"]["hash"] == steps_hash(steps), "a run")
        asked.join(WAIT)
        check([each is not None for each in replies[0]["ms"]] == [True, True, False, False], "it makes way for %s: %s" % (what, replies))
    check(tab.ask("prepare", steps=["nosie"])["kind"] == "wrong", "a sentence")
    many = tab.ask("prepare", steps=["terrain size=8 noise " + "level low=1 " * 40])
    check(many["kind"] == "wrong" or len(many["ms"]) == 1, "a text that is many steps: %s" % many)
    asked = threading.Thread(target=lambda: replies.append(tab.ask("prepare", steps=LONG)))
    asked.start()
    time.sleep(0.2)
    tab.close()  # it ends with its tab
    asked.join(WAIT)


def test_killed(server):
    """Files that one which was killed has left, the next removes, and only those."""
    left = folder + "/killed"
    os.mkdir(left)
    env = {**os.environ, "RAVINE_STUDIO": page, "TMPDIR": left}

    def start():
        process = subprocess.Popen([ravine, "studio", "--no-open"], cwd=work, text=True, stdout=subprocess.PIPE, env=env)
        return Server.at(process, process.stdout.readline().strip())
    first = start()
    (dead,) = os.listdir(left)
    tab = Tab(first)
    tab.ask("put", b"x" * 1000, name="mine.npy")
    check(os.path.getsize("%s/%s/%s/mine.npy" % (left, dead, tab.name)) == 1000, "a file of a page")
    second = start()
    check(dead in os.listdir(left) and len(os.listdir(left)) == 2, "those of one that runs stay")
    (alive,) = set(os.listdir(left)) - {dead}
    first.process.kill()
    first.process.communicate()
    tab.close()
    mine = ["ravine-studio-mine00", "ravine-studio-mine", "ravine-studio-link00"]  # the user's own
    os.mkdir(left + "/" + mine[0])
    open(left + "/" + mine[0] + "/notes", "w").close()
    os.mkdir(left + "/" + mine[1])
    open(left + "/" + mine[1] + "/.owner", "w").close()
    os.mkdir(folder + "/linked")
    open(folder + "/linked/.owner", "w").close()
    os.symlink(folder + "/linked", left + "/" + mine[2])
    third = start()
    names = set(os.listdir(left))
    check(dead not in names, "those of a dead one go: %s" % names)
    check(names > {alive, *mine} and os.path.exists(left + "/" + mine[0] + "/notes") and
          os.path.exists(folder + "/linked/.owner"), "and nothing else: %s" % names)
    for other in [second, third]:
        other.process.send_signal(signal.SIGINT)
        other.process.communicate(timeout=WAIT)
    check(set(os.listdir(left)) == set(mine), "they end: %s" % os.listdir(left))


def test_files(server):
    tab = Tab(server)
    subprocess.run([ravine, *" ".join(HILLS).split(), "save", "given.npy", "save", "line.r16", "--quiet"], cwd=work, check=True)
    with open(work + "/given.npy", "rb") as file:
        given = file.read()
    tab.ask("put", given, name="mine.npy")
    ended = tab.made(["open mine.npy cell=10"])
    check(ended["how"] == "finished", str(ended))
    first = ended
    check(ended["land"]["hash"] == tab.made(["open given.npy cell=10"])["land"]["hash"], "a file put, and one of the folder")
    saved = tab.ask("save", place=1, step="save line.r16")
    with open(work + "/line.r16", "rb") as file:
        check(saved["buffers"][saved["files"].index("line.r16")] == file.read(), "the bytes of the command line")
    check(tab.ask("store", place=1, step="save stored.npy")["kind"] == "files" and os.path.exists(work + "/stored.npy"), "stored")
    with open(work + "/stored.npy", "wb") as file:
        file.write(b"mine")
    said = tab.ask("store", place=1, step="save stored.npy")
    check(said["kind"] == "exists" and said["file"] == os.path.realpath(work + "/stored.npy"), "a file that is there: %s" % said)
    check(os.path.getsize(work + "/stored.npy") == 4, "is not replaced")
    check(tab.ask("store", place=1, step="save stored.npy", replace=True)["kind"] == "files" and
          os.path.getsize(work + "/stored.npy") == len(given), "unless that is said")
    for name in ["sub/stored.npy", os.path.realpath(work) + "/sub/whole.npy"]:
        check(tab.ask("store", place=1, step="save " + name)["files"] == [os.path.join(os.path.realpath(work), name)] and
              os.path.exists(os.path.join(work, name)), "below, and where it went: " + name)
    with open(work + "/streams.geojson", "w") as file:
        file.write("mine")
    ended = tab.made(HILLS + ["analyse geojson=streams.geojson"])
    with open(work + "/streams.geojson") as file:
        check(ended["how"] == "finished" and file.read() == "mine", "a run writes nothing beside the recipe: %s" % ended)
    other = [value + 1 for value in array.array("f", given[-4 * 64 * 64:])]
    tab.ask("put", given[:-4 * 64 * 64] + array.array("f", other).tobytes(), name="mine.npy")
    again = tab.made(["open mine.npy cell=10"])
    check(again["land"]["hash"] != first["land"]["hash"], "a file that is put again is read again")
    disk = tab.made(["open given.npy cell=10"])
    with open(work + "/given.npy", "wb") as file:
        file.write(given[:-4 * 64 * 64] + array.array("f", other).tobytes())
    check(tab.made(["open given.npy cell=10"])["land"]["hash"] != disk["land"]["hash"], "a file that has changed is read again")
    before = sorted(os.listdir(folder))
    for name in ["../out.npy", folder + "/out.npy", "sub/../../out.npy", "away/out.npy", "away.npy", "none/out.npy", "..", ".", "../work",
                 "sub/", work]:
        said = tab.ask("store", place=1, step="save " + name, replace=True)
        check(said["kind"] == "wrong" and "no place for a file in the folder" in said["sentence"], "%s leads out: %s" % (name, said))
    # Nor does a step that names its files itself, nor the sidecar of a file.
    for step in ["measure plots=land", "measure plots=../work", "film file=land.png", "texture file=land.png kind=splat split=yes",
                 "export folder=sub", "export folder=new"]:
        said = tab.ask("store", place=1, step=step, replace=True)
        check(said["kind"] == "wrong" and "cannot be stored here" in said["sentence"] or "no place for a file" in said["sentence"],
              "%s: %s" % (step, said))
    check(sorted(os.listdir(folder)) == before, "nothing was written there")
    check(not [name for name in os.listdir(work) if name.startswith("land") or name == "new"], "nor here: %s" % os.listdir(work))
    os.symlink(work + "/stored.npy.ravine.json", work + "/linked.npy.ravine.json")
    said = tab.ask("store", place=1, step="save linked.npy", replace=True)
    check(said["kind"] == "wrong" and "is a link" in said["sentence"], "a sidecar that is a link: %s" % said)
    with open(work + "/alone.npy.ravine.json", "w") as file:
        file.write("mine")
    said = tab.ask("store", place=1, step="save alone.npy overwrite=yes")
    check(said["kind"] == "exists" and said["file"].endswith("/alone.npy.ravine.json"), "a sidecar that is there: %s" % said)
    tab.close()


def test_rescue(server):
    tab, steps = Tab(server), HILLS + ["droplets drops=2000", "thermal rounds=5"]
    tab.ask("run", steps=steps, live={"fields": ["height"], "rate": 20, "every": 1, "slices": False, "rescue": 0})
    ended = tab.until("ended")
    saved = tab.until("rescue", place=len(HILLS) + 1)
    check(tab.until("rescue", place=len(steps))["buffers"][0][:2] == b"PK", "a land file after each step")
    tab.close()
    other = Tab(server)
    check(other.ask("revive", saved["buffers"][0], steps=steps[:saved["place"]])["kind"] == "ok", "it is taken")
    check(other.made(steps)["land"]["hash"] == ended["land"]["hash"], "and gives the same land")
    check(other.until("started")["place"] == saved["place"], "the run goes on from there")
    cut = saved["buffers"][0][:-1000]
    for wrong in [other.ask("revive", cut, steps=steps), other.ask("revive", steps=steps), other.ask("revive", cut)]:
        check(wrong["kind"] == "wrong" and wrong["sentence"], str(wrong))
    other.close()


@contextlib.contextmanager
def program(env):
    """One that opens a browser; it ends also where something is not so."""
    process = subprocess.Popen([ravine, "studio"], cwd=work, text=True, stdout=subprocess.PIPE, env=env)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        process.wait(WAIT)
    finally:
        process.kill()
        process.communicate()


def test_opener(server):
    """The program that opens the browser is not told the token where all users can read it."""
    with open(folder + "/xdg-open", "w") as file:
        file.write('#!/bin/sh\necho "$@" > %s/opened\ncat "$1" > %s/shown\n' % (folder, folder))
    os.chmod(folder + "/xdg-open", 0o700)
    home = folder + "/home"
    os.mkdir(home)

    def doors():
        return [name for name in os.listdir(home) if name.startswith("ravine")]

    def words_of_opener():
        with open(folder + "/opened") as file:
            return file.read().strip()
    env = {**os.environ, "RAVINE_STUDIO": page, "TMPDIR": tmp, "HOME": home, "PATH": folder + ":" + os.environ["PATH"]}
    with program(env) as process:
        address = process.stdout.readline().strip()
        waits_for(lambda: os.path.exists(folder + "/shown") and os.path.getsize(folder + "/shown"), "a browser is opened")
        words = words_of_opener()
        with open(folder + "/shown") as file:
            check(address in file.read(), "it is led to the address")
        check(address.split("token=")[1] not in words, "but is not called with it")
        check(os.stat(os.path.dirname(words)).st_mode & 0o77 == 0, "others do not read that file")
        check(words.startswith(home + "/") and "/." not in words[len(home):], "browsers of a snap read it: %s" % words)
        opened = Server.at(process, address)
        check(os.path.exists(words), "it is there until the page has come")
        tab = Tab(opened)
        waits_for(lambda: doors() == [], "then it is not needed")
        tab.close()
    check(process.returncode == 0, "it ends")
    with program(env) as process:
        process.stdout.readline()
        waits_for(doors, "a file for the browser")
    check(process.returncode == 0 and doors() == [], "where none comes, it ends with the program")
    # What one that was killed has left, the next removes, and nothing else: not that of one that runs, nor the user's own.
    os.mkdir(folder + "/left")
    with program({**env, "TMPDIR": folder + "/left"}) as process:
        process.stdout.readline()
        waits_for(lambda: doors() and os.listdir(home + "/" + doors()[0]), "a file for the browser")
        dead = doors()[0]
        process.kill()
    for name, file in [("ravine-studio-mine00", "notes"), ("ravine-studio-mine", ".owner"), ("ravine-studio-empty0", None)]:
        os.mkdir(home + "/" + name)
        if file:
            open(home + "/" + name + "/" + file, "w").close()
    mine = [name for name in doors() if name != dead]
    with program(env) as process:
        process.stdout.readline()
        waits_for(lambda: dead not in doors() and len(doors()) == len(mine) + 1, "a dead one is removed: %s" % doors())
        alive = [name for name in doors() if name not in mine][0]
        waits_for(lambda: os.path.exists(home + "/" + alive + "/open.html"), "its own lies there")
        with program(env) as other:
            other.stdout.readline()
            waits_for(lambda: len(doors()) == len(mine) + 2, "another: %s" % doors())
            check(set(doors()) >= {alive, *mine} and os.path.exists(home + "/" + alive + "/open.html"), "and nothing else: %s" % doors())
    check(sorted(doors()) == sorted(mine), "they end: %s" % doors())
    # Where the home takes no file, the other folder does.
    with program({**env, "HOME": folder + "/secret"}) as process:
        process.stdout.readline()
        waits_for(lambda: words_of_opener().startswith(tmp + "/"), "a browser is opened")
    for name in ["xdg-open", "opened", "shown"]:
        os.remove(folder + "/" + name)
    own = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    check(server.ask("GET", "/", token=False, **own)[0] == 200, "who goes to the page gets it")
    for path, dest in [("/", "iframe"), ("/events?session=x", "document"), ("/assets/code.js", "document")]:
        check(server.ask("GET", path, **{**own, "Sec_Fetch_Dest": dest})[0] == 403, "but nothing else: %s" % path)


def test_device(server):
    tab = Tab(server)
    ready = tab.ask("hello")
    there = subprocess.run([ravine, "devices"], capture_output=True, text=True, check=True).stdout
    check(ready["device"] == 0 and all(d["name"] in there for d in ready["devices"]), str(ready))
    check(tab.ask("device", device=len(ready["devices"]) + 1)["kind"] == "wrong", "one that is not there")
    check(tab.ask("device", device=-1)["kind"] == "wrong", "nor one below")
    steps = HILLS + ["thermal rounds=5"]
    for device in ready["devices"][:1]:
        check(tab.ask("device", device=device["number"])["device"] == device["number"], "it is used")
        check(tab.made(steps)["land"]["hash"] == steps_hash(steps), "and gives the same land")
        check(tab.ask("device", device=0)["device"] == 0, "or not any more")
    tab.close()
    none = subprocess.run([ravine, "studio", "--no-open", "--device", str(len(ready["devices"]) + 1)], capture_output=True, text=True,
                          cwd=work, env={**os.environ, "RAVINE_STUDIO": page, "TMPDIR": tmp}, timeout=WAIT)
    check(none.returncode != 0 and "device" in none.stderr and none.stdout == "", "a device that is not there: %s" % none)


def test_scene(server):
    tab = Tab(server)
    tab.ask("scene", words="preset river run frames=5")
    ended = tab.until("ended")
    check(ended["how"] == "finished", str(ended))
    frame = tab.until("frame", frame=5)
    check(frame["hash"] == last_hash("scene", "river", "frames=5"), "the hash of the command line")
    points, faces, drops = frame["buffers"]
    check(len(drops) == 16 * frame["particles"] and len(points) % 12 == 0 and len(faces) % 12 == 0, "buffers")
    for model in [folder + "/block.obj", "../block.obj", "sub/block.obj"]:
        tab.ask("scene", words='model file="%s"\nrun frames=1' % model)
        said = tab.until("ended")
        check(said["how"] == "failed" and "page has opened" in said["sentence"], "a model of another folder: %s" % said)
    tab.ask("scene", words="preset rivr")
    check(tab.until("ended")["how"] == "failed" and tab.until("ended")["sentence"], "a sentence")
    tab.close()


def test_tabs(server, recipe_hash):
    waits_for(lambda: server.threads() <= server.idle, "all is at rest: %d threads" % server.threads())
    first, second = Tab(server), Tab(server)
    first.ask("run", steps=LONG)
    first.until("slice", place=2)
    check(second.made(HILLS)["land"]["hash"] == steps_hash(HILLS), "another tab goes its own way")
    check(not any(e["kind"] == "ended" for e in first.events), "while the first runs")
    first.close()
    second.close()
    waits_for(lambda: server.threads() <= server.idle, "a run ends with its tab")
    waits_for(lambda: os.listdir(tmp + "/" + os.listdir(tmp)[0]) == [".owner"], "and its files")
    tabs = [Tab(server) for _ in range(16)]
    check(server.ask("GET", "/events?session=more")[0] == 503, "there is an end to tabs")
    for tab in tabs:
        tab.close()
    waits_for(lambda: server.threads() <= server.idle, "they are gone")


def main():
    os.makedirs(page + "/assets")
    os.makedirs(work + "/sub")
    with open(page + "/assets/code.js", "w") as file:
        file.write("0")
    os.mkdir(folder + "/elsewhere")
    for path in ["/secret", "/elsewhere/secret"]:
        with open(folder + path, "w") as file:
            file.write("secret")
    os.symlink(folder + "/secret", page + "/link")
    os.symlink(folder + "/elsewhere", page + "/folder")
    os.symlink(folder + "/elsewhere", work + "/away")
    os.symlink(folder + "/elsewhere/x.npy", work + "/away.npy")
    with open(work + "/first.rv", "w") as file:
        file.write("\n".join(HILLS + ["droplets drops=2000", "thermal rounds=5"]) + "\n")
    recipe_hash = last_hash("first.rv")
    server = Server("first.rv")
    server.idle = server.threads()
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(*([server, recipe_hash] if test.__code__.co_argcount == 2 else [server]))
            print("ok: " + name)
            sys.stdout.flush()
    taken = subprocess.run([ravine, "studio", "--no-open", "--port", str(server.port)], capture_output=True, text=True,
                           cwd=work, env={**os.environ, "RAVINE_STUDIO": page, "TMPDIR": tmp}, timeout=WAIT)
    check(taken.returncode == 2 and "port" in taken.stderr, "a port that is taken: %s" % taken)
    tab = Tab(server)
    tab.ask("run", steps=LONG)
    tab.until("slice", place=2)
    server.end()  # in the midst of a run
    print("ok: Ctrl-C")


main()
