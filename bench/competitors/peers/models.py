# Whole models by Hugging Face transformers and by ONNX Runtime, from the folder that fovea reads.
import json
import os
import struct

FOLDERS = {}  # what was loaded, by folder


def load_bert(folder, attention):
    import torch
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel
    key = folder, attention
    if key not in FOLDERS:
        config = BertConfig.from_json_file(os.path.join(folder, "config.json"))
        config._attn_implementation = attention
        model = BertModel(config, add_pooling_layer=False).eval()
        file = next(name for name in sorted(os.listdir(folder)) if name.endswith(".safetensors"))
        state = {name: value.float() for name, value in load_file(os.path.join(folder, file)).items() if value.is_floating_point()}
        missing = model.load_state_dict(state, strict=False).missing_keys
        if missing:
            raise ValueError("%s lacks %s" % (file, ", ".join(missing[:3])))
        FOLDERS[key] = model
    return FOLDERS[key]


# The legacy checkpoint of llama2.c, or a folder of safetensors.
def load_llama(folder):
    import numpy
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    if folder in FOLDERS:
        return FOLDERS[folder]
    path = os.path.join(folder, "model.bin")
    if not os.path.exists(path):
        FOLDERS[folder] = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        return FOLDERS[folder]
    with open(path, "rb") as file:
        width, inner, layers, heads, kv_heads, words, length = struct.unpack("7i", file.read(28))
        numbers = numpy.fromfile(file, dtype="float32")
    if words < 0 or kv_heads != heads:
        raise ValueError("only tied checkpoints without grouped heads are read here")
    at = 0

    def take(*shape):
        nonlocal at
        count = int(numpy.prod(shape))
        at += count
        return torch.from_numpy(numbers[at - count:at].reshape(shape).copy())

    # Neighbouring rows of a head are turned together there, rows i and i + D/2 here.
    def halves(w):
        return w.reshape(heads, width // heads // 2, 2, width).transpose(1, 2).reshape(width, width)

    state = {"model.embed_tokens.weight": take(words, width)}
    names = (("input_layernorm", (width,)), ("self_attn.q_proj", (width, width)), ("self_attn.k_proj", (width, width)),
             ("self_attn.v_proj", (width, width)), ("self_attn.o_proj", (width, width)), ("post_attention_layernorm", (width,)),
             ("mlp.gate_proj", (inner, width)), ("mlp.down_proj", (width, inner)), ("mlp.up_proj", (inner, width)))
    for name, shape in names:
        for layer, w in enumerate(take(layers, *shape)):
            state["model.layers.%d.%s.weight" % (layer, name)] = halves(w) if name[10:] in ("q_proj", "k_proj") else w
    state["model.norm.weight"] = take(width)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    config = LlamaConfig(hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
                         num_key_value_heads=heads, vocab_size=words, max_position_embeddings=length, rms_norm_eps=1e-5,
                         tie_word_embeddings=True)
    model = LlamaForCausalLM(config).eval()
    model.load_state_dict(state)
    FOLDERS[folder] = model
    return model


# Greedy, token by token with the cache of transformers, without the search that generate() wraps around it.
def greedy(model, prompt, count):
    import torch
    ids, cache, chosen = torch.tensor([prompt]), None, []
    with torch.inference_mode():
        while len(chosen) < count:
            result = model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache = result.past_key_values
            ids = result.logits[:, -1].argmax(-1, keepdim=True)
            chosen.append(int(ids))
    return chosen


class Transformers:
    id, package = "pytorch", "transformers"
    attention, attentions = "sdpa", False

    def __init__(self, threads):
        import torch
        import transformers
        transformers.logging.set_verbosity_error()
        self.torch, self.transformers = torch, transformers

    def version(self):
        return "PyTorch %s, transformers %s" % (self.torch.__version__, self.transformers.__version__)

    def detail(self):
        return "attention by %s%s" % (self.attention, ", output_attentions=True" if self.attentions else "")

    def prepare(self, problem):
        import numpy
        torch = self.torch
        torch.set_num_threads(problem["threads"])
        if problem["operation"] == "generation":
            if self.attentions:
                return None, None, "writes text without them"
            model, ids = load_llama(problem["folder"]), problem["arrays"]["ids"][0].tolist()
            return (lambda: greedy(model, ids, problem["tokens"])), (lambda chosen: [numpy.array(chosen, "float32")]), "cache"
        model, ids = load_bert(problem["folder"], self.attention), torch.from_numpy(problem["arrays"]["ids"])

        def call():
            with torch.inference_mode():
                return model(input_ids=ids, output_attentions=self.attentions)
        return call, (lambda result: [result.last_hidden_state.numpy()]), self.attention


class TransformersAttentions(Transformers):
    id = "attentions"
    attention, attentions = "eager", True


# Exported by torch.onnx and fused by ONNX Runtime's own optimizer: attention, norms with their sums, bias with gelu. Of the
# ways to export and optimize, this was the fastest.
class OnnxModel:
    id, package = "onnxruntime", "onnxruntime"

    def __init__(self, threads):
        import onnx
        import onnxruntime
        self.runtime = onnxruntime
        onnxruntime.set_default_logger_severity(3)

    def version(self):
        return "ONNX Runtime " + self.runtime.__version__

    def detail(self):
        return "torch.onnx, onnxruntime.transformers.optimizer"

    def optimized(self, folder):
        import tempfile
        import torch
        from onnxruntime.transformers import optimizer
        key = folder, "onnx"
        if key in FOLDERS:
            return FOLDERS[key]
        model = load_bert(folder, "eager")

        class Hidden(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, ids, mask):
                return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

        ids = torch.ones(2, 64, dtype=torch.long)
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "model.onnx")
            torch.onnx.export(Hidden().eval(), (ids, ids), path, input_names=["ids", "mask"], output_names=["hidden"], dynamo=False,
                              dynamic_axes={name: {0: "batch", 1: "tokens"} for name in ("ids", "mask", "hidden")}, opset_version=17)
            fused = optimizer.optimize_model(path, model_type="bert", num_heads=model.config.num_attention_heads,
                                             hidden_size=model.config.hidden_size, opt_level=0)
            FOLDERS[key] = fused.model.SerializeToString()
        return FOLDERS[key]

    def prepare(self, problem):
        if problem["operation"] == "generation":
            return None, None, "has no cache of its own"
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = problem["threads"]
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.force_spinning_stop", "1")  # not while the next one runs
        session = self.runtime.InferenceSession(self.optimized(problem["folder"]), options, providers=["CPUExecutionProvider"])
        ids = problem["arrays"]["ids"]
        feeds = {"ids": ids, "mask": ids * 0 + 1}
        return (lambda: session.run(None, feeds)), (lambda results: [results[0]]), "Attention, fused"


SERVED = (Transformers, TransformersAttentions, OnnxModel)
