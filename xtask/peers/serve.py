"""The peers' side of `cargo xtask peers`: reads one command per line, writes one reply per line.

serve.py MODULE ROOT                    prepare DATA | warm PEER | time PEER | compare OURS PEER | versions
serve.py MODULE ROOT --alone [DATA...]  times the peers alone: one JSON line each, {"work", "peer", "seconds", "per"}

A module has VERSIONS (names of distributions) and WORKLOADS: {DATA: function(data) -> [Peer, ...]}.
"""
import importlib
import json
import os
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np

# One round is as many runs as fill these seconds, but at least so many: the first run finds the caches full of the
# other process's data, and its own threads idle.
ROUND, LEAST = 0.5, 3


class Peer:
    """One peer on one workload.

    run() does it once and returns the answer; units is the units of work in one run, per their name;
    compare[OURS](answer, ours) gives (agrees, text), where ours(NAME) reads an array of our answer.
    """

    def __init__(self, name, run, units, per, compare):
        self.name, self.run, self.units, self.per, self.compare = name, run, units, per, compare
        self.answer = None

    def warm(self):
        self.answer = self.run()

    def time(self):
        """Seconds per unit, the best run of a round."""
        runs, total, best = 0, 0.0, float("inf")
        while runs < LEAST or total < ROUND:
            start = time.perf_counter()
            self.run()
            took = time.perf_counter() - start
            runs, total, best = runs + 1, total + took, min(best, took)
        return best / self.units


class Data:
    """The arrays of one workload, seeded by its name, kept as .npy for the other side."""

    def __init__(self, root, name):
        self.name, self.folder = name, os.path.join(root, name)
        self.rng = np.random.default_rng(list(name.encode()))

    def save(self, **arrays):
        os.makedirs(self.folder, exist_ok=True)
        for name, array in arrays.items():
            path = os.path.join(self.folder, name + ".npy")
            np.save(path + ".part.npy", np.ascontiguousarray(array))
            os.replace(path + ".part.npy", path)

    def ours(self, work):
        """Reads arrays of our answer to a workload on these data."""
        return lambda name: np.load(os.path.join(self.folder, "ours", work, name + ".npy"))


def close(theirs, ours, rtol, atol=0.0):
    """(agrees, text) of two arrays, element by element; NaN equals NaN."""
    theirs, ours = np.asarray(theirs, dtype=np.float64), np.asarray(ours, dtype=np.float64)
    if theirs.shape != ours.shape:
        return False, f"shape {ours.shape} instead of {theirs.shape}"
    if (np.isnan(theirs) != np.isnan(ours)).any():
        return False, f"{int((np.isnan(theirs) != np.isnan(ours)).sum())} values undefined in one of the two answers only"
    off = np.abs(theirs - ours)
    worst = float(np.nanmax(off, initial=0.0))
    agrees = bool(np.all((off <= atol + rtol * np.abs(theirs)) | np.isnan(theirs)))
    return agrees, f"{theirs.size} value{'s' * (theirs.size > 1)} within {worst:.1e}"


def main():
    warnings.filterwarnings("ignore")
    # Only replies go to standard output; what libraries print goes to standard error.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module_name, root = sys.argv[1:3]
    module = importlib.import_module(module_name)

    def reply(text):
        replies.write(text + "\n")
        replies.flush()

    if "--alone" in sys.argv:
        for name in sys.argv[4:] or module.WORKLOADS:
            for peer in module.WORKLOADS[name](Data(root, name)):
                peer.warm()
                best = min(peer.time() for _ in range(3))
                reply(json.dumps(dict(work=name, peer=peer.name, seconds=best, per=peer.per)))
        return

    data, peers = None, {}
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        try:
            if command == "versions":
                reply("versions " + ", ".join(f"{v} {version(v)}" for v in module.VERSIONS))
            elif command == "prepare":
                data, peers = None, {}  # the earlier one's memory first
                data = Data(root, rest)
                peers = {peer.name: peer for peer in module.WORKLOADS[rest](data)}
                reply("ok")
            elif command == "warm":
                peers[rest].warm()
                reply("ok")
            elif command == "time":
                reply(f"seconds {peers[rest].time():e}")
            elif command == "compare":
                work, _, name = rest.partition(" ")
                peer = peers[name]
                agrees, text = peer.compare[work](peer.answer, data.ours(work))
                reply(f"verdict {'agree' if agrees else 'differ'}: {text}")
            else:
                reply(f"error unknown command {command}")
        except Exception as e:  # reported to the other process, which decides
            reply(f"error {type(e).__name__}: {e}".replace("\n", " "))


if __name__ == "__main__":
    sys.modules["serve"] = sys.modules["__main__"]  # so that the modules share these classes
    main()
