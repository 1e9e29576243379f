#!/usr/bin/env python3
"""What fovea study does, by transformers (output_attentions=True) and NumPy: the yardstick of its speed.

    python bench/studies/transformers_study.py MODEL_FOLDER CORPUS.tgz [TEXTS] [--values out.npz]

MODEL_FOLDER is Hugging Face's folder of a BERT with weights that transformers reads; a single .safetensors of
another name (float16) is loaded by hand. Texts are the reviews of aclImdb, pos before neg, by number; 128 tokens
each, batches of 16 filled up and masked. The measures are those of fovea study, vectorised over heads, rows and
keys. With --values the means are saved, to be compared with those of `fovea study show --json`.
"""
import argparse
import glob
import json
import os
import re
import resource
import tarfile
import time

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

LENGTH, BINS, BATCH, COMPARED = 128, 1024, 16, 2


def reviews(path, most):
    found = []
    with tarfile.open(path) as tar:
        for member in tar:
            match = re.fullmatch(r".*/(pos|neg)/(\d+)_\d+\.txt", member.name)
            if match:
                found.append((match[1] != "pos", int(match[2]), tar.extractfile(member).read().decode()))
    return [text for _, _, text in sorted(found)][:most]


def load(folder):
    config = BertConfig.from_pretrained(folder, attn_implementation="eager")
    model = BertModel(config, add_pooling_layer=False)
    state = load_file(glob.glob(os.path.join(folder, "*.safetensors"))[0])
    state = {re.sub(r"^bert\.", "", k): v.float() for k, v in state.items()}
    missing, _ = model.load_state_dict(state, strict=False)
    assert not [name for name in missing if "position_ids" not in name], missing
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(folder, "tokenizer.json"), pad_token="[PAD]")
    return model.eval(), tokenizer


class Sums:
    """Count, sum, sum of squares and a histogram, by head; by position and by kind."""

    def __init__(self, heads, high):
        self.high = high
        self.count, self.sum, self.square = np.zeros(heads), np.zeros(heads), np.zeros(heads)
        self.histogram = np.zeros((heads, BINS), np.int64)
        self.positions = np.zeros((3, heads, LENGTH))
        self.kinds = np.zeros((3, heads, 6))

    def add(self, values, applies, kinds=None):  # [A, n], [n] or [A, n]
        heads, n = values.shape
        applies = np.broadcast_to(applies, values.shape)
        kept = np.where(applies, values, 0.0)
        square = kept * kept
        self.count += applies.sum(1)
        self.sum += kept.sum(1)
        self.square += square.sum(1)
        bins = np.clip((values * (BINS / self.high)).astype(np.int64), 0, BINS - 1) + np.arange(heads)[:, None] * BINS
        self.histogram += np.bincount(bins[applies], minlength=heads * BINS).reshape(heads, BINS)
        if kinds is None:
            return
        for table, part in zip(self.positions, (applies, kept, square)):
            table[:, :n] += part
        one_hot = np.eye(6)[kinds]
        for table, part in zip(self.kinds, (applies, kept, square)):
            table += part @ one_hot

    def mean(self):
        return self.sum / np.maximum(1, self.count)


def kinds_of(tokens, words, special):
    kinds = np.full(len(tokens), 4)
    for i, token in enumerate(tokens):
        if special[i]:
            kinds[i] = 0
        elif token == "[UNK]":
            kinds[i] = 1
        elif re.fullmatch(r"(##)?[!-/:-@\[-`{-~‐-‧]+", token):
            kinds[i] = 2
        elif re.fullmatch(r"(##)?[0-9]+", token):
            kinds[i] = 3
        elif i > 0 and words[i] == words[i - 1]:
            kinds[i] = 5
    return kinds


class Study:
    def __init__(self, heads, vocabulary):
        self.heads = heads
        high = {"entropy": np.log(LENGTH), "effective_keys": LENGTH, "keys_90": LENGTH, "distance": LENGTH,
                "received": LENGTH}
        names = ("entropy normalised_entropy effective_keys keys_90 confidence diagonal previous_token next_token "
                 "first_token special_tokens punctuation same_token distance received sink_share").split()
        self.sums = {name: Sums(heads, high.get(name, 1.0)) for name in names}
        self.distance_weight = np.zeros((heads, 2 * LENGTH - 1))
        self.distance_pairs = np.zeros(2 * LENGTH - 1)
        self.received = np.zeros((heads, vocabulary))
        self.tokens = np.zeros(vocabulary, np.int64)
        self.pairs = [{} for _ in range(heads)]
        self.places = [[] for _ in range(heads)]
        self.divergence = np.zeros((heads, heads))
        self.rows = 0
        self.random = np.random.RandomState(0)

    def add(self, w, ids, tokens, kinds):  # w [A, n, n] float32
        heads, n, _ = w.shape
        rows, everywhere = np.arange(n), np.ones(n, bool)
        # Σ w ln w with 0 ln 0 = 0
        entropy = -(w * np.log(np.maximum(w, 1e-38))).sum(2)
        add = lambda name, values, applies: self.sums[name].add(values, applies, kinds)
        add("entropy", entropy, everywhere)
        add("normalised_entropy", entropy / np.log(n), everywhere)
        add("effective_keys", np.exp(entropy), everywhere)
        held = np.cumsum(-np.sort(-w, axis=2), axis=2)
        add("keys_90", (held < 0.9 * (1 - 1e-6) * held[:, :, -1:]).sum(2) + 1.0, everywhere)
        add("confidence", w.max(2), everywhere)
        add("diagonal", w[:, rows, rows], everywhere)
        add("previous_token", w[:, rows, rows - 1], rows > 0)
        add("next_token", w[:, rows, np.minimum(rows + 1, n - 1)], rows < n - 1)
        add("first_token", w[:, :, 0], everywhere)
        add("special_tokens", w[:, :, kinds == 0].sum(2), everywhere)
        add("punctuation", w[:, :, kinds == 2].sum(2), everywhere)
        same = (ids[:, None] == ids[None, :]) & ~np.eye(n, dtype=bool) & (kinds != 1)[:, None]
        add("same_token", (w * same).sum(2), same.any(1))
        apart = np.abs(rows[:, None] - rows[None, :])
        add("distance", (w * apart).sum(2), everywhere)
        received = w.sum(1)
        most = received.max(1)
        self.sums["received"].add(most[:, None], True)
        self.sums["sink_share"].add((most / received.sum(1))[:, None], True)

        offsets = (rows[None, :] - rows[:, None] + LENGTH - 1).ravel()
        for h in range(heads):
            self.distance_weight[h] += np.bincount(offsets, w[h].ravel(), 2 * LENGTH - 1)
            np.add.at(self.received[h], ids, received[h])
        self.distance_pairs += np.bincount(offsets, minlength=2 * LENGTH - 1)
        np.add.at(self.tokens, ids, 1)

        content = kinds != 0
        visible = w * content
        strongest = visible.argmax(2)
        weight = np.take_along_axis(visible, strongest[:, :, None], 2)[:, :, 0]
        for h in range(heads):
            pairs = self.pairs[h]
            for i in np.flatnonzero(content):
                pair = (ids[i], ids[strongest[h, i]])
                pairs[pair] = pairs.get(pair, 0.0) + weight[h, i]
        other = visible * content[:, None] * ~np.eye(n, dtype=bool)
        best = other.reshape(heads, -1).argmax(1)
        for h in range(heads):
            i, j = divmod(best[h], n)
            self.places[h] = sorted(self.places[h] + [(-other[h, i, j], i, j, tuple(tokens[max(0, i - 6):i + 7]))])[:20]

        for i in self.random.choice(n, min(COMPARED, n), replace=False):
            p = w[:, i] / w[:, i].sum(1, keepdims=True)
            own = (p * np.log(np.maximum(p, 1e-38))).sum(1)
            for a in range(heads):
                m = (p[a] + p[a:]) / 2
                self.divergence[a, a:] += (own[a] + own[a:]) / 2 - (m * np.log(np.maximum(m, 1e-38))).sum(1)
            self.rows += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("corpus")
    parser.add_argument("texts", type=int, nargs="?", default=100)
    parser.add_argument("--values")
    arguments = parser.parse_args()
    model, tokenizer = load(arguments.model)
    texts = reviews(arguments.corpus, arguments.texts)
    config = model.config
    study = Study(config.num_hidden_layers * config.num_attention_heads, config.vocab_size)
    cpu, start, forward = time.process_time(), time.perf_counter(), 0.0
    forward_cpu = 0.0
    with torch.inference_mode():
        for first in range(0, len(texts), BATCH):
            batch = tokenizer(texts[first:first + BATCH], truncation=True, max_length=LENGTH, padding=True,
                              return_tensors="pt", return_special_tokens_mask=True)
            before, before_cpu = time.perf_counter(), time.process_time()
            attentions = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                               output_attentions=True).attentions
            forward += time.perf_counter() - before
            forward_cpu += time.process_time() - before_cpu
            for b in range(len(batch["input_ids"])):
                n = int(batch["attention_mask"][b].sum())
                w = torch.stack([layer[b, :, :n, :n] for layer in attentions]).reshape(-1, n, n).numpy()
                ids = batch["input_ids"][b, :n].numpy()
                tokens = tokenizer.convert_ids_to_tokens(ids.tolist())
                kinds = kinds_of(tokens, batch.word_ids(b)[:n], batch["special_tokens_mask"][b, :n].numpy())
                study.add(w, ids, tokens, kinds)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps({"texts": len(texts), "seconds": seconds, "texts_per_second": len(texts) / seconds,
                      "forward_seconds": forward, "cpu_seconds": cpu, "forward_cpu_seconds": forward_cpu,
                      "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
    if arguments.values:
        np.savez(arguments.values, divergence=study.divergence / max(1, study.rows),
                 distances=study.distance_weight / np.maximum(1, study.distance_pairs), tokens=study.tokens,
                 received_by_token=study.received, **{name: sums.mean() for name, sums in study.sums.items()},
                 **{name + ".kinds": sums.kinds[1] / np.maximum(1, sums.kinds[0]) for name, sums in study.sums.items()})


if __name__ == "__main__":
    main()
