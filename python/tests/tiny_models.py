"""Tiny random models of many architectures of transformers, with inputs for them."""

import torch
import transformers

_TEXT = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_GROUPED = {**_TEXT, "num_key_value_heads": 2, "head_dim": 8}
_WINDOW = {"sliding_window": 4}
_BART = {"vocab_size": 64, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": 2}
_VISION = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 16,
           "patch_size": 4, "num_channels": 3}
_T5 = {"vocab_size": 64, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "pad_token_id": 0,
       "eos_token_id": 2, "decoder_start_token_id": 0}
_GPT2 = {"vocab_size": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 1, "eos_token_id": 2}

# name: (class of the config, class of the model, options, what it reads)
_MODELS = {
    "bert": ("BertConfig", "BertModel", _TEXT, "text"),
    "roberta": ("RobertaConfig", "RobertaModel", _TEXT, "text"),
    "distilbert": ("DistilBertConfig", "DistilBertModel",
                   {"vocab_size": 64, "dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 64}, "text"),
    "electra": ("ElectraConfig", "ElectraModel", {**_TEXT, "embedding_size": 32}, "text"),
    "albert": ("AlbertConfig", "AlbertModel", {**_TEXT, "embedding_size": 32}, "text"),
    "modernbert": ("ModernBertConfig", "ModernBertModel", {**_TEXT, "cls_token_id": 1, "sep_token_id": 2, "local_attention": 4,
                   "global_attn_every_n_layers": 2}, "text"),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", _GPT2, "text"),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", _TEXT, "text"),
    "opt": ("OPTConfig", "OPTForCausalLM", {"vocab_size": 64, "hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2,
            "num_attention_heads": 4, "max_position_embeddings": 64, "word_embed_proj_dim": 32}, "text"),
    "llama": ("LlamaConfig", "LlamaForCausalLM", _GROUPED, "text"),
    "mistral": ("MistralConfig", "MistralForCausalLM", {**_GROUPED, **_WINDOW}, "text"),
    "mixtral": ("MixtralConfig", "MixtralForCausalLM", {**_GROUPED, "num_local_experts": 2}, "text"),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", _GROUPED, "text"),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", _GROUPED, "text"),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", _GROUPED, "text"),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", {**_GROUPED, **_WINDOW, "attn_logit_softcapping": 5.0}, "text"),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", {**_GROUPED, **_WINDOW}, "text"),
    "phi": ("PhiConfig", "PhiForCausalLM", _TEXT, "text"),
    "phi3": ("Phi3Config", "Phi3ForCausalLM", _GROUPED, "text"),
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM", _GROUPED, "text"),
    "granite": ("GraniteConfig", "GraniteForCausalLM", _GROUPED, "text"),
    "cohere": ("CohereConfig", "CohereForCausalLM", _GROUPED, "text"),
    "starcoder2": ("Starcoder2Config", "Starcoder2ForCausalLM", _GROUPED, "text"),
    "smollm3": ("SmolLM3Config", "SmolLM3ForCausalLM", _GROUPED, "text"),
    "gpt_oss": ("GptOssConfig", "GptOssForCausalLM", {**_GROUPED, **_WINDOW, "num_local_experts": 2, "num_experts_per_tok": 1}, "text"),
    "t5": ("T5Config", "T5ForConditionalGeneration", _T5, "pair"),
    "bart": ("BartConfig", "BartForConditionalGeneration", _BART, "pair"),
    "marian": ("MarianConfig", "MarianMTModel", _BART, "pair"),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", _BART, "pair"),
    "pegasus": ("PegasusConfig", "PegasusForConditionalGeneration", _BART, "pair"),
    "whisper": ("WhisperConfig", "WhisperForConditionalGeneration", {**_BART, "num_mel_bins": 8, "max_source_positions": 12,
                "max_target_positions": 32, "suppress_tokens": None, "begin_suppress_tokens": None}, "sound"),
    "vit": ("ViTConfig", "ViTModel", _VISION, "picture"),
    "deit": ("DeiTConfig", "DeiTModel", _VISION, "picture"),
    "dinov2": ("Dinov2Config", "Dinov2Model", {**_VISION, "mlp_ratio": 2}, "picture"),
    "siglip_vision": ("SiglipVisionConfig", "SiglipVisionModel", _VISION, "picture"),
    "clip_vision": ("CLIPVisionConfig", "CLIPVisionModel", _VISION, "picture"),
    "clip_text": ("CLIPTextConfig", "CLIPTextModel", _TEXT, "text"),
}
TINY = list(_MODELS)


def make(name):
    """(model in evaluation mode, inputs): the weights are large enough that attention is not uniform."""
    config_name, model_name, options, reads = _MODELS[name]
    torch.manual_seed(7)
    config = getattr(transformers, config_name)(**options)
    model = getattr(transformers, model_name)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(torch.randn_like(parameter) * (2.0 / parameter.shape[-1]) ** 0.5)
    ids = torch.randint(3, 64, (2, 9))
    if reads == "text":
        inputs = {"input_ids": ids}
    elif reads == "pair":
        inputs = {"input_ids": ids, "decoder_input_ids": torch.randint(3, 64, (2, 6))}
    elif reads == "sound":
        inputs = {"input_features": torch.randn(2, 8, 24), "decoder_input_ids": torch.randint(3, 64, (2, 6))}
    else:
        inputs = {"pixel_values": torch.randn(2, 3, 16, 16)}
    return model, inputs
