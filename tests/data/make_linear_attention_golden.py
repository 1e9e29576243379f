"""Writes linear_attention_golden.txt: linear attention (ELU + 1) and its gradients by PyTorch's autograd, in double.

Two query heads share one key head; N = 5, M = 7, D = 3, Dv = 4; full and causal (the last query sees all keys).
Inputs are drawn by NumPy's legacy generator and rounded once to float32, as fovea's tensors are.
"""

import pathlib

import numpy as np
import torch

H, N, M, D, DV = 2, 5, 7, 3, 4
EPSILON = 1e-6


def drawn(*shape):
    return torch.tensor(np.random.randn(*shape).astype(np.float32).astype(np.float64), requires_grad=True)


np.random.seed(11)
q, k, v, doutput = drawn(1, H, N, D), drawn(1, 1, M, D), drawn(1, 1, M, DV), drawn(1, H, N, DV)

with open(pathlib.Path(__file__).parent / "linear_attention_golden.txt", "w") as file:
    for causal in [0, 1]:
        features_q, features_k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
        weights = features_q @ features_k.transpose(-1, -2)
        if causal:
            weights = weights * torch.ones(N, M, dtype=torch.float64).tril(M - N)
        output = weights @ v / (weights.sum(-1, keepdim=True) + EPSILON)
        gradients = torch.autograd.grad(output, [q, k, v], doutput)
        for name, values in zip(["output", "dq", "dk", "dv"], [output, *gradients]):
            numbers = " ".join(f"{value:.9g}" for value in values.detach().flatten().tolist())
            file.write(f"{causal} {name} {values.numel()} {numbers}\n")
