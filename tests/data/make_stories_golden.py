"""Writes stories_golden.txt: what TinyStories models write, by a forward pass of its own in NumPy, in double.

    python make_stories_golden.py NAME=FOLDER ...      (folders with llama2.c's model.bin and tokenizer.bin)

Each line: the model, the tokens of the prompt, "|", the 200 likeliest tokens after it, one by one. Needs NumPy.
"""

import pathlib
import struct
import sys

import numpy as np

PROMPTS = ["", "Once upon a time", "Lily and Tom went to the park. They saw a big"]


class Llama:
    def __init__(self, path):
        data = path.read_bytes()
        self.dim, self.hidden, self.layers, self.heads, self.kv_heads, vocabulary, self.length = struct.unpack("<7i", data[:28])
        floats = np.frombuffer(data, "<f4", offset=28)
        self.width = self.dim // self.heads
        at = 0

        def take(*shape):
            nonlocal at
            size = int(np.prod(shape))
            at += size
            return floats[at - size: at].reshape(shape).astype(np.float64)

        L, d, kv, h = self.layers, self.dim, self.kv_heads * self.width, self.hidden
        self.words = take(abs(vocabulary), d)
        self.attention_norm = take(L, d)
        self.wq, self.wk, self.wv, self.wo = take(L, d, d), take(L, kv, d), take(L, kv, d), take(L, d, d)
        self.ffn_norm = take(L, d)
        self.w1, self.w2, self.w3 = take(L, h, d), take(L, d, h), take(L, h, d)
        self.last_norm = take(d)
        take(self.length, self.width)  # cosines and sines
        self.output = take(-vocabulary, d) if vocabulary < 0 else self.words
        assert at == len(floats)
        self.keys = [[] for _ in range(L)]
        self.values = [[] for _ in range(L)]

    @staticmethod
    def norm(x, weight):
        return x / np.sqrt((x * x).mean() + 1e-5) * weight

    def rotated(self, x, position):
        """Neighbouring features of each head are turned together."""
        angles = position * 10000.0 ** (-np.arange(0, self.width, 2) / self.width)
        pairs = x.reshape(-1, self.width // 2, 2)
        turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angles)
        return np.stack([turned.real, turned.imag], -1).reshape(-1, self.width)

    def next(self, token, position):
        x = self.words[token].copy()
        for i in range(self.layers):
            n = self.norm(x, self.attention_norm[i])
            q = self.rotated(self.wq[i] @ n, position)
            self.keys[i].append(self.rotated(self.wk[i] @ n, position))
            self.values[i].append((self.wv[i] @ n).reshape(-1, self.width))
            keys, values = np.array(self.keys[i]), np.array(self.values[i])
            out = []
            for head in range(self.heads):
                group = head // (self.heads // self.kv_heads)
                scores = keys[:, group] @ q[head] / np.sqrt(self.width)
                weights = np.exp(scores - scores.max())
                out.append(weights / weights.sum() @ values[:, group])
            x += self.wo[i] @ np.concatenate(out)
            n = self.norm(x, self.ffn_norm[i])
            gate = self.w1[i] @ n
            x += self.w2[i] @ (gate / (1 + np.exp(-gate)) * (self.w3[i] @ n))
        return self.output @ self.norm(x, self.last_norm)


def read_tokens(path, count):
    data = path.read_bytes()
    at, tokens = 4, []
    for _ in range(count):
        score, length = struct.unpack_from("<fi", data, at)
        tokens.append((data[at + 8: at + 8 + length], score))
        at += 8 + length
    return tokens


def encode(text, tokens):
    """llama2.c's: a space in front, bytes where there is no token, then the best merge until there is none.

    Older files spell the byte tokens as the bytes themselves: of two tokens with the same text, the later one is a word's, as SentencePiece has it.
    """
    lookup = {token: i for i, (token, _) in enumerate(tokens)}
    ids = [1]
    if text:
        ids.append(lookup[b" "])
    for character in text:
        piece = character.encode()
        ids += [lookup[piece]] if piece in lookup else [byte + 3 for byte in piece]
    while True:
        best = None
        for i in range(len(ids) - 1):
            merged = lookup.get(tokens[ids[i]][0] + tokens[ids[i + 1]][0])
            if merged is not None and (best is None or tokens[merged][1] > best[0]):
                best = (tokens[merged][1], i, merged)
        if best is None:
            return ids
        ids[best[1]: best[1] + 2] = [best[2]]


lines = []
for argument in sys.argv[1:]:
    name, folder = argument.split("=")
    folder = pathlib.Path(folder)
    for prompt in PROMPTS:
        model = Llama(folder / "model.bin")
        ids = encode(prompt, read_tokens(folder / "tokenizer.bin", len(model.words)))
        sequence, written = list(ids), []
        for position in range(len(ids) + 199):
            logits = model.next(sequence[position], position)
            if position >= len(ids) - 1:
                written.append(int(np.argmax(logits)))
                sequence.append(written[-1])
        lines.append(f"{name} {' '.join(map(str, ids))} | {' '.join(map(str, written))}\n")
(pathlib.Path(__file__).parent / "stories_golden.txt").write_text("".join(lines))
