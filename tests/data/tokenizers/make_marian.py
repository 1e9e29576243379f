#!/usr/bin/env python3
"""Writes marian/, a tokenizer of Marian's kind, and what transformers' MarianTokenizer makes of some texts.

    python3 tests/data/tokenizers/make_marian.py     needs sentencepiece and transformers (PyPI)

source.spm is a Unigram model of README.md with a few rules that normalise, target.spm byte pairs of README.zh.md. vocab.json
has pieces of both, but not all, so that some are unknown; target_vocab.json is for a folder with two
vocabularies. expected.json: ids as source and as target, with one vocabulary and with two; decoded texts.
"""
import io
import json
import pathlib
import tempfile

import sentencepiece
from transformers import MarianTokenizer

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "marian"
# Not those that end in the mark itself: SentencePiece takes it for a space, and drops it.
SAMPLES = [text for text in json.loads((HERE / "texts.json").read_text(encoding="utf-8")) if not text.rstrip().endswith("\u2581")]
# Language codes in front, in the middle, and one that the vocabulary does not have; special tokens; nothing.
TEXTS = SAMPLES + [">>fra<< Hello there.", ">>fra<<Hello", " >>fra<< Hello", "Hello >>fra<< there", ">>xyz<< Hello",
                   ">>fra Hello", ">>fra<<", "a </s> b", "<pad>a<unk> b", "", "  ", "\u2581a \u2581\u2581 b"]
RULES = [("\t", " "), ("\n", " "), ("\u3000", " "), ("ﬁ", "fi"), ("…", "..."), ("e\u0301", "é"), ("２", "2"), ("\u00ad", "")]


def train(name, texts, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_writer=model, minloglevel=2, num_threads=1,
                                             hard_vocab_limit=False, unk_id=0, bos_id=1, eos_id=2, **options)
    (FOLDER / name).write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]


def lines(name):
    return (HERE.parents[2] / name).read_text(encoding="utf-8").splitlines()


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def expected(separate, texts):
    tokenizer = MarianTokenizer.from_pretrained(str(FOLDER), separate_vocabs=separate)
    source = [tokenizer(text)["input_ids"] for text in texts]
    target = [tokenizer(text_target=text)["input_ids"] for text in texts]
    return {"source": source, "target": target,
            "decoded": [tokenizer.decode(ids, skip_special_tokens=True, use_source_tokenizer=False,
                                         clean_up_tokenization_spaces=False) for ids in target],
            "pair": tokenizer(SAMPLES[0], SAMPLES[1])["input_ids"]}


def main():
    FOLDER.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as rules:
        for text, becomes in RULES:
            rules.write("\t".join(" ".join(f"{ord(c):X}" for c in side) for side in (text, becomes)) + "\n")
        rules.flush()
        source = train("source.spm", lines("README.md"), model_type="unigram", vocab_size=300, character_coverage=0.98,
                       normalization_rule_tsv=rules.name)
    target = train("target.spm", lines("README.zh.md"), model_type="bpe", vocab_size=700, character_coverage=0.98,
                   normalization_rule_name="identity")
    both = [piece for piece in dict.fromkeys(source + target) if len(piece) == 1 or len(piece) % 5 != 4]
    names = ["</s>", "<unk>", ">>fra<<", *both, "<pad>"]
    write_json(FOLDER / "vocab.json", {name: i for i, name in enumerate(names)})
    write_json(FOLDER / "target_vocab.json", {name: i for i, name in enumerate(["</s>", "<unk>", *target[::-1], "<pad>"])})
    write_json(FOLDER / "expected.json", {"texts": TEXTS, "one": expected(False, TEXTS),
                                       # With two vocabularies, transformers takes the pad that somebody writes from the wrong one.
                                       "two": expected(True, [text.replace("<pad>", "") for text in TEXTS])})


main()
