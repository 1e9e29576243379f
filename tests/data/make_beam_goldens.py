"""Writes beams.json: what beam search of transformers finds with the models of models/, in double: for each case the prompt, the
options, and all texts with their scores, best first.

    python make_beam_goldens.py        (torch, transformers; made with transformers 5.23, torch 2.15)

Scores that are nearly equal could come in either order; the script fails if there are such.
"""

import json
import pathlib

import torch
import transformers as tf

FOLDER = pathlib.Path(__file__).parent
READERS = ["t5v11", "bart", "bart_apart", "marian", "mbart"]  # encoder-decoder models: 10 inputs each
WRITERS = ["gpt2", "llama"]  # 5 each
torch.manual_seed(5)


def texts_of(found, skip, model):
    """Without what fills them up: the beam's own history tells how long each is."""
    lengths = (found.beam_indices >= 0).sum(dim=1).tolist()
    return [text[skip: skip + length].tolist() for text, length in zip(found.sequences, lengths)]


def cases_of(name, count):
    folder = FOLDER / "models" / name
    kind = tf.AutoModelForSeq2SeqLM if name in READERS else tf.AutoModelForCausalLM
    model = kind.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    for number in range(count):
        prompt = torch.randint(3, model.config.vocab_size - 1, (1, 3 + number))
        options = dict(beams=2 + number % 4, length_penalty=[1.0, 0.6, 2.0, 0.0, -0.5][number % 5], early_end=number % 3 == 1,
                       max_tokens=9 + number)
        with torch.no_grad():
            found = model.generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=False, num_beams=options["beams"],
                                   num_return_sequences=options["beams"], length_penalty=options["length_penalty"],
                                   early_stopping=options["early_end"], max_new_tokens=options["max_tokens"],
                                   return_dict_in_generate=True, output_scores=True)
        scores = found.sequences_scores.tolist()
        texts = texts_of(found, 1 if name in READERS else prompt.shape[1], model)
        assert all(a - b > 1e-5 for a, b in zip(scores, scores[1:])), (name, number, scores)
        yield dict(model=name, prompt=prompt[0].tolist(), **options, texts=texts, scores=scores)


cases = [case for name in READERS for case in cases_of(name, 10)] + [case for name in WRITERS for case in cases_of(name, 5)]
(FOLDER / "beams.json").write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
