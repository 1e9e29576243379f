"""Writes train/<layout>.safetensors: a tiny model with random weights, a batch with pads and ignored targets, and what
PyTorch makes of them in double: the loss, the gradient of every parameter, and the parameters after two steps of AdamW.
Beside them how far float32 is from that, relative L2 per parameter: under float32/ PyTorch's own gradients, under in_order/
the same where every matrix product adds its terms one after the other (rounding once per term, as fused multiply-adds do).

    python make_train_goldens.py [FOLDER [MODELS [WIDTH]]]       (torch, transformers, safetensors)

Weights are drawn wide (WIDTH 0.45), so that attention is peaked, and rounded to float32 before anything is computed. Stored
are the weights, and the gradients rounded to float32. MODELS > 1: that many of each layout in folders 0, 1, .., drawn with
other seeds (scripts/compare_gradients).
"""

import copy
import pathlib
import sys

import torch
import transformers as tf
from safetensors.torch import save_file

FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "train"
MODELS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
WIDTH = float(sys.argv[3]) if len(sys.argv) > 3 else 0.45


def gpt2():
    return tf.GPT2LMHeadModel(tf.GPT2Config(vocab_size=37, n_positions=12, n_embd=12, n_layer=2, n_head=3, resid_pdrop=0,
                                            embd_pdrop=0, attn_pdrop=0, bos_token_id=0, eos_token_id=0))


def llama():
    return tf.LlamaForCausalLM(tf.LlamaConfig(vocab_size=37, max_position_embeddings=12, hidden_size=16, num_hidden_layers=2,
                                              num_attention_heads=4, num_key_value_heads=2, intermediate_size=22,
                                              tie_word_embeddings=False, rms_norm_eps=1e-6))


def bert():
    return tf.BertForMaskedLM(tf.BertConfig(vocab_size=37, max_position_embeddings=12, hidden_size=12, num_hidden_layers=2,
                                            num_attention_heads=3, intermediate_size=18, hidden_dropout_prob=0,
                                            attention_probs_dropout_prob=0))


def bart():
    """No id of the batch is a pad: PyTorch gives the pad's word no gradient."""
    return tf.BartForConditionalGeneration(tf.BartConfig(vocab_size=37, max_position_embeddings=12, d_model=12, encoder_layers=2,
                                                         decoder_layers=2, encoder_attention_heads=3, decoder_attention_heads=3,
                                                         encoder_ffn_dim=18, decoder_ffn_dim=18, dropout=0, pad_token_id=0,
                                                         bos_token_id=1, eos_token_id=2, decoder_start_token_id=2,
                                                         forced_eos_token_id=None))


class RotaryInDouble(torch.nn.Module):
    """transformers computes angles, cosines and sines in float32 whatever the model's type: of a model in double, that
    is an error of 1e-7 in every pair, which a peaked softmax multiplies by its scores."""

    def __init__(self, config):
        super().__init__()
        width = config.hidden_size // config.num_attention_heads
        theta = config.rope_parameters["rope_theta"]
        self.frequencies = theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)

    def forward(self, x, position_ids):
        angles = position_ids[..., None].double() * self.frequencies
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def product_in_order(a, b):
    """a @ b of float32 matrices, term after term."""
    sums = torch.zeros(*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    for i in range(a.shape[-1]):
        sums = (sums.double() + a[..., :, i:i + 1].double() * b[..., i:i + 1, :].double()).float()
    return sums


class InOrder(torch.autograd.Function):
    @staticmethod
    def forward(context, a, b):
        context.save_for_backward(a, b)
        return product_in_order(a, b)

    @staticmethod
    def backward(context, gradient):
        a, b = context.saved_tensors
        return product_in_order(gradient, b.transpose(-1, -2)), product_in_order(a.transpose(-1, -2), gradient)


class ProductsInOrder:
    """Within it, layers and attention multiply in order."""

    def __enter__(self):
        self.kept = torch.nn.functional.linear, torch.addmm, torch.matmul
        rows = lambda x: x.reshape(-1, x.shape[-1])

        def linear(x, weight, bias=None):
            y = InOrder.apply(rows(x), weight.t()).view(*x.shape[:-1], -1)
            return y if bias is None else y + bias

        torch.nn.functional.linear = linear
        torch.addmm = lambda bias, x, weight: InOrder.apply(x, weight) + bias
        torch.matmul = InOrder.apply

    def __exit__(self, *_):
        torch.nn.functional.linear, torch.addmm, torch.matmul = self.kept


def draw_weights(model):
    for name, parameter in model.named_parameters():
        drawn = torch.randn_like(parameter) * (WIDTH if parameter.dim() == 2 else 0.3)
        if parameter.dim() == 1 and name.endswith("weight"):
            drawn = 1 + drawn
        parameter.data = drawn
    model.tie_weights()


def batch():
    """Three sequences of 10, 6 and 9 tokens; targets for some of them. No id 0: PyTorch gives BERT's no gradient."""
    lengths = [10, 6, 9]
    ids = torch.zeros(3, 10, dtype=torch.long)
    real, segments = torch.zeros_like(ids), torch.zeros_like(ids)
    targets = torch.full_like(ids, -100)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(1, 37, (length,))
        real[row, :length] = 1
        segments[row, length // 2: length] = 1
        asked = torch.rand(length) < 0.7
        targets[row, :length][asked] = torch.randint(0, 37, (int(asked.sum()),))
    return ids, real, segments, targets


def decoder_batch():
    """What BART's decoder reads: 7, 8 and 5 tokens, pads without a target after them."""
    lengths = [7, 8, 5]
    ids = torch.zeros(3, 8, dtype=torch.long)
    targets = torch.full_like(ids, -100)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(1, 37, (length,))
        asked = torch.rand(length) < 0.7
        targets[row, :length][asked] = torch.randint(0, 37, (int(asked.sum()),))
    return ids, targets


def loss_of(model, ids, real, segments, targets, smoothing, decoder_ids=None):
    inputs = dict(input_ids=ids, attention_mask=real)
    if decoder_ids is not None:
        inputs["decoder_input_ids"] = decoder_ids
    if isinstance(model, tf.BertForMaskedLM):
        inputs["token_type_ids"] = segments
    logits = model(**inputs).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100,
                                             label_smoothing=smoothing)


def parameters_of(model):
    """Each once, under the name it has in the file."""
    return {name: p for name, p in model.named_parameters() if name != "cls.predictions.decoder.bias"}


def golden(file, model):
    tensors = {}
    ids, real, segments, targets = batch()
    decoder_ids = None
    if isinstance(model, tf.BartForConditionalGeneration):
        decoder_ids, targets = decoder_batch()
        tensors.update(decoder_ids=decoder_ids)
    tensors.update(ids=ids, real=real, segments=segments, targets=targets)
    for key, p in parameters_of(model).items():
        tensors["parameter/" + key] = p.detach().float().clone()
    model.eval()
    smoothing = 0.1
    single = copy.deepcopy(model)  # the same weights: they are float32
    single.tie_weights()
    loss_of(single, ids, real, segments, targets, smoothing, decoder_ids).backward()
    ordered = copy.deepcopy(model)
    ordered.tie_weights()
    ordered.set_attn_implementation("eager")
    with ProductsInOrder():
        loss_of(ordered, ids, real, segments, targets, smoothing, decoder_ids).backward()
    model.double()
    if isinstance(model, tf.LlamaForCausalLM):
        model.model.rotary_emb = RotaryInDouble(model.config)
    loss = loss_of(model, ids, real, segments, targets, smoothing, decoder_ids)
    loss.backward()
    tensors["loss"] = loss.detach().reshape(1).float()
    for key, p in parameters_of(model).items():
        tensors["gradient/" + key] = p.grad.float().clone()
        for kind, other in (("float32/", single), ("in_order/", ordered)):
            error = (parameters_of(other)[key].grad.double() - p.grad).norm() / p.grad.norm()
            tensors[kind + key] = error.reshape(1).float()

    decays = [p for p in parameters_of(model).values() if p.dim() >= 2]
    plain = [p for p in parameters_of(model).values() if p.dim() < 2]
    optimizer = torch.optim.AdamW([dict(params=decays, weight_decay=0.1), dict(params=plain, weight_decay=0.0)],
                                  lr=0.01, betas=(0.9, 0.95), eps=1e-8)
    for _ in range(2):
        optimizer.zero_grad()
        loss_of(model, ids, real, segments, targets, smoothing, decoder_ids).backward()
        norm = torch.nn.utils.clip_grad_norm_(list(parameters_of(model).values()), 1.0)
        optimizer.step()
    tensors["norm"] = norm.reshape(1).float()
    with torch.no_grad():
        after = loss_of(model, ids, real, segments, targets, smoothing, decoder_ids)
    tensors["loss_after"] = after.reshape(1).float()
    for key, p in parameters_of(model).items():
        if p.dim() == 1 or "wpe" in key or "0" in key:  # enough to see a wrong step, and small
            tensors["after/" + key] = p.detach().float().clone()
    save_file({k: v.contiguous() for k, v in tensors.items()}, file)


def write_all(folder, first_seed):
    folder.mkdir(exist_ok=True, parents=True)
    for seed, make in enumerate((gpt2, llama, bert, bart)):
        torch.manual_seed(first_seed + seed)
        model = make()
        draw_weights(model)
        golden(folder / f"{make.__name__}.safetensors", model)


def main():
    for number in range(MODELS):
        write_all(FOLDER / str(number) if MODELS > 1 else FOLDER, 10 * number)


if __name__ == "__main__":
    main()
