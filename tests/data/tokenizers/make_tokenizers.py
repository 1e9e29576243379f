#!/usr/bin/env python3
"""Trains the small tokenizers of this folder and writes what the library `tokenizers` makes of some texts.

    python3 tests/data/tokenizers/make_tokenizers.py     needs tokenizers and sentencepiece (PyPI)

The training text is the list of samples in scripts/compare_tokenizers and the project's own README files.
expected_<name>.json: the ids of every text; of every third among the first 45 the offsets in characters and
the decoded text, of every fourth the words; ids of pairs.
"""
import importlib.machinery
import importlib.util
import io
import json
import pathlib

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def load_compare():
    loader = importlib.machinery.SourceFileLoader("compare_tokenizers", str(ROOT / "scripts/compare_tokenizers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_tokenizers", loader))
    loader.exec_module(module)
    return module


COMPARE = load_compare()
TRAINING = COMPARE.SAMPLES + [line for name in ("README.md", "README.zh.md")
                              for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]


def texts():
    chosen = [text for text in COMPARE.corpus(400, None) if len(text) <= 400]
    return [text[:60] for text in chosen[:50]] + [text[:25] for text in chosen[50:120]]


def word_piece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(TRAINING, trainers.WordPieceTrainer(
        vocab_size=700, limit_alphabet=220, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def byte_level(pre_tokenizer, special):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=special, show_progress=False))
    return tokenizer


def roberta():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), ["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True,
                                                            add_prefix_space=False)
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    return tokenizer


def llama3():
    tokenizer = byte_level(pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]), ["<|begin_of_text|>", "<|eot_id|>"])
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
                                      special_tokens=[("<|begin_of_text|>", 0)])])
    data = json.loads(tokenizer.to_str())
    data["model"]["ignore_merges"] = True
    return Tokenizer.from_str(json.dumps(data))


def llama2():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    words = [word for line in TRAINING for word in line.split(" ")]
    tokenizer.train_from_iterator(words, trainers.BpeTrainer(
        vocab_size=500, limit_alphabet=180, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False))
    data = json.loads(tokenizer.to_str())
    for byte in range(256):
        data["model"]["vocab"][f"<0x{byte:02X}>"] = len(data["model"]["vocab"])
    data["model"]["byte_fallback"] = True
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1",
                                                             special_tokens=[("<s>", 1)])
    return tokenizer


def train_sentence_piece(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TRAINING), model_writer=model, minloglevel=2,
                                             hard_vocab_limit=False, num_threads=1, **options)
    return model.getvalue()


# The rules that come with SentencePiece take 240 kB. A few will do here: SOURCE and TARGET in hexadecimal.
RULES = "\n".join(f"{' '.join(f'{ord(c):X}' for c in a)}\t{' '.join(f'{ord(c):X}' for c in b)}" for a, b in [
    ("\t", " "), ("\n", " "), ("\r", " "), ("\u00a0", " "), ("\u3000", " "), ("\u2003", " "), ("ﬁ", "fi"), ("ﬂ", "fl"),
    ("…", "..."), ("½", "1⁄2"), ("\u212b", "\u00c5"), ("e\u0301", "é"), ("a\u0323\u0302", "ậ"), ("㍿", "株式会社"), ("\u200b", " "),
    ("™", "TM"), ("\x01", ""), ("\x02", ""), ("２", "2"), ("０", "0"), ("４", "4"), ("\u00ad", "")])


def t5():
    rules = HERE / "rules.tsv"
    rules.write_text(RULES + "\n", encoding="utf-8")
    model = train_sentence_piece(model_type="unigram", vocab_size=900, pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                                 character_coverage=0.98, normalization_rule_tsv=str(rules))
    rules.unlink()
    (HERE / "spiece.model").write_bytes(model)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    pieces = [(piece.piece, piece.score) for piece in proto.pieces]
    pieces += [(f"<extra_id_{i}>", 0.0) for i in range(99, -1, -1)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.normalizer = normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                             special_tokens=[("</s>", 1)])
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"] + [f"<extra_id_{i}>" for i in range(100)])
    return tokenizer


def other_parts():
    """What no family uses alone: further normalisers and pre-tokenisers, added tokens of every kind."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Nmt(), normalizers.NFKD(), normalizers.Lowercase(), normalizers.Strip(),
        normalizers.Replace(Regex(" {2,}"), " "), normalizers.Replace("ß", "ss")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Punctuation("merged_with_previous"), pre_tokenizers.Split("o", "merged_with_next")])
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(
        vocab_size=300, limit_alphabet=150, special_tokens=["<unk>", "[CLS]", "[SEP]"], show_progress=False))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.add_tokens([AddedToken("fox", single_word=True), AddedToken("quick", normalized=True),
                          AddedToken("lazy", rstrip=True, lstrip=True, normalized=False)])
    return tokenizer


def write(name, tokenizer):
    data = json.loads(tokenizer.to_str())
    (HERE / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    chosen = texts()
    singles = [tokenizer.encode(text) for text in chosen]
    pairs = [tokenizer.encode(a, b) for a, b in zip(chosen[60:72], chosen[72:84])]
    expected = {
        "ids": [encoding.ids for encoding in singles],
        "characters": [[x for span in encoding.offsets for x in span] for encoding in singles[:45:3]],
        "word_ids": [[-1 if w is None else w for w in encoding.word_ids] for encoding in singles[:45:4]],
        "decoded": [tokenizer.decode(encoding.ids) for encoding in singles[:45:3]],
        "pair_ids": [encoding.ids for encoding in pairs],
        "pair_type_ids": [encoding.type_ids for encoding in pairs[:5]]}
    lines = ",\n".join(f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
                       for key, value in expected.items())
    (HERE / f"expected_{name}.json").write_text("{" + lines + "}\n", encoding="utf-8")


def write_plain_files():
    vocab = json.loads((HERE / "word_piece.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (HERE / "vocab.txt").write_text("".join(token + "\n" for token in sorted(vocab, key=vocab.get)), encoding="utf-8")
    model = json.loads((HERE / "roberta.json").read_text(encoding="utf-8"))["model"]
    vocab = dict(model["vocab"])
    vocab["<mask>"] = len(vocab)
    (HERE / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    (HERE / "merges.txt").write_text("#version: 0.2\n" + "".join(merge + "\n" for merge in merges), encoding="utf-8")


def write_llama_model():
    """tokenizer.model of Llama's kind; expected ids from sentencepiece itself."""
    model = train_sentence_piece(model_type="bpe", vocab_size=1000, character_coverage=0.98, unk_id=0, bos_id=1, eos_id=2, byte_fallback=True,
                                 normalization_rule_name="identity", remove_extra_whitespaces=False)
    (HERE / "tokenizer.model").write_bytes(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    ids = [[1] + processor.encode(text) for text in texts()]
    (HERE / "expected_llama_model.json").write_text(json.dumps(ids, separators=(",", ":")) + "\n", encoding="utf-8")


def main():
    (HERE / "texts.json").write_text(json.dumps(texts(), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    for name, make in {"word_piece": word_piece, "roberta": roberta, "llama3": llama3, "llama2": llama2, "t5": t5,
                       "other_parts": other_parts}.items():
        write(name, make())
    write_plain_files()
    write_llama_model()


main()
