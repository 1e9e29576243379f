# Serves what the classes SERVED compute to the benchmark that started this process. Commands come as lines on standard
# input, answers go out as one line each, words separated by tabs; arrays go through one shared file in memory.
#   prepare PEER CASE, then a JSON document, then an empty line   ok PATH | no REASON
#   check PEER CASE      one call, or what prepare gave for this, its results into the file   ok EXTRA_BYTES
#   run PEER CASE SECONDS  calls for that long, at least one      ok MEDIAN_SECONDS
#   release              forgets all cases                        ok
# Only the call stands between the two clock readings.
import ctypes
import gc
import json
import mmap
import os
import sys
import time


def exchange(descriptor, threads):
    libc = ctypes.CDLL(None)
    answer_to = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print must not look like an answer

    def answer(*words):
        answer_to.write("\t".join(" ".join(str(word).split()) for word in words) + "\n")

    try:
        import numpy
    except ImportError as error:
        for peer in SERVED:
            answer("absent", peer.id, error)
        answer("ready")
        return

    def status(name):
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))

    # Peak of the resident memory during the call, over what there was before it.
    def extra_memory(call):
        gc.collect()
        if hasattr(libc, "malloc_trim"):
            libc.malloc_trim(0)
        try:
            with open("/proc/self/clear_refs", "w") as clear:
                clear.write("5")
            before = status("VmRSS")
        except OSError:
            return call(), -1
        result = call()
        return result, max(0, status("VmHWM") - before)

    def read_problem():
        text = ""
        for line in sys.stdin:
            if not line.strip():
                break
            text += line
        problem = json.loads(text)
        size = os.fstat(descriptor).st_size
        with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as memory:
            for name, array in problem["arrays"].items():
                flat = numpy.frombuffer(memory, dtype=array["type"], count=int(numpy.prod(array["shape"])), offset=array["at"])
                problem["arrays"][name] = flat.reshape(array["shape"]).copy()
                del flat
        return problem

    peers, cases = {}, {}
    for peer in SERVED:
        try:
            peers[peer.id] = peer(threads)
            answer("peer", peer.id, peers[peer.id].version(), peers[peer.id].detail())
        except ImportError as error:
            answer("absent", peer.id, error)
        except Exception as error:
            answer("absent", peer.id, "%s: %s" % (type(error).__name__, error))
    answer("ready", "numpy " + numpy.__version__)

    def prepare(words):
        problem = read_problem()
        call, to_arrays, text, *first = peers[words[0]].prepare(problem)
        if call is None:
            return "no", text
        cases[words[0], words[1]] = call, to_arrays, first[0] if first else call
        return "ok", text

    def check(words):
        _, to_arrays, call = cases[words[0], words[1]]
        results, extra = extra_memory(call)
        at = 0
        for array in to_arrays(results):
            data = memoryview(numpy.ascontiguousarray(array, dtype="float32")).cast("B")
            done = 0
            while done < len(data):
                done += os.pwrite(descriptor, data[done:], at + done)
            at += done
        return "ok", extra

    def run(words):
        call, limit, times = cases[words[0], words[1]][0], float(words[2]), []
        while not times or sum(times) < limit:
            start = time.perf_counter()
            result = call()
            times.append(time.perf_counter() - start)
            del result
        return "ok", repr(sorted(times)[len(times) // 2])

    def release(words):
        cases.clear()
        gc.collect()
        return ("ok",)

    commands = {"prepare": prepare, "check": check, "run": run, "release": release}
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        words = line.split()
        try:
            answer(*commands[words[0]](words[1:]))
        except Exception as error:
            answer("error", "%s: %s" % (type(error).__name__, error))


# Only those named on the command line, if any are: who crashes takes nobody else along.
SERVED = [peer for peer in SERVED if not sys.argv[3:] or peer.id in sys.argv[3:]]
exchange(int(sys.argv[1]), int(sys.argv[2]))
