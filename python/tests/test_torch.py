"""torch's tensors, torch's signature, gradients, and one process with torch."""

import subprocess
import sys
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install torch")
import torch.nn.functional as F  # noqa: E402

import fovea  # noqa: E402

SDPA = fovea.scaled_dot_product_attention


def draw(*shape, seed=3, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return (1.5 * torch.randn(shape, generator=generator)).to(dtype)


def doubled(*tensors):
    return [None if t is None or t.dtype == torch.bool else t.detach().double() for t in tensors]


def test_torch_in_torch_out():
    q, k, v = draw(2, 3, 5, 8), draw(2, 1, 7, 8, seed=4), draw(2, 1, 7, 4, seed=5)
    result = fovea.attention(q, k, v, weights=True)
    assert isinstance(result.output, torch.Tensor) and result.output.dtype == torch.float32
    expected = F.scaled_dot_product_attention(*doubled(q, k, v), enable_gqa=True)
    torch.testing.assert_close(result.output.double(), expected, atol=3e-6, rtol=0)
    result.output.add_(1)  # the memory is its own
    statistics = fovea.attention_statistics(q, k)
    assert isinstance(statistics.entropy, torch.Tensor)


@pytest.mark.parametrize(
    "q_shape, k_shape, dv",
    [((4, 8), (4, 8), 8), ((3, 5, 8), (3, 9, 8), 6), ((2, 3, 17, 16), (2, 3, 33, 16), 16), ((2, 2, 3, 5, 4), (2, 2, 3, 6, 4), 4),
     ((2, 1, 2, 3, 5, 4), (2, 1, 2, 3, 6, 4), 4), ((2, 3, 5, 8), (1, 3, 5, 8), 8), ((1, 1, 1, 64), (1, 1, 100, 64), 64)],
)
@pytest.mark.parametrize("mask", ["none", "causal", "bool", "float", "rows", "scale"])
def test_sdpa_as_torch_defines_it(q_shape, k_shape, dv, mask):
    q, k, v = draw(*q_shape), draw(*k_shape, seed=4), draw(*k_shape[:-1], dv, seed=5)
    n, m = q_shape[-2], k_shape[-2]
    options, exact = {}, {}
    if mask == "causal":
        options = exact = {"is_causal": True}
    if mask == "bool":
        options = exact = {"attn_mask": draw(n, m, seed=6) > -0.5}
    if mask == "float":
        added = draw(*q_shape[:-2], n, m, seed=7)
        options, exact = {"attn_mask": added}, {"attn_mask": added.double()}
    if mask == "rows":  # broadcast over the queries, as padding
        options = exact = {"attn_mask": draw(*q_shape[:-2], 1, m, seed=8) > -1}
    if mask == "scale":
        options = exact = {"scale": 0.7}
    found = SDPA(q, k, v, **options)
    expected = F.scaled_dot_product_attention(*doubled(q, k, v), **exact)
    expected = torch.nan_to_num(expected)  # a row that sees nothing: zeros
    assert found.shape == expected.shape and found.dtype == torch.float32
    torch.testing.assert_close(found.double(), expected, atol=5e-6, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sdpa_of_half_types(dtype):
    q, k, v = draw(2, 4, 6, 16, dtype=dtype), draw(2, 2, 6, 16, seed=4, dtype=dtype), draw(2, 2, 6, 16, seed=5, dtype=dtype)
    found = SDPA(q, k, v, enable_gqa=True, is_causal=True)
    expected = F.scaled_dot_product_attention(*doubled(q, k, v), enable_gqa=True, is_causal=True).to(dtype)
    assert found.dtype == dtype
    torch.testing.assert_close(found, expected)


def test_sdpa_refuses():
    q = draw(1, 2, 4, 8)
    with pytest.raises(ValueError, match="is_causal"):
        SDPA(q, q, q, attn_mask=torch.ones(4, 4, dtype=torch.bool), is_causal=True)
    with pytest.raises(ValueError, match="enable_gqa"):
        SDPA(draw(1, 4, 4, 8), q, q)
    with pytest.raises(TypeError, match="float64"):
        SDPA(q.double(), q.double(), q.double())
    with pytest.raises(ValueError):
        SDPA(q, q[..., :4], q)
    for unread in (q.to("meta"), q[0, 0].to_sparse()):
        with pytest.raises(TypeError, match="q is a tensor whose memory fovea cannot read"):
            fovea.attention(unread, q, q)


def test_sdpa_dropout():
    q, v = draw(4, 4, 64, 8), torch.ones(4, 4, 64, 4)
    torch.manual_seed(5)
    first = SDPA(q, q, v, dropout_p=0.25)
    second = SDPA(q, q, v, dropout_p=0.25)
    torch.manual_seed(5)
    assert torch.equal(first, SDPA(q, q, v, dropout_p=0.25)) and not torch.equal(first, second)
    # Rows of v are 1: a row's output is the share of weight kept, scaled: 1 on average.
    spread = first[..., 0].std() / first[..., 0].numel() ** 0.5
    assert abs(first[..., 0].mean() - 1) < 5 * spread


@pytest.mark.parametrize("mask", ["none", "causal", "learned"])
def test_gradients(mask):
    """Within 1e-4 of torch's in double."""
    inputs = [draw(2, 4, 9, 8), draw(2, 2, 11, 8, seed=4), draw(2, 2, 11, 5, seed=5)]
    if mask == "learned":
        inputs.append(draw(4, 9, 11, seed=6))
    ours = [t.clone().requires_grad_() for t in inputs]
    exact = [t.double().requires_grad_() for t in inputs]
    weight = draw(2, 4, 9, 5, seed=7)

    def loss(function, tensors):
        options = {"is_causal": True} if mask == "causal" else {}
        added = tensors[3] if mask == "learned" else None
        return (function(*tensors[:3], attn_mask=added, enable_gqa=True, **options) * weight.to(tensors[0].dtype)).sum()

    loss(SDPA, ours).backward()
    loss(F.scaled_dot_product_attention, exact).backward()
    for found, expected in zip(ours, exact):
        torch.testing.assert_close(found.grad.double(), expected.grad, atol=1e-4, rtol=0)


def test_gradients_of_attention_and_of_biases():
    q = draw(2, 3, 6, 8).requires_grad_()
    result = fovea.attention(q, q, q, bias=fovea.Bias.alibi(fovea.alibi_slopes(3)), dropout=0.2, seed=3, logsumexp=True)
    assert result.logsumexp.requires_grad is False
    result.output.sum().backward()
    step = 1e-2 * draw(2, 3, 6, 8, seed=9)
    with torch.no_grad():  # a central difference along one direction
        ends = [
            fovea.attention(q + s * step, q + s * step, q + s * step, bias=fovea.Bias.alibi(fovea.alibi_slopes(3)), dropout=0.2, seed=3)
            .output.double().sum()
            for s in (1, -1)
        ]
    torch.testing.assert_close((q.grad * step).sum().double(), (ends[0] - ends[1]) / 2, atol=2e-4, rtol=2e-3)


def test_each_gradient_is_its_own():
    """Equal widths, so that no shape tells the gradients apart: each against what its definition says."""
    q, k, v = (draw(1, 2, 7, 8, seed=seed).requires_grad_() for seed in (1, 2, 3))
    weight = draw(1, 2, 7, 8, seed=4)
    result = fovea.attention(q, k, v, mask="causal", weights=True)
    (result.output * weight).sum().backward()
    w = result.weights.detach().double()
    torch.testing.assert_close(v.grad.double(), w.transpose(-1, -2) @ weight.double(), atol=1e-5, rtol=0)
    dw = weight.double() @ v.detach().double().transpose(-1, -2)
    ds = w * (dw - (w * dw).sum(-1, keepdim=True)) / 8**0.5
    torch.testing.assert_close(k.grad.double(), ds.transpose(-1, -2) @ q.detach().double(), atol=1e-5, rtol=0)
    torch.testing.assert_close(q.grad.double(), ds @ k.detach().double(), atol=1e-5, rtol=0)


def test_a_changed_output_is_noticed():
    q = draw(1, 1, 4, 8).requires_grad_()
    output = fovea.attention(q, q, q).output
    output.mul_(2)
    with pytest.raises(RuntimeError, match="inplace"):
        output.sum().backward()


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_of_linear_attention(causal):
    ours = [draw(2, 7, 4, seed=s).requires_grad_() for s in range(3)]
    exact = [t.detach().double().requires_grad_() for t in ours]
    fovea.linear_attention(*ours, causal=causal).square().sum().backward()
    q, k, v = exact
    scores = (F.elu(q) + 1) @ (F.elu(k) + 1).transpose(-1, -2)
    scores = scores.tril() if causal else scores
    (scores @ v / (scores.sum(-1, keepdim=True) + 1e-6)).square().sum().backward()
    for found, expected in zip(ours, exact):
        torch.testing.assert_close(found.grad.double(), expected.grad, atol=1e-4, rtol=1e-4)


def test_threads_with_torch_beside(tmp_path):
    q = draw(2, 4, 128, 32)
    ours, theirs = fovea.attention(q, q, q).output, q @ q.transpose(-1, -2)
    wrong = []

    def work(function, expected):
        for _ in range(10):
            if not torch.equal(function(), expected):
                wrong.append(1)

    jobs = [(lambda: fovea.attention(q, q, q).output, ours), (lambda: q @ q.transpose(-1, -2), theirs)]
    threads = [threading.Thread(target=work, args=job) for job in jobs * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("order", ["import torch, fovea", "import fovea, torch"])
def test_workers_of_a_data_loader(order):
    """fork() after both used their threads; the children compute, and do not hang."""
    program = f"""
{order}
class Set(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, i):
        q = torch.full((2, 64, 16), float(i))
        return fovea.attention(q, q, q).output
q = torch.ones(4, 256, 32)
fovea.attention(q, q, q); torch.randn(300, 300) @ torch.randn(300, 300)
loader = torch.utils.data.DataLoader(Set(), num_workers=2, multiprocessing_context="fork")
print([float(batch.mean()) for batch in loader])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[0.0, 1.0, 2.0, 3.0]", done.stderr


def test_torch_is_not_imported_for_numpy():
    program = "import sys, numpy, fovea; q = numpy.ones((2, 2), 'float32'); fovea.attention(q, q, q); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr


def test_numpy_and_torch_agree_bit_for_bit():
    q = draw(2, 5, 8)
    assert np.array_equal(fovea.attention(q.numpy(), q.numpy(), q.numpy()).output, fovea.attention(q, q, q).output.numpy())
