"""Writes attend_golden.txt: causal attention of N(0, 1) inputs, N = M = 300, D = 64, by NumPy in double.

Inputs are drawn as doubles and rounded once to float32, as fovea's tensors are. The file holds the sum of all
outputs and a few rows of them.
"""

import pathlib

import numpy as np

N, D = 300, 64
ROWS = [0, 1, 17, 63, 64, 150, 298, 299]

np.random.seed(7)
q, k, v = (np.random.randn(N, D).astype(np.float32).astype(np.float64) for _ in range(3))
scores = q @ k.T / np.sqrt(D)
scores[np.triu_indices(N, 1)] = -np.inf
weights = np.exp(scores - scores.max(axis=1, keepdims=True))
weights /= weights.sum(axis=1, keepdims=True)
output = weights @ v

with open(pathlib.Path(__file__).parent / "attend_golden.txt", "w") as file:
    file.write(f"sum {output.sum():.12g}\n")
    for row in ROWS:
        file.write(f"row {row} " + " ".join(f"{value:.9g}" for value in output[row]) + "\n")
