"""Writes minilm_golden.safetensors: 50 texts, and what transformers makes of them with all-MiniLM-L6-v2, in double.

    python make_minilm_golden.py FOLDER      (the one of `fovea model info minilm --json`)

Of each text: its ids, the weights of all 72 heads at 2 places drawn at random, 48 values of the last hidden states likewise,
the states' mean over the tokens, normalised (the first 8 values). Needs torch, transformers, tokenizers; made with
transformers 5.22, torch 2.15, tokenizers 0.23. scripts/compare_minilm compares everything, not a sample.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

TEXTS = [
    "This is an example sentence", "Each sentence is converted", "The quick brown fox jumps over the lazy dog.",
    "The cat sat on the mat.", "Attention is all you need.", "I love AI", "Hello, world!", ".", "a", "?!",
    "She gave the apple to her because she was hungry.", "The animal didn't cross the street because it was too tired.",
    "Time flies like an arrow; fruit flies like a banana.", "Colorless green ideas sleep furiously.",
    "How much wood would a woodchuck chuck if a woodchuck could chuck wood?", "E = mc^2, said Einstein in 1905.",
    "def attention(q, k, v): return softmax(q @ k.T / sqrt(d)) @ v", "https://example.org/path?query=1&other=two#part",
    "3.14159265358979323846264338327950288", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "SHOUTING IN CAPITALS", "tabs\tand\nnewlines",
    "Crème brûlée naïve façade Ångström", "小明把苹果给了小红，她很开心", "我喜欢学习人工智能技术。", "日本語のテキスト",
    "Привет, мир", "مرحبا بالعالم", "नमस्ते दुनिया", "emoji 👩‍👩‍👧 and 🎉🎉", "supercalifragilisticexpialidocious",
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "to be or not to be, that is the question",
    "It was the best of times, it was the worst of times.", "Call me Ishmael.", "buffalo buffalo buffalo buffalo",
    "The bank of the river; the bank with the money.", "Paris is the capital of France, Rome is that of Italy.",
    "no", "yes yes yes yes yes yes yes yes yes yes", "    leading and trailing spaces    ", "[MASK] tokens and [SEP] in the text",
    "A man, a plan, a canal: Panama!", "one", "Who let the dogs out?", "In the beginning was the Word.",
    "the " * 100, "All work and no play makes Jack a dull boy. " * 12,
    "Four score and seven years ago our fathers brought forth, upon this continent, a new nation. " * 20,
    " ".join(str(i) for i in range(300)),
]
assert len(TEXTS) == 50

folder = pathlib.Path(sys.argv[1])
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(512)
config = BertConfig.from_dict(json.loads((folder / "config.json").read_text()))
model = BertModel(config, add_pooling_layer=False)
model.set_attn_implementation("eager")
weights = load_file(folder / "model.fp16.safetensors")
missing, unexpected = model.load_state_dict({k: v.float() for k, v in weights.items()}, strict=False)
assert not missing, missing
model.double().eval()

generator = torch.Generator().manual_seed(1)
tensors = {}
for i, text in enumerate(TEXTS):
    ids = torch.tensor([tokenizer.encode(text).ids])
    n = ids.shape[1]
    with torch.no_grad():
        out = model(input_ids=ids, output_attentions=True)
    attention = torch.stack(out.attentions)[:, 0]                        # [layers, heads, n, n]
    places = torch.randint(0, n, (*attention.shape[:2], 2, 2), generator=generator)
    layer, head = torch.meshgrid(torch.arange(6), torch.arange(12), indexing="ij")
    values = attention[layer[..., None], head[..., None], places[..., 0], places[..., 1]]
    hidden = out.last_hidden_state[0]
    at = torch.stack([torch.randint(0, n, (48,), generator=generator), torch.randint(0, 384, (48,), generator=generator)], 1)
    mean = hidden.mean(0)
    tensors |= {f"{i}.ids": ids[0], f"{i}.places": places.to(torch.int16), f"{i}.weights": values.float(),
                f"{i}.hidden_places": at.to(torch.int16), f"{i}.hidden": hidden[at[:, 0], at[:, 1]].float(),
                f"{i}.embedding": (mean / mean.norm())[:8].float()}
path = pathlib.Path(__file__).parent / "minilm_golden.safetensors"
save_file({k: v.contiguous() for k, v in tensors.items()}, path, metadata={"texts": json.dumps(TEXTS)})
path.chmod(0o644)
