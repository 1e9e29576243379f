"""Writes models/<name>: tiny models of every layout with random weights, as transformers saves them, and beside each its
golden.safetensors: ids, attentions of every layer and head, hidden states, logits and a greedy continuation, computed by
transformers in double with eager attention.

    python make_model_goldens.py [NAME ..]    (torch, transformers, tokenizers, safetensors; made with transformers 5.22, torch 2.15;
                                               bart, bart_apart, marian, marian_two and mbart with transformers 5.23)

Weights are drawn wide, so that attention is peaked; and rounded to the type they are stored in before anything is computed.
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers as tf
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

FOLDER = pathlib.Path(__file__).parent / "models"
WORDS = "the quick brown fox jumps over lazy dog a cat sat on mat and looked at his hat".split()

small = dict(num_hidden_layers=2, num_attention_heads=4, hidden_size=24, intermediate_size=40)


def bert():
    config = tf.BertConfig(vocab_size=64, max_position_embeddings=32, **small)
    return tf.BertForMaskedLM(config), torch.float32


def roberta():
    config = tf.RobertaConfig(vocab_size=64, max_position_embeddings=34, type_vocab_size=1, pad_token_id=1, **small)
    return tf.RobertaForMaskedLM(config), torch.bfloat16


def distilbert():
    config = tf.DistilBertConfig(vocab_size=64, max_position_embeddings=32, n_layers=2, n_heads=4, dim=24, hidden_dim=40)
    return tf.DistilBertForMaskedLM(config), torch.float16


def gpt2():
    config = tf.GPT2Config(vocab_size=280, n_positions=40, n_embd=24, n_layer=2, n_head=4, eos_token_id=279, bos_token_id=279)
    return tf.GPT2LMHeadModel(config), torch.float16


def llama():
    scaling = dict(rope_type="llama3", rope_theta=10000.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
                   original_max_position_embeddings=16)
    config = tf.LlamaConfig(vocab_size=64, max_position_embeddings=48, num_key_value_heads=2, rope_parameters=scaling,
                            attention_bias=False, tie_word_embeddings=False, **small)
    return tf.LlamaForCausalLM(config), torch.float32


def qwen2():
    config = tf.Qwen2Config(vocab_size=64, max_position_embeddings=48, num_key_value_heads=1, tie_word_embeddings=True,
                            eos_token_id=None, **small)
    return tf.Qwen2ForCausalLM(config), torch.float32


t5_small = dict(vocab_size=64, d_model=24, d_kv=8, d_ff=40, num_layers=2, num_heads=4, relative_attention_num_buckets=8,
                relative_attention_max_distance=12, eos_token_id=1, pad_token_id=0, decoder_start_token_id=0)


def t5():
    config = tf.T5Config(feed_forward_proj="relu", num_decoder_layers=3, **t5_small)
    return tf.T5ForConditionalGeneration(config), torch.bfloat16


def t5v11():
    """As the published v1.1 files are: an output layer of its own, which today's T5Config would tie."""
    config = tf.T5Config(feed_forward_proj="gated-gelu", tie_word_embeddings=False, **t5_small)
    model = tf.T5ForConditionalGeneration(config)
    model.config.tie_word_embeddings = False
    model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.shared.weight))
    return model, torch.float16


bart_small = dict(d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
                  encoder_ffn_dim=40, decoder_ffn_dim=40, max_position_embeddings=32)


def bart():
    """Norms last, learned positions, one table for all; more decoder layers than encoder layers."""
    config = tf.BartConfig(vocab_size=280, activation_function="gelu", **{**bart_small, "decoder_layers": 3})
    return tf.BartForConditionalGeneration(config), torch.float16


def bart_apart():
    """Nothing shared: three tables, other heads and other widths in the decoder; words times √E."""
    sizes = {**bart_small, "decoder_attention_heads": 2, "decoder_ffn_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
    config = tf.BartConfig(vocab_size=64, activation_function="relu", scale_embedding=True, tie_word_embeddings=False, **sizes)
    return tf.BartForConditionalGeneration(config), torch.float32


marian_ids = dict(pad_token_id=63, eos_token_id=0, decoder_start_token_id=63, forced_eos_token_id=0)


def marian():
    config = tf.MarianConfig(vocab_size=64, activation_function="swish", scale_embedding=True, **marian_ids, **bart_small)
    model = tf.MarianMTModel(config)
    model.generation_config.bad_words_ids = [[63]] + [[i, i] for i in range(1, 63)]  # no word twice in a row
    return model, torch.float32


def marian_two():
    """Two vocabularies, and a width that is odd: one sine more than cosines."""
    sizes = {**bart_small, "encoder_layers": 1, "decoder_layers": 1, "d_model": 15, "encoder_attention_heads": 3,
             "decoder_attention_heads": 3}
    config = tf.MarianConfig(vocab_size=64, decoder_vocab_size=48, share_encoder_decoder_embeddings=False,
                             **{**marian_ids, "pad_token_id": 47, "decoder_start_token_id": 47}, **sizes)
    return tf.MarianMTModel(config), torch.float32


def mbart():
    """Norms first, and one more at the end."""
    config = tf.MBartConfig(vocab_size=64, activation_function="gelu_new", scale_embedding=True, decoder_start_token_id=2,
                            **bart_small)
    model = tf.MBartForConditionalGeneration(config)
    model.generation_config.forced_bos_token_id = 5
    return model, torch.bfloat16


def draw_weights(name, model, dtype):
    numbers = list(model.named_parameters())
    numbers += [(name, buffer) for name, buffer in model.named_buffers() if name == "final_logits_bias"]
    for place, parameter in numbers:
        if model.config.model_type == "marian" and "embed_positions" in place:
            continue  # sinusoids
        scale = 0.3
        if "embed" in place or "wte" in place or "shared" in place:
            scale = 0.6
        # Else they repeat one word. Not larger than 0.45: from there on float32 is off by more than the tests allow,
        # PyTorch's as well (docs/models.md).
        if model.config.model_type in ("bart", "marian", "mbart"):
            scale = 0.1 if place.endswith("bias") else 0.45
            if place.startswith("model.shared") or "embed_tokens" in place:
                scale = 0.2 if model.config.scale_embedding else 0.6
        drawn = torch.randn_like(parameter) * scale
        if "norm" in place.lower() and place.endswith("weight") or ".ln_" in place and place.endswith("weight"):
            drawn = 1 + drawn
        parameter.data = drawn.to(dtype).float()
    if model.config.model_type in ("bart", "marian", "mbart"):
        model.final_logits_bias[0, model.config.eos_token_id] += 3 if name == "marian" else 1  # texts end now and then
    model.tie_weights()


def batch(vocabulary, pad, pairs):
    """Three sequences of 11, 7 and 9 tokens, filled up with pads; the second segment starts in the middle."""
    lengths = [11, 7, 9]
    ids = torch.full((3, 11), pad)
    real, segments = torch.zeros(3, 11, dtype=torch.long), torch.zeros(3, 11, dtype=torch.long)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(3, vocabulary - 1, (length,))
        real[row, :length] = 1
        if pairs:
            segments[row, length // 2: length] = 1
    return ids, real, segments


def golden(name, model):
    encoder_decoder = model.config.is_encoder_decoder
    causal = hasattr(model, "generate") and model.can_generate() and not encoder_decoder
    pad = model.config.pad_token_id if model.config.pad_token_id is not None else 0
    ids, real, segments = batch(model.config.vocab_size, pad, name == "bert")
    inputs = dict(input_ids=ids, attention_mask=real)
    if name == "bert":
        inputs["token_type_ids"] = segments
    tensors = dict(ids=ids, real=real, segments=segments)
    if encoder_decoder:
        words = model.get_output_embeddings().weight.shape[0]
        inputs["decoder_input_ids"] = tensors["decoder_ids"] = torch.randint(2, min(60, words), (3, 6))
    with torch.no_grad():
        out = model(**inputs, output_attentions=True, output_hidden_states=True)
        if encoder_decoder:
            for kind in ("encoder", "decoder", "cross"):
                tensors[f"{kind}_attentions"] = torch.stack(getattr(out, f"{kind}_attentions"))
            tensors["encoder_hidden"] = out.encoder_last_hidden_state
            tensors["hidden"] = out.decoder_hidden_states[-1]
        else:
            tensors["attentions"] = torch.stack(out.attentions)
            tensors["hidden"] = out.hidden_states[-1]
        tensors["logits"] = out.logits
        if causal or encoder_decoder:
            model.generation_config.forced_eos_token_id = None
            generated = model.generate(ids[:1], max_new_tokens=16, do_sample=False, eos_token_id=-1, use_cache=False,
                                       attention_mask=torch.ones_like(ids[:1]))
            tensors["generated"] = generated[0, 1 if encoder_decoder else 11:]
    return {k: (v.float() if v.is_floating_point() else v).contiguous() for k, v in tensors.items()}


def write_tokenizer(name, folder):
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    if name == "bart":
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("o", "x"), ("a", "t"), ("c", "at"), ("Ġ", "cat")]
        tokens = ["<s>", "<pad>", "</s>", "<unk>"] + alphabet + ["".join(merge) for merge in merges] + ["<mask>"]
        tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
        tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True,
                                                                add_prefix_space=False)
        tokenizer.save(str(folder / "tokenizer.json"))
    elif name in ("bert", "distilbert"):
        specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        vocabulary = specials + WORDS + ["."] + letters[:10] + ["##" + letter for letter in letters]
        (folder / "vocab.txt").write_text("\n".join(vocabulary[:64]) + "\n")
    elif name == "gpt2":
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("o", "x"), ("a", "t"), ("c", "at"), ("Ġ", "cat")]
        vocabulary = {token: i for i, token in enumerate(alphabet + ["".join(merge) for merge in merges])}
        vocabulary["<|endoftext|>"] = 279
        (folder / "vocab.json").write_text(json.dumps(vocabulary))
        (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(" ".join(merge) for merge in merges) + "\n")
    elif name.startswith("t5"):
        pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", -10.0), ("▁", -3.0)]
        pieces += [("▁" + word, -4.0) for word in WORDS] + [(letter, -6.0) for letter in letters] + [(".", -4.0)]
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        tokenizer.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
        tokenizer.save(str(folder / "tokenizer.json"))


for number, make in enumerate((bert, roberta, distilbert, gpt2, llama, qwen2, t5, t5v11, bart, bart_apart, marian, marian_two,
                               mbart)):
    torch.manual_seed(number)
    name = make.__name__
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    model, dtype = make()
    draw_weights(name, model, dtype)
    model.eval()
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype).save_pretrained(folder, max_shard_size="20KB" if name == "qwen2" else "1GB")
    if name not in ("marian", "mbart"):
        (folder / "generation_config.json").unlink(missing_ok=True)
    if name == "t5v11":
        config = json.loads((folder / "config.json").read_text())
        del config["scale_decoder_outputs"]
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    model.double().set_attn_implementation("eager")
    save_file(golden(name, model), folder / "golden.safetensors")
    write_tokenizer(name, folder)
    for file in folder.iterdir():
        file.chmod(0o644)
