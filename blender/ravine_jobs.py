"""Runs of the library in a thread of their own. Nothing here touches Blender's data: what a job
needs is read before it begins, and what it made is written when it is done, both on Blender's
thread."""
import threading

ravine = None  # the package, once it was found
_jobs = []


class Job:
    """One run. `work` gets a progress function and returns the result."""

    def __init__(self, work):
        self.step, self.done, self.result, self.error = "", 0.0, None, None
        self._stop, self._work = False, work
        self._thread = threading.Thread(target=self._run, daemon=True)
        _jobs.append(self)
        self._thread.start()

    def _run(self):
        try:
            self.result = self._work(self)
        except Exception as error:
            self.error = error

    def tell(self, step, done):
        """Called by the work; False: stop."""
        self.step, self.done = step, done
        return not self._stop

    def stop(self):
        self._stop = True

    @property
    def running(self):
        return self._thread.is_alive()

    def wait(self):
        self._thread.join()

    def abandon(self):
        """Stops it; nobody asks for the result."""
        self.stop()
        self.wait()
        if self in _jobs:
            _jobs.remove(self)

    def end(self):
        """Raises what went wrong, or returns the result."""
        self.wait()
        if self in _jobs:
            _jobs.remove(self)
        if self.error is not None:
            raise self.error
        return self.result


def stop_all():
    """Ends all jobs, such as when the add-on is switched off."""
    for job in list(_jobs):
        job.abandon()


def current():
    return _jobs[-1] if _jobs else None


def land_work(start, limits, steps):
    """Work that makes a land with start(), sets the fields `limits`, and runs steps: names and
    values."""

    def work(job):
        land = start()
        for name, values in limits.items():
            if values is not None:
                land[name] = values
        for index, (name, values) in enumerate(steps):

            def tell(now):
                return job.tell(name, (index + now.done) / len(steps))

            if not job.tell(name, index / len(steps)):
                raise ravine.Cancelled(f"Stopped before {name}.")
            getattr(land, name)(progress=tell, **values)
        return land

    return work


def scene_work(words, frames):
    """Work that runs a scene of these words for so many frames."""

    def work(job):
        scene = ravine.Scene(words)
        for frame in range(frames):
            if not job.tell(f"frame {frame + 1} of {frames}", frame / max(frames, 1)):
                raise ravine.Cancelled(f"Stopped after frame {frame}.")
            scene.step(progress=lambda now: job.tell(job.step, job.done))
        return scene

    return work


def scene_words(models, box, words):
    """A scene as text: files of models, the box (low, high, open), and other words with their
    values."""
    text_of = ravine._signatures.text_of
    lines = [f"box low={text_of(box[0])} high={text_of(box[1])} open={box[2]}"]
    lines += [f'model "{model}"' for model in models]
    for name, values in words:
        lines.append(
            " ".join([name, *(f"{key}={text_of(value)}" for key, value in values.items())])
        )
    return "\n".join(lines) + "\n"
