"""Whatever comes in: types, strides, threads, forks, mistakes."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import draw, reference

import fovea


def test_numpy_in_numpy_out(rng):
    q, k, v = draw(rng, 2, 3, 5, 8), draw(rng, 2, 3, 7, 8), draw(rng, 2, 3, 7, 4)
    result = fovea.attention(q, k, v, weights=True, logsumexp=True)
    output, weights = reference(q, k, v)
    assert isinstance(result.output, np.ndarray) and result.output.dtype == np.float32
    np.testing.assert_allclose(result.output, output, atol=2e-6)
    np.testing.assert_allclose(result.weights, weights, atol=2e-6)
    assert result.logsumexp.shape == (2, 3, 5)
    assert fovea.attention(q, k, v).weights is None


def test_any_strides_without_a_copy(rng):
    base = draw(rng, 9, 2, 12, 3, 16)
    q = base[::2, :, ::-1, 1, ::2]  # [5, 2, 12, 8]: gaps, reversed
    k = base[:5, :, :, 0, 8:]
    v = np.broadcast_to(base[0, 0, :, 2, :4], (5, 2, 12, 4))  # strides of 0
    np.testing.assert_allclose(fovea.attention(q, k, v).output, reference(q, k, v)[0], atol=3e-6)
    transposed = draw(rng, 8, 6).T
    np.testing.assert_allclose(
        fovea.attention(transposed, transposed, transposed).output, reference(transposed, transposed, transposed)[0],
        atol=3e-6,
    )


def test_read_only_and_other_owners(rng):
    q = draw(rng, 4, 8)
    q.setflags(write=False)
    expected = reference(q, q, q)[0]
    np.testing.assert_allclose(fovea.attention(q, q, q).output, expected, atol=2e-6)
    view = memoryview(draw(rng, 4, 8))  # the buffer protocol alone
    np.testing.assert_allclose(
        fovea.attention(view, view, view).output, reference(*3 * [np.asarray(view)])[0], atol=2e-6
    )


def test_lists_are_rounded_as_literals():
    result = fovea.attention([[1, 0]], [[1, 0], [0, 1]], [[1.5], [2.5]], scale=1.0)
    w = np.e / (np.e + 1)
    np.testing.assert_allclose(result.output, [[1.5 * w + 2.5 * (1 - w)]], atol=1e-6)


def test_half_types(rng):
    q, k, v = (draw(rng, 2, 4, 8).astype(np.float16) for _ in range(3))
    np.testing.assert_allclose(fovea.attention(q, k, v).output, reference(q, k, v)[0], atol=2e-6)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    q, k, v = (draw(rng, 2, 4, 8).astype(ml_dtypes.bfloat16) for _ in range(3))
    exact = [each.astype(np.float32) for each in (q, k, v)]
    np.testing.assert_allclose(fovea.attention(q, k, v).output, reference(*exact)[0], atol=2e-6)


def test_mixed_types(rng):
    q, k, v = draw(rng, 4, 8), draw(rng, 4, 8).astype(np.float16), draw(rng, 4, 8)
    np.testing.assert_allclose(fovea.attention(q, k, v).output, reference(q, k, v)[0], atol=2e-6)


def test_float64_is_refused_with_the_way_out(rng):
    q = rng.standard_normal((4, 8))
    with pytest.raises(TypeError, match=r'q is float64, expected float32, .*dtype="float32"'):
        fovea.attention(q, q, q)
    rounded = fovea.attention(q, q, q, dtype="float32").output
    np.testing.assert_allclose(rounded, reference(q, q, q)[0], atol=2e-6)


def test_float64_is_rounded_wherever_dtype_is_taken(rng):
    q, added = rng.standard_normal((4, 8)), rng.standard_normal((4, 4))
    single, numbers = q.astype(np.float32), added.astype(np.float32)
    expected = fovea.attention(single, single, single, mask=numbers, bias=numbers).output
    found = fovea.attention(q, q, q, mask=added, bias=added, dtype="float32").output
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        fovea.attention(q, q, q, mask=added > 0, dtype="float32").output, fovea.attention(single, single, single, mask=added > 0).output
    )
    for function, arrays in (
        (fovea.linear_attention, (q, q, q)),
        (lambda *a, **o: fovea.attention_statistics(*a, mask="causal", **o).entropy, (q, q)),
        (lambda *a, **o: fovea.attention_crop(*a, (0, 2), (0, 3), **o), (q, q)),
    ):
        with pytest.raises(TypeError, match="float64"):
            function(*arrays)
        np.testing.assert_array_equal(function(*arrays, dtype="float32"), function(*(a.astype(np.float32) for a in arrays)))


def test_other_mistakes(rng):
    q = draw(rng, 4, 8)
    with pytest.raises(TypeError, match="k is int64"):
        fovea.attention(q, np.zeros((4, 8), np.int64), q)
    with pytest.raises(TypeError, match="v is .*str.*expected an array"):
        fovea.attention(q, q, "v")
    with pytest.raises(TypeError, match="q is None, expected an array"):
        fovea.attention(None, q, q)
    with pytest.raises(TypeError, match="q is .*ndarray.* of >f4, expected an array"):
        fovea.attention(q.astype(">f4"), q, q)
    with pytest.raises(TypeError, match="q is complex64"):
        fovea.attention(q.astype(np.complex64), q, q)
    with pytest.raises(fovea.Error, match=r"keys have width 4.*8"):
        fovea.attention(q, q[:, :4], q)
    with pytest.raises(ValueError):  # fovea.Error is one
        fovea.attention(np.zeros((1,) * 6, np.float32), q, q)
    with pytest.raises(ValueError, match="dropout"):
        fovea.attention(q, q, q, dropout=1.5)


def test_no_elements():
    nothing = np.zeros((0, 8), np.float32)
    keys = np.ones((3, 8), np.float32)
    assert fovea.attention(nothing, keys, keys).output.shape == (0, 8)
    assert (fovea.attention(keys, nothing, nothing).output == 0).all()


def test_results_live_as_long_as_they_are_held(rng):
    kept = []
    for _ in range(50):
        q = draw(rng, 64, 32)
        kept.append((q, fovea.attention(q, q, q).output))
    for q, output in kept:
        np.testing.assert_allclose(output, reference(q, q, q)[0], atol=4e-6)


def test_many_threads_at_once(rng):
    q = draw(rng, 2, 4, 96, 32)
    expected = fovea.attention(q, q, q, mask="causal").output
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(fovea.attention(q, q, q, mask="causal").output, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_lock_is_released(rng):
    """Another Python thread goes on while attention computes."""
    q = draw(rng, 1, 1, 8192, 64)
    state = {"inside": False, "done": False, "seen": 0}

    def look():
        while not state["done"]:
            time.sleep(0.001)
            state["seen"] += state["inside"]

    thread = threading.Thread(target=look)
    thread.start()
    state["inside"] = True
    fovea.attention(q, q, q)
    state["inside"] = False
    state["done"] = True
    thread.join()
    assert state["seen"] > 3  # one or two may come before and after the call


def test_results_do_not_depend_on_the_number_of_threads(rng):
    q = draw(rng, 2, 3, 100, 16)
    before = fovea.thread_count()
    results = []
    for count in (1, 2, 3):
        fovea.set_thread_count(count)
        results.append(fovea.attention(q, q, q, mask="window(9)").output)
    fovea.set_thread_count(before)
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    with pytest.raises(fovea.Error, match="threads"):
        fovea.set_thread_count(0)


def test_a_forked_child_computes(rng):
    q = draw(rng, 4, 128, 32)
    expected = fovea.attention(q, q, q).output  # the parent has threads now
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = np.array_equal(fovea.attention(q, q, q).output, expected)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_ctrl_c_ends_long_work():
    program = """
import numpy, signal, threading, os, time, fovea
q = numpy.random.default_rng(1).standard_normal((8, 16384, 64)).astype("float32")
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        fovea.attention_statistics(q, q)
except KeyboardInterrupt:
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "ended", done.stderr


def test_one_long_attention_is_the_same_head_by_head_and_ends_with_a_signal(tmp_path):
    """Above a size, heads are computed one by one, so that Ctrl-C is noticed; here by a timer of processor time."""
    program = """
import signal, sys, time
import numpy as np
import fovea

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, heads, 1600, 64), dtype=np.float32) for heads in (32, 8, 8))
mask = fovea.Mask.lengths([1600, 700]) & fovea.Mask.causal()
bias = fovea.Bias.alibi(fovea.alibi_slopes(32))
begin = time.process_time()
whole = fovea.attention(q, k, v, mask=mask, bias=bias, logsumexp=True)
spent = time.process_time() - begin
for b, h in ((0, 0), (1, 5), (1, 31)):
    few = fovea.attention(q[b:b+1, h:h+1], k[b:b+1, h//4:h//4+1], v[b:b+1, h//4:h//4+1],
                          mask=fovea.Mask.lengths([[1600, 700][b]]) & fovea.Mask.causal(),
                          bias=fovea.Bias.alibi(fovea.alibi_slopes(32)[h:h+1]), logsumexp=True)
    np.testing.assert_array_equal(whole.output[b, h], few.output[0, 0])
    np.testing.assert_array_equal(whole.logsumexp[b, h], few.logsumexp[0, 0])
try:
    fovea.attention(q, k, v, mask=fovea.Mask.lengths([1600, 700, 3]))
    sys.exit("a mask of three sequences was taken for two")
except fovea.Error:
    pass

q = np.concatenate([q] * 8)
k, v = np.concatenate([k] * 8), np.concatenate([v] * 8)

def stop(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGPROF, stop)
signal.setitimer(signal.ITIMER_PROF, spent / 2)
begin = time.process_time()
try:
    fovea.attention(q, k, v)
    sys.exit("it was not ended")
except KeyboardInterrupt:
    share = (time.process_time() - begin) / (8 * spent)
    sys.exit(0 if share < 0.6 else f"ended after {share:.2f} of the work")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
