"""Writes train/<layout>.safetensors: a tiny model with random weights, a batch with pads and ignored targets, and what
PyTorch makes of them in double: the loss, the gradient of every parameter, and the parameters after two steps of AdamW.

    python make_train_goldens.py        (torch, transformers, safetensors)

Weights are drawn wide, so that attention is peaked, and rounded to float32 before anything is computed. Stored are the
weights, and the gradients rounded to float32.
"""

import pathlib

import torch
import transformers as tf
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent / "train"


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


def draw_weights(model):
    for name, parameter in model.named_parameters():
        drawn = torch.randn_like(parameter) * (0.45 if parameter.dim() == 2 else 0.3)
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


def loss_of(model, ids, real, segments, targets, smoothing):
    inputs = dict(input_ids=ids, attention_mask=real)
    if isinstance(model, tf.BertForMaskedLM):
        inputs["token_type_ids"] = segments
    logits = model(**inputs).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100,
                                             label_smoothing=smoothing)


def parameters_of(model):
    """Each once, under the name it has in the file."""
    return {name: p for name, p in model.named_parameters() if name != "cls.predictions.decoder.bias"}


def golden(name, model):
    tensors = {}
    ids, real, segments, targets = batch()
    tensors.update(ids=ids, real=real, segments=segments, targets=targets)
    for key, p in parameters_of(model).items():
        tensors["parameter/" + key] = p.detach().float().clone()
    model.double()
    model.eval()
    smoothing = 0.1
    loss = loss_of(model, ids, real, segments, targets, smoothing)
    loss.backward()
    tensors["loss"] = loss.detach().reshape(1).float()
    for key, p in parameters_of(model).items():
        tensors["gradient/" + key] = p.grad.float().clone()

    decays = [p for p in parameters_of(model).values() if p.dim() >= 2]
    plain = [p for p in parameters_of(model).values() if p.dim() < 2]
    optimizer = torch.optim.AdamW([dict(params=decays, weight_decay=0.1), dict(params=plain, weight_decay=0.0)],
                                  lr=0.01, betas=(0.9, 0.95), eps=1e-8)
    for _ in range(2):
        optimizer.zero_grad()
        loss_of(model, ids, real, segments, targets, smoothing).backward()
        norm = torch.nn.utils.clip_grad_norm_(list(parameters_of(model).values()), 1.0)
        optimizer.step()
    tensors["norm"] = norm.reshape(1).float()
    with torch.no_grad():
        after = loss_of(model, ids, real, segments, targets, smoothing)
    tensors["loss_after"] = after.reshape(1).float()
    for key, p in parameters_of(model).items():
        if p.dim() == 1 or "wpe" in key or "0" in key:  # enough to see a wrong step, and small
            tensors["after/" + key] = p.detach().float().clone()
    save_file({k: v.contiguous() for k, v in tensors.items()}, FOLDER / f"{name}.safetensors")


def main():
    FOLDER.mkdir(exist_ok=True)
    for seed, make in enumerate((gpt2, llama, bert)):
        torch.manual_seed(seed)
        model = make()
        draw_weights(model)
        golden(make.__name__, model)


if __name__ == "__main__":
    main()
