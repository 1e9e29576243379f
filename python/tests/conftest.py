"""What several tests use: attention in NumPy, in double, in the order of the paper."""

import numpy as np
import pytest


def reference(q, k, v, visible=None, added=0.0, scale=None, softcap=0.0):
    """(output, weights) of q [.., H, N, D], k [.., Hkv, M, D], v: float64. A row that sees nothing gives zeros."""
    q, k, v = (np.asarray(each, np.float64) for each in (q, k, v))
    if q.ndim > 2 and q.shape[-3] != k.shape[-3]:
        k, v = (np.repeat(each, q.shape[-3] // each.shape[-3], axis=-3) for each in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (scale if scale is not None else q.shape[-1] ** -0.5)
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    scores = scores + added
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = weights.sum(axis=-1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return weights @ v, weights


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def draw(rng, *shape):
    """Peaked enough that a kernel that ignores q and k would be noticed."""
    return (2 * rng.standard_normal(shape)).astype(np.float32)


def pytest_terminal_summary(terminalreporter):
    """What tests were skipped for, a line each: scripts/run_tests collects them."""
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if reason.startswith("needs "):
            terminalreporter.write_line(reason)
