"""Writes whatif/<name>.safetensors of bert, gpt2, llama, t5 and bart: what transformers computes when hooks ablate
heads, hide edges and replace activations by those of another run, in double, with eager attention. tests/models/whatif_test.cc makes
the same changes; both lists of cases must be read side by side.

    python make_whatif_goldens.py      (torch, transformers, safetensors; made with transformers 5.23, torch 2.15)
"""

import pathlib

import torch
import transformers as tf
from safetensors.torch import load_file, save_file

FOLDER = pathlib.Path(__file__).parent / "models"
AT = [3, 5]  # positions whose logits are kept
HIDDEN = -1e30


class Model:
    """One of the models, with what its parts are called."""

    def __init__(self, name, model=None, heads=4, layers=2):
        """Of this architecture; without a model, the tiny one, in double."""
        self.name, self.heads, self.layers = name, heads, layers
        if model is not None:
            self.model = model
            return
        cls = {"bert": tf.BertForMaskedLM, "gpt2": tf.GPT2LMHeadModel, "llama": tf.LlamaForCausalLM,
               "t5": tf.T5ForConditionalGeneration, "bart": tf.BartForConditionalGeneration}[name]
        self.model = cls.from_pretrained(FOLDER / name, dtype=torch.float64).eval()
        self.model.set_attn_implementation("eager")

    def layer(self, kind, i):
        m = self.model
        if self.name in ("t5", "bart"):
            stack = m.encoder if self.name == "t5" else m.model.encoder
            if kind != "enc":
                stack = m.decoder if self.name == "t5" else m.model.decoder
            return (stack.block if self.name == "t5" else stack.layers)[i]
        return {"bert": lambda: m.bert.encoder.layer, "gpt2": lambda: m.transformer.h, "llama": lambda: m.model.layers}[self.name]()[i]

    def attention(self, kind, i):
        """The module that is called with hidden states and mask, and its q, k, v and output layers."""
        layer = self.layer(kind, i)
        if self.name == "bert":
            a = layer.attention.self
            return a, a.query, a.key, a.value, layer.attention.output.dense
        if self.name == "gpt2":
            return layer.attn, layer.attn.c_attn, layer.attn.c_attn, layer.attn.c_attn, layer.attn.c_proj
        if self.name == "llama":
            a = layer.self_attn
            return a, a.q_proj, a.k_proj, a.v_proj, a.o_proj
        if self.name == "bart":
            a = layer.encoder_attn if kind == "cross" else layer.self_attn
            return a, a.q_proj, a.k_proj, a.v_proj, a.out_proj
        a = layer.layer[1].EncDecAttention if kind == "cross" else layer.layer[0].SelfAttention
        return a, a.q, a.k, a.v, a.o

    def width(self):
        return self.attention("enc", 0)[4].weight.shape[0 if self.name == "gpt2" else 1] // self.heads  # D

    def columns(self, site, head):
        """Where a head's q, k or v stands in the output of its layer."""
        d = self.width()
        shift = {"q": 0, "k": 1, "v": 2}[site] * self.heads * d if self.name == "gpt2" else 0
        return slice(shift + head * d, shift + (head + 1) * d)


class Hooks:
    def __init__(self, hooks):
        self.hooks = hooks

    def remove(self):
        for hook in self.hooks:
            hook.remove()


def first(out):
    return out[0] if isinstance(out, tuple) else out


def with_first(out, x):
    return (x, *out[1:]) if isinstance(out, tuple) else x


def outputs(m, kind, layer, change):
    """change(z [B, N, H, D]) on what the heads give."""
    def hook(_, args):
        z = args[0].clone().unflatten(-1, (m.heads, -1))
        change(z)
        return (z.flatten(-2), *args[1:])
    return m.attention(kind, layer)[4].register_forward_pre_hook(hook)


def ablate(m, kind, layer, head, factor=0.0):
    def change(z):
        z[:, :, head] *= factor
    return outputs(m, kind, layer, change)


def mean(m, kind, layer, head):
    def change(z):
        z[:, :, head] = z[:, :, head].mean(1, keepdim=True)
    return outputs(m, kind, layer, change)


def hide(m, kind, layer, head, query, key):
    """None: all heads, queries or keys."""
    def hook(_, args, kwargs):
        name = "position_bias" if m.name == "t5" else "attention_mask"
        n = args[0].shape[1] if args else kwargs["hidden_states"].shape[1]
        keys = kwargs.get("key_value_states")
        keys = n if kind != "cross" else (args[1] if keys is None and len(args) > 1 else keys).shape[1]
        extra = torch.zeros(1, m.heads, n, keys, dtype=next(m.model.parameters()).dtype)
        extra[:, slice(None) if head is None else head, slice(None) if query is None else query,
              slice(None) if key is None else key] = HIDDEN
        old = kwargs.get(name)
        if old is None and len(args) > 1 and m.name == "bert":
            old, args = args[1], args[:1]
        before.append(old)
        kwargs[name] = extra if old is None else old + extra
        return args, kwargs

    def restore(_, __, out):  # T5 hands its biases on from layer to layer
        return (out[0], before.pop(), *out[2:])
    module, before = m.attention(kind, layer)[0], []
    hooks = [module.register_forward_pre_hook(hook, with_kwargs=True)]
    if m.name == "t5":
        hooks.append(module.register_forward_hook(restore))
    return Hooks(hooks)


class Source:
    """Another run: what its layers gave."""

    def __init__(self, m, inputs):
        self.m, self.kept, hooks = m, {}, []

        def keep(key, pre=False):
            if pre:
                return lambda _, args: self.kept.__setitem__(key, args[0].clone())
            return lambda _, __, out: self.kept.__setitem__(key, first(out).clone())
        for kind, layers in kinds(m):
            for i in range(layers):
                a = m.attention(kind, i)
                for site, module in zip("qkv", a[1:4]):
                    hooks.append(module.register_forward_hook(keep((kind, i, site))))
                hooks.append(a[4].register_forward_pre_hook(keep((kind, i, "z"), True)))
                if kind != "cross":
                    hooks.append(m.layer(kind, i).register_forward_hook(keep((kind, i, "resid_post"))))
        with torch.no_grad():
            m.model(**inputs)
        for hook in hooks:
            hook.remove()

    def resid(self, kind, layer, position):
        def hook(_, __, out):
            x = first(out).clone()
            x[:, position] = self.kept[kind, layer, "resid_post"][:, position]
            return with_first(out, x)
        return self.m.layer(kind, layer).register_forward_hook(hook)

    def head(self, kind, layer, site, head, position):
        if site == "z":
            d = self.m.width()
            kept = self.kept[kind, layer, "z"]

            def change(z):
                z[:, position, head] = kept[:, position, head * d:(head + 1) * d]
            return outputs(self.m, kind, layer, change)
        columns = self.m.columns(site, head)

        def hook(_, __, out):
            out = out.clone()
            out[:, position, columns] = self.kept[kind, layer, site][:, position, columns]
            return out
        return self.m.attention(kind, layer)[1 + "qkv".index(site)].register_forward_hook(hook)


def kinds(m):
    if m.name in ("t5", "bart"):
        return [("enc", 2), ("dec", 3), ("cross", 3)]
    return [("enc" if m.name == "bert" else "dec", m.layers)]


def cases(m, other):
    if m.name in ("t5", "bart"):
        return {
            "zero": lambda: [ablate(m, "enc", 1, 2), ablate(m, "cross", 1, 1), ablate(m, "dec", 0, 0)],
            "mean": lambda: [mean(m, "dec", 0, 1), mean(m, "enc", 0, 3)],
            "scale": lambda: [ablate(m, "cross", 0, 0, -1.5)],
            "edges": lambda: [hide(m, "dec", 1, None, 4, 2), hide(m, "cross", 1, 3, None, 1), hide(m, "enc", 1, 2, 5, 3)],
            "resid": lambda: [other.resid("enc", 0, 4), other.resid("dec", 1, 2)],
            "heads": lambda: [other.head("cross", 1, "v", 1, 3), other.head("cross", 2, "k", 0, 5), other.head("dec", 1, "q", 1, 4),
                              other.head("enc", 1, "z", 3, 4)],
        }
    kind = kinds(m)[0][0]
    return {
        "zero": lambda: [ablate(m, kind, 1, 2), ablate(m, kind, 0, 0)],
        "mean": lambda: [mean(m, kind, 0, 1)],
        "scale": lambda: [ablate(m, kind, 1, 0, -1.5)],
        "edges": lambda: [hide(m, kind, 1, None, 5, 2), hide(m, kind, 1, 3, None, 1), hide(m, kind, 0, 1, 3, 0)],
        "resid": lambda: [other.resid(kind, 0, 4)],
        "heads": lambda: [other.head(kind, 1, "q", 1, 5), other.head(kind, 1, "k", 0, 3), other.head(kind, 0, "v", 1, 2),
                          other.head(kind, 1, "z", 3, 3)],
    }


def lens(m, inputs):
    """Logits of every layer's stream at the kept positions: [layers, 2, V]."""
    kind, layers = kinds(m)[1] if m.name in ("t5", "bart") else kinds(m)[0]
    streams, hooks = [], []
    for i in range(layers):
        hooks.append(m.layer(kind, i).register_forward_hook(lambda _, __, out: streams.append(first(out))))
    with torch.no_grad():
        m.model(**inputs)
        for hook in hooks:
            hook.remove()
        x = torch.stack(streams)[:, 0, AT]
        if m.name == "bert":
            return m.model.cls(x)
        if m.name == "bart":
            return m.model.lm_head(x) + m.model.final_logits_bias
        norm = {"gpt2": lambda: m.model.transformer.ln_f, "llama": lambda: m.model.model.norm,
                "t5": lambda: m.model.decoder.final_layer_norm}[m.name]()
        x = norm(x)
        if m.name == "t5":
            x = x * m.model.model_dim ** -0.5
        return m.model.lm_head(x)


def passed(m, inputs, out):
    """‖weight · value · W_O‖ of layer 1, of cross-attention where there is one: [H, N, M]."""
    kind = kinds(m)[-1][0]
    own, d = Source(m, inputs), m.width()
    v = own.kept[kind, 1, "v"][0]
    v = (v[:, 2 * m.heads * d:] if m.name == "gpt2" else v).unflatten(-1, (-1, d))
    v = v.repeat_interleave(m.heads // v.shape[1], 1)
    w = m.attention(kind, 1)[4].weight
    w = (w if m.name == "gpt2" else w.T).unflatten(0, (m.heads, d))
    weights = (out.cross_attentions if kind == "cross" else out.attentions)[1][0]
    return weights * torch.einsum("mhd,hde->hme", v, w).norm(dim=-1)[:, None]


def head_parts(m, inputs, position, token):
    """Direct logit attribution of each head of the last stack's self-attention, [layers, H]: by the gradient of the logit,
    with the norm's scale detached."""
    kind, layers = kinds(m)[1] if m.name == "t5" else kinds(m)[0]
    own = Source(m, inputs)
    x = own.kept[kind, layers - 1, "resid_post"][0, position].detach().requires_grad_()
    if m.name == "gpt2":
        norm = m.model.transformer.ln_f
        centred = x - x.mean()
        y = centred / (centred.pow(2).mean() + norm.eps).sqrt().detach() * norm.weight + norm.bias
    else:
        norm = m.model.model.norm if m.name == "llama" else m.model.decoder.final_layer_norm
        y = x / (x.pow(2).mean() + norm.variance_epsilon).sqrt().detach() * norm.weight
        y = y * (m.model.model_dim ** -0.5 if m.name == "t5" else 1)
    (direction,) = torch.autograd.grad(m.model.lm_head(y)[token], x)
    parts = []
    for i in range(layers):
        w = m.attention(kind, i)[4].weight
        z = own.kept[kind, i, "z"][0, position].unflatten(-1, (m.heads, -1))
        parts.append(torch.einsum("hd,hde,e->h", z, (w if m.name == "gpt2" else w.T).unflatten(0, (m.heads, -1)), direction))
    return torch.stack(parts).detach()


def main():
    for name in ("bert", "gpt2", "llama", "t5", "bart"):
        m = Model(name)
        golden = load_file(FOLDER / name / "golden.safetensors")
        inputs = dict(input_ids=golden["ids"][:1])
        torch.manual_seed(1)
        others = dict(input_ids=torch.randint(3, 60, (1, 11)))
        tensors = dict(ids=inputs["input_ids"], other_ids=others["input_ids"])
        if name in ("t5", "bart"):
            inputs["decoder_input_ids"] = tensors["decoder_ids"] = golden["decoder_ids"][:1]
            others["decoder_input_ids"] = tensors["other_decoder_ids"] = torch.randint(2, 60, (1, 6))
        other = Source(m, others)
        with torch.no_grad():
            clean = m.model(**inputs).logits[:, AT]
            for case, make in cases(m, other).items():
                hooks = make()
                out = m.model(**inputs, output_attentions=True)
                tensors[case] = out.logits[:, AT]
                # of layer 1, which shows what changed before it
                last = out.cross_attentions if name in ("t5", "bart") else out.attentions
                if case in ("zero", "edges"):
                    tensors[f"{case}.pattern"] = last[1]
                for hook in hooks:
                    hook.remove()
                print(f"{name} {case}: logits moved by up to {(tensors[case] - clean).abs().max():.3f}")
        tensors["lens"] = lens(m, inputs)
        with torch.no_grad():
            tensors["passed"] = passed(m, inputs, m.model(**inputs, output_attentions=True))
        if name in ("gpt2", "llama", "t5"):
            tensors["head_parts"] = head_parts(m, inputs, 5, 7)
        assert (tensors["lens"][-1] - clean[0]).abs().max() < 1e-9
        save_file({k: (v.float() if v.is_floating_point() else v).contiguous() for k, v in tensors.items()},
                  FOLDER.parent / "whatif" / f"{name}.safetensors")


if __name__ == "__main__":
    main()
