"""Writes backward_golden.txt: gradients of attention by PyTorch's autograd, in double, for small inputs.

Inputs are rounded to float32 first, as fovea's tensors are. Each case: a line "case name", then for each of nine arrays a line
"name rank extents values". Needs torch; made with 2.15.
"""

import math
import pathlib

import torch

torch.manual_seed(3)
B, H, HKV, N, M, D, DV = 1, 4, 2, 5, 7, 6, 3


def draw(*shape):
    return torch.randn(*shape).double()


def run(name, out):
    q, k, v, doutput = draw(B, H, N, D), draw(B, HKV, M, D), draw(B, HKV, M, DV), draw(B, H, N, DV)
    position = torch.arange(M)[None, :] - (torch.arange(N)[:, None] + M - N)
    bias = {"relative": draw(5, H), "dense": draw(1, 1, N, M)}.get(name, draw(1, 1))
    for tensor in (q, k, v, bias):
        tensor.requires_grad_()
    keys, values = (x.repeat_interleave(H // HKV, dim=1) for x in (k, v))
    scores = q @ keys.transpose(-1, -2) / math.sqrt(D)
    if name == "softcap":
        scores = 1.5 * torch.tanh(scores / 1.5)
    if name == "relative":
        scores = scores + bias[position.clamp(-2, 2) + 2].permute(2, 0, 1)
    if name == "dense":
        scores = scores + bias
    if name == "causal":
        scores = scores.masked_fill(position > 0, -math.inf)
    output = torch.softmax(scores, -1) @ values
    output.backward(doutput)
    dbias = bias.grad if bias.grad is not None else torch.zeros_like(bias)
    arrays = dict(q=q, k=k, v=v, doutput=doutput, bias=bias, dq=q.grad, dk=k.grad, dv=v.grad, dbias=dbias)
    out.write(f"case {name}\n")
    for key, array in arrays.items():
        numbers = " ".join(f"{x:.9g}" for x in array.detach().flatten().tolist())
        out.write(f"{key} {array.dim()} {' '.join(map(str, array.shape))} {numbers}\n")


with open(pathlib.Path(__file__).parent / "backward_golden.txt", "w") as file:
    for case in ("plain", "causal", "softcap", "relative", "dense"):
        run(case, file)
