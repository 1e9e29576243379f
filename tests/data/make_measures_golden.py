"""Writes measures_golden.txt: two layers of three heads over seven tokens, causal, measured by NumPy in double.

The weights are softmax of seeded N(0, 1) scores times 3, rounded to float32 as fovea's tensors are. Lines are
"name count values..".
"""

import pathlib

import numpy as np

L, H, N = 2, 3, 7
TOKENS = ["[CLS]", "a", ",", "b", "[SEP]", "a", "."]
SPECIAL, PUNCTUATION = [0, 4], [2, 6]
BLOCK = np.array([0, 0, 0, 0, 0, 1, 1])

np.random.seed(11)
scores = 3 * np.random.randn(L, H, N, N)
visible = np.tril(np.ones((N, N), bool))
scores = np.where(visible, scores, -np.inf)
weights = np.exp(scores - scores.max(-1, keepdims=True))
weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32).astype(np.float64)
w = weights.reshape(L * H, N, N)


def plogp(x):
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0)


def diagonal(offset):
    return np.array([np.diagonal(head, offset).mean() for head in w])


entropy = -plogp(w).sum(-1)
count = visible.sum(1)
sorted_sums = np.cumsum(-np.sort(-w, axis=-1), axis=-1)
position = np.arange(N)
received = w.sum(1)
results = {
    "weights": w,
    "entropy": entropy.mean(1),
    "normalised_entropy": (entropy[:, 1:] / np.log(count[1:])).mean(1),
    "effective_keys": np.exp(entropy).mean(1),
    "keys_90": (1 + (sorted_sums < 0.9 * (1 - 1e-6) * w.sum(-1, keepdims=True)).sum(-1)).mean(1),
    "confidence": w.max(-1).mean(1),
    "received": received.max(1),
    "outgoing": w.sum(-1).mean(1),
    "diagonal": diagonal(0),
    "previous_token": diagonal(-1),
    "first_token": w[:, :, 0].mean(1),
    "special_tokens": w[:, :, SPECIAL].sum(-1).mean(1),
    "punctuation": w[:, :, PUNCTUATION].sum(-1).mean(1),
    "same_token": w[:, 5, 1],
    "distance": (w * np.abs(position[:, None] - position)).sum(-1).mean(1),
    "sink_share": received.max(1) / received.sum(1),
    "block_diagonal": (w * (BLOCK[:, None] == BLOCK)).sum(-1).mean(1),
}

rows = w / w.sum(-1, keepdims=True)
mean_rows = (rows[:, None] + rows[None]) / 2
own = -plogp(rows).sum(-1)
divergence = (-plogp(mean_rows).sum(-1) - (own[:, None] + own[None]) / 2).mean(-1)
results["divergence"] = divergence
centre = np.eye(L * H) - 1 / (L * H)
values, vectors = np.linalg.eigh(-0.5 * centre @ divergence @ centre)
layout = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]])
layout *= np.sign(layout[np.abs(layout).argmax(0), [0, 1]])
results["layout"] = layout

rollout = np.eye(N)
for layer in weights:
    residual = layer.mean(0) + np.eye(N)
    rollout = residual / residual.sum(1, keepdims=True) @ rollout
results["rollout"] = rollout

with open(pathlib.Path(__file__).parent / "measures_golden.txt", "w") as file:
    for name, values in results.items():
        values = np.ravel(values)
        file.write(f"{name} {values.size} " + " ".join(f"{value:.12g}" for value in values) + "\n")
