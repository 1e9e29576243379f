#include "fovea/places.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/fail.h"
#include "fovea/activations.h"
#include "fovea/render.h"
#include "fovea/tokenizer.h"
#include "io/messages.h"

namespace fovea {
namespace {

constexpr const char* kHeadForms = "heads such as L2H3, L4H* or cross.L1H0";
constexpr const char* kActivationForms =
    "an activation such as L2.resid_post, L2H1.v or blocks.2.attn.hook_v";

[[noreturn]] void not_a_place(const std::string& got, const char* expected) {
  fail("[places] got {}, expected {}", in_quotes(got), expected);
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Index> take_number(std::string_view& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<AttentionKind> take_kind(std::string_view& text) {
  if (take(text, "enc.")) return AttentionKind::encoder;
  if (take(text, "dec.")) return AttentionKind::decoder;
  if (take(text, "cross.")) return AttentionKind::cross;
  return std::nullopt;
}

AttentionKind only_kind(const std::string& text, const ModelConfig& config) {
  if (config.is_encoder_decoder()) {
    fail(
        "[places] {}: this model has three kinds of attention; write enc., dec. or cross. before the layer",
        in_quotes(text));
  }
  return config.has_decoder() ? AttentionKind::decoder : AttentionKind::encoder;
}

void check_layer_of(const std::string& text, AttentionKind kind, Index layer, const ModelConfig& config) {
  const Index layers = config.attention_layers(kind);
  if (layer < layers) return;
  fail("[places] {}: the model has {}", in_quotes(text),
       layers == 0 ? fmt::format("no {} layers", to_string(kind))
                   : fmt::format("{} layers 0 to {}", to_string(kind), layers - 1));
}

// "3" or "*" after a letter; -1 for *.
std::optional<Index> take_letter(std::string_view& text, char letter) {
  std::string_view rest = text;
  if (rest.empty() || (rest.front() | 0x20) != (letter | 0x20)) return std::nullopt;
  rest.remove_prefix(1);
  std::optional<Index> number = take(rest, "*") ? Index{-1} : take_number(rest);
  if (number) text = rest;
  return number;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items(1);
  for (const char c : list) {
    if (c == ',') {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

std::vector<HeadPlace> heads_of(const std::string& text, const ModelConfig& config) {
  std::string_view rest = text;
  const std::optional<AttentionKind> named = take_kind(rest);
  const std::optional<Index> layer = take_letter(rest, 'L');
  const std::optional<Index> head = layer ? take_letter(rest, 'H') : std::nullopt;
  if (!layer || !head || !rest.empty()) not_a_place(text, kHeadForms);
  const AttentionKind kind = named ? *named : only_kind(text, config);
  check_layer_of(text, kind, std::max<Index>(*layer, 0), config);
  std::vector<HeadPlace> places;
  const Index last = *layer < 0 ? config.attention_layers(kind) - 1 : *layer;
  for (Index i = std::max<Index>(*layer, 0); i <= last; ++i) {
    places.push_back({kind, i, *head < 0 ? std::vector<Index>() : std::vector<Index>{*head}});
  }
  return places;
}

// "▁cat" and "Ġcat" are " cat".
std::string spaced(std::string_view token) {
  std::string text(token);
  for (const std::string_view mark : {std::string_view("▁"), std::string_view("Ġ")}) {
    if (text.starts_with(mark)) text.replace(0, mark.size(), 1, ' ');
  }
  return text;
}

std::string bare(std::string_view token) {
  std::string text = spaced(token);
  if (text.starts_with("##")) text.erase(0, 2);
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::vector<Index> matches(const std::string& name, const std::vector<std::string>& tokens) {
  for (int pass = 0; pass < 3; ++pass) {  // as it is, with its space, without any mark
    std::vector<Index> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string letters = token_in_letters(tokens[i]);
      const bool same = pass == 0   ? tokens[i] == name || letters == name
                        : pass == 1 ? spaced(letters) == name
                                    : !name.empty() && bare(letters) == name;
      if (same) found.push_back(static_cast<Index>(i));
    }
    if (!found.empty()) return found;
  }
  return {};
}

struct HookName {
  const char* name;
  ActivationSite site;
};
constexpr HookName kHooks[] = {
    {"hook_resid_pre", ActivationSite::resid_pre},
    {"hook_resid_mid", ActivationSite::resid_mid},
    {"hook_resid_mid_cross", ActivationSite::resid_cross},
    {"hook_resid_post", ActivationSite::resid_post},
    {"hook_normalized_resid_mid", ActivationSite::resid_mid},
    {"hook_normalized_resid_post", ActivationSite::resid_post},
    {"attn.hook_q", ActivationSite::projected_q},
    {"attn.hook_k", ActivationSite::projected_k},
    {"attn.hook_rot_q", ActivationSite::q},
    {"attn.hook_rot_k", ActivationSite::k},
    {"attn.hook_v", ActivationSite::v},
    {"attn.hook_z", ActivationSite::z},
    {"attn.hook_pattern", ActivationSite::pattern},
};

// "blocks.3.attn.hook_q", "encoder.0.hook_resid_post", "decoder.1.cross_attn.hook_v".
std::optional<ActivationPlace> parse_hook(const std::string& text, const ModelConfig& config) {
  std::string_view rest = text;
  std::optional<AttentionKind> kind;
  if (take(rest, "encoder.")) {
    kind = AttentionKind::encoder;
  } else if (take(rest, "decoder.")) {
    kind = AttentionKind::decoder;
  } else if (!take(rest, "blocks.")) {
    return std::nullopt;
  }
  const std::optional<Index> layer = take_number(rest);
  if (!layer || !take(rest, ".")) not_a_place(text, kActivationForms);
  if (!kind) kind = only_kind(text, config);
  std::string name(rest);
  if (name.starts_with("cross_")) {
    kind = AttentionKind::cross;
    name.erase(0, 6);
  }
  for (const HookName& hook : kHooks) {
    if (name != hook.name) continue;
    check_layer_of(text, *kind, *layer, config);
    return ActivationPlace{hook.site, *kind, *layer, {}};
  }
  std::string known;
  for (const HookName& hook : kHooks) known += (known.empty() ? "" : ", ") + std::string(hook.name);
  fail("[places] {}: after the layer expected one of {}", in_quotes(text), known);
}

// An activation of another run takes the place of one of this run, position by position.
void check_as_long(const char* what, const Ids& here, const Ids& there) {
  if (here.shape() == there.shape()) return;
  fail("[places] patches: the {} has {} tokens, that of the other run {}: they must agree", what,
       here.shape().elements(), there.shape().elements());
}

}  // namespace

std::vector<HeadPlace> parse_heads(const std::string& list, const ModelConfig& config) {
  std::vector<HeadPlace> places;
  for (const std::string& item : split(list)) {
    for (HeadPlace& place : heads_of(item, config)) places.push_back(std::move(place));
  }
  return places;
}

Intervention parse_edges(const std::string& edges, const ModelConfig& config, const Run& run) {
  const std::size_t colon = edges.find(':');
  const std::size_t arrow = edges.find("->", colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || arrow == std::string::npos) {
    not_a_place(edges, "edges such as L3H*:sat->cat or L3H1:7->2");
  }
  const std::string query = edges.substr(colon + 1, arrow - colon - 1), key = edges.substr(arrow + 2);
  Intervention all;
  for (const HeadPlace& heads : parse_heads(edges.substr(0, colon), config)) {
    const LayerView& layer = run.layer(heads.kind, heads.layer);
    const Index n = layer.queries(), m = layer.keys();
    const Index i = query == "*" ? -1 : parse_position(query, run.query_tokens(heads.kind));
    const Index j = key == "*" ? -1 : parse_position(key, run.key_tokens(heads.kind));
    Flags visible = Flags::filled({n, m}, 1);
    for (Index row = 0; row < n; ++row) {
      for (Index column = 0; column < m; ++column) {
        if ((i < 0 || i == row) && (j < 0 || j == column)) visible(row, column) = 0;
      }
    }
    all = all & Intervention::hide(heads, Mask::dense(visible));
  }
  return all;
}

ActivationPlace parse_activation(const std::string& name, const ModelConfig& config) {
  if (std::optional<ActivationPlace> hook = parse_hook(name, config)) return *hook;
  std::string_view rest = name;
  const std::optional<AttentionKind> named = take_kind(rest);
  const std::optional<Index> layer = take_letter(rest, 'L');
  if (!layer || *layer < 0) not_a_place(name, kActivationForms);
  const std::optional<Index> head = take_letter(rest, 'H');
  if (!take(rest, ".")) not_a_place(name, kActivationForms);
  ActivationPlace place;
  place.kind = named ? *named : only_kind(name, config);
  place.layer = *layer;
  if (head && *head >= 0) place.heads = {*head};
  std::string known;
  bool found = false;
  for (int i = 0; i <= static_cast<int>(ActivationSite::pattern); ++i) {
    const auto site = static_cast<ActivationSite>(i);
    known += (known.empty() ? "" : ", ") + std::string(to_string(site));
    if (rest != to_string(site)) continue;
    place.site = site;
    found = true;
  }
  if (!found) fail("[places] {}: after the point expected one of {}", in_quotes(name), known);
  if (place.is_stream() && head) fail("[places] {}: a stream has no heads", in_quotes(name));
  if (place.is_stream() && place.kind == AttentionKind::cross) {
    fail("[places] {}: streams are of enc. or dec.", in_quotes(name));
  }
  check_layer_of(name, place.kind, place.layer, config);
  return place;
}

PatchPlace parse_patch(const std::string& patch, const ModelConfig& config, const Run& run) {
  const std::size_t at = patch.find('@');
  PatchPlace result{parse_activation(patch.substr(0, at), config), {}};
  // Rotations are the same at the same position: replacing before them or after is one thing.
  ActivationSite& site = result.place.site;
  if (site == ActivationSite::projected_q) site = ActivationSite::q;
  if (site == ActivationSite::projected_k) site = ActivationSite::k;
  if (at == std::string::npos) return result;
  const bool keys = site == ActivationSite::k || site == ActivationSite::v;
  const AttentionKind kind = result.place.kind;
  const std::vector<std::string> tokens = keys ? run.key_tokens(kind) : run.query_tokens(kind);
  for (const std::string& name : split(patch.substr(at + 1))) {
    result.positions.push_back(parse_position(name, tokens));
  }
  return result;
}

Intervention parse_patches(const std::vector<std::string>& patches, const TextModel& model,
                           const TextRun& run, const TextRun& from) {
  check_as_long("text", run.input.ids, from.input.ids);
  check_as_long("second text", run.input.decoder_ids, from.input.decoder_ids);
  Intervention all;
  for (const std::string& patch : patches) {
    const PatchPlace place = parse_patch(patch, model.model().config(), run.run);
    ActivationPlace whole = place.place;
    whole.heads.clear();
    all = all & Intervention::replace(place.place,
                                      std::move(activations(model.model(), from.input, {whole}).front()),
                                      place.positions);
  }
  return all;
}

Index parse_position(const std::string& name, const std::vector<std::string>& tokens) {
  std::string_view rest = name;
  const std::optional<Index> number = take_number(rest);
  const auto count = static_cast<Index>(tokens.size());
  if (number && rest.empty()) {
    if (*number < count) return *number;
    fail("[places] position {}: there are {} tokens, 0 to {}", *number, count, count - 1);
  }
  const bool quoted = name.size() > 2 && name.front() == '"' && name.back() == '"';
  const std::string token = quoted ? name.substr(1, name.size() - 2) : name;
  const std::vector<Index> found = matches(token, tokens);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    fail("[places] there is no token {} in the text; its tokens are {}", in_quotes(token),
         listed(tokens, 40));
  }
  std::string positions;
  for (const Index i : found) positions += (positions.empty() ? "" : ", ") + std::to_string(i);
  fail("[places] the token {} occurs {} times, at {}: name its position", in_quotes(token), found.size(),
       positions);
}

Index one_token(const TextModel& model, const std::string& text) {
  const Tokenizer& tokenizer = model.target_tokenizer();
  std::vector<std::string> forms = {text};
  if (text.starts_with(" ")) forms = {"▁" + text.substr(1), "Ġ" + text.substr(1), text};
  for (const std::string& form : forms) {
    if (const std::optional<Index> id = tokenizer.token_to_id(form)) return *id;
  }
  EncodeOptions options;
  options.add_special_tokens = false;
  const Encoding encoding = tokenizer.encode(text, options);
  if (encoding.ids.size() == 1 && encoding.unknown.empty()) return encoding.ids.front();
  fail("[places] {} is not one token of this model, but {}: {}", in_quotes(text), encoding.ids.size(),
       listed(encoding.tokens, 10, " · "));
}

}  // namespace fovea
