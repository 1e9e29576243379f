"""What compare_whatif, time_whatif and find_induction_heads share: models as folders whose tokenizer calls token 7 "t7", so that texts
are exactly the ids that are meant, and the same models in transformers."""

import importlib.util
import json
import pathlib
import struct
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TINY = ROOT / "tests" / "data" / "models"


def hooks_module():
    """The hooks that the goldens of the tests are made with."""
    spec = importlib.util.spec_from_file_location("whatif_hooks", ROOT / "tests" / "data" / "make_whatif_goldens.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Fovea:
    def __init__(self, command):
        self.command = command

    def json(self, *arguments, prefix=()):
        out = subprocess.run([*prefix, self.command, *map(str, arguments), "--json"], check=True, capture_output=True, text=True)
        return json.loads(out.stdout)

    def folder_of(self, name):
        """Of a published model (fovea model get NAME), or of a tiny one of the tests."""
        if (TINY / name).is_dir():
            return TINY / name
        return pathlib.Path(self.json("model", "info", name)["path"])


def text_of(ids):
    return " ".join(f"t{i}" for i in ids)


def write_tokenizer(folder, count):
    tokens = {f"t{i}": i for i in range(count)}
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": tokens, "unk_token": "t0"}}))


def plain_folder(source, target, vocabulary):
    """The same weights and config, and that tokenizer."""
    target.mkdir()
    for file in source.iterdir():
        if file.name in ("config.json", "model.bin") or file.suffix == ".safetensors" and "golden" not in file.name:
            (target / file.name).symlink_to(file.resolve())
    write_tokenizer(target, vocabulary)
    return target


def llama2c(path):
    """llama2.c's model.bin as LlamaForCausalLM, float32."""
    import torch
    import transformers as tf
    data = path.read_bytes()
    dim, hidden, layers, heads, kv_heads, vocabulary, length = struct.unpack("<7i", data[:28])
    floats, at, width = np.frombuffer(data, "<f4", offset=28), 0, dim // heads

    def take(*shape):
        nonlocal at
        size = int(np.prod(shape))
        at += size
        return torch.from_numpy(floats[at - size: at].reshape(shape).copy())

    def halves(w, count):
        """Rotary pairs (2i, 2i + 1) as transformers has them: (i, i + D/2)."""
        return w.reshape(layers, count, width // 2, 2, dim).transpose(2, 3).reshape(layers, count * width, dim)

    words, norms = take(abs(vocabulary), dim), take(layers, dim)
    q, k = halves(take(layers, dim, dim), heads), halves(take(layers, kv_heads * width, dim), kv_heads)
    v, o, ffn = take(layers, kv_heads * width, dim), take(layers, dim, dim), take(layers, dim)
    gate, down, up, last = take(layers, hidden, dim), take(layers, dim, hidden), take(layers, hidden, dim), take(dim)
    take(length, width)
    state = {"model.embed_tokens.weight": words, "model.norm.weight": last,
             "lm_head.weight": words if vocabulary > 0 else take(-vocabulary, dim)}
    for i in range(layers):
        state |= {f"model.layers.{i}.{name}.weight": tensor[i] for name, tensor in {
            "input_layernorm": norms, "post_attention_layernorm": ffn, "self_attn.q_proj": q, "self_attn.k_proj": k,
            "self_attn.v_proj": v, "self_attn.o_proj": o, "mlp.gate_proj": gate, "mlp.down_proj": down, "mlp.up_proj": up}.items()}
    model = tf.LlamaForCausalLM(tf.LlamaConfig(
        hidden_size=dim, intermediate_size=hidden, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv_heads,
        vocab_size=abs(vocabulary), max_position_embeddings=length, rms_norm_eps=1e-5, tie_word_embeddings=vocabulary > 0))
    model.load_state_dict(state)
    return model.eval()


def minilm(folder):
    """MiniLM's BertModel, float32, called .bert as in models with an output layer."""
    import torch
    import transformers as tf
    from safetensors.torch import load_file

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            config = tf.BertConfig.from_dict(json.loads((folder / "config.json").read_text()))
            self.bert = tf.BertModel(config, add_pooling_layer=False)
            weights = load_file(next(folder.glob("*.safetensors")))
            missing, _ = self.bert.load_state_dict({k: w.float() for k, w in weights.items()}, strict=False)
            assert not missing, missing

        def forward(self, **inputs):
            return self.bert(**inputs)
    return Encoder().eval()


def bridge_of(model, tokenizer, folder):
    """TransformerLens around a model of transformers; None where it is not installed. It wants a folder, and a tokenizer in it."""
    try:
        from transformer_lens.model_bridge import TransformerBridge
    except ImportError:
        return None
    from transformers import PreTrainedTokenizerFast
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_file=str(tokenizer), unk_token="t0", pad_token="t0", bos_token="t1", eos_token="t2").save_pretrained(folder)
    return TransformerBridge.boot_transformers(str(folder), hf_model=model)
