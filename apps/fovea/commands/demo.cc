// fovea demo: the worked examples of attention, with the true numbers.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/demo/demos.h"
#include "fovea/scaling.h"
#include "fovea/shape_trace.h"

namespace fovea::command {
namespace {

struct Demo {
  std::string name;
  Message title;
  void (*run)(const Context&, int digits);
  // With pictures, in the folder if there is one; none: it has no pictures.
  void (*draw)(const Context&, const std::optional<std::string>& folder) = nullptr;
};

const std::vector<Demo>& all_demos() {
  static const std::vector<Demo> demos = {
      {"qkv", tr("queries, keys, values: one query by hand, and two exercises"), demo_qkv},
      {"self-attention", tr("self-attention from X, W_q, W_k, W_v"), demo_self_attention},
      {"words", tr("sentences made of small word vectors, read word by word"), demo_words},
      {"scaling", tr("why the scores are divided by √d_k, measured"), demo_scaling},
      {"causal", tr("no word sees a later one"), demo_causal},
      {"masks", tr("every kind of mask, and how they combine"), demo_masks},
      {"multi-head", tr("several heads, side by side"), demo_multi_head},
      {"cross", tr("cross-attention: one sentence looks at another"), demo_cross},
      {"shapes", tr("the shape of every tensor along the way"), demo_shapes},
      {"linear", tr("linear attention: without the N×M matrix"), demo_linear},
      {"visualize", tr("the tutorials' pictures: heatmaps, eight heads, the sparse mask"),
       [](const Context& context, int) { demo_visualize(context, std::nullopt); }, demo_visualize},
      {"finds", tr("what trained models find: who 她 is, and which words belong together"),
       [](const Context& context, int) { demo_finds(context, std::nullopt); }, demo_finds},
  };
  return demos;
}

class DemoCommand final : public Command {
 public:
  std::string name() const override { return "demo"; }
  Message summary() const override {
    return tr("worked examples of attention; without a name lists them, demo all runs them all");
  }
  Message description() const override {
    std::vector<std::string> names;
    for (const Demo& demo : all_demos()) names.push_back(demo.name);
    return tr("NAME is one or more of {0}, or all. Without a name they are listed.", names);
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea demo qkv", tr("one query, three keys, every step")},
            {"fovea demo all --lang zh", tr("everything, in Chinese")},
            {"fovea demo masks causal", tr("two of them")},
            {"fovea demo visualize -o pictures", tr("the tutorials' pictures, as PNG too")},
            {"fovea demo finds", tr("who 她 is, before and after training")},
            {"fovea demo scaling --json", tr("the measurement as JSON")}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("NAME", 0, 100, names_, tr("what to show"));
    std::vector<std::string> names = {"all"};
    for (const Demo& demo : all_demos()) names.push_back(demo.name);
    options.suggest(std::move(names));
    options.integer("--digits", "D", digits_, 0, 17, tr("decimals; default: 8"));
    options.path("-o,--output", "FOLDER", folder_,
                 tr("visualize, finds: folder for the PNG files; default for visualize: the current one "
                    "(with all: not written)"));
    options.flag("--json", json_, tr("scaling and shapes: machine-readable"));
  }
  void run(const Context& context) override {
    if (json_) {
      print_json(context);
      return;
    }
    if (names_.empty()) {
      print_list(context);
      return;
    }
    for (const Demo* demo : chosen()) {
      context.heading(tr("demo {0} · {1}", demo->name, demo->title));
      const bool named = std::find(names_.begin(), names_.end(), demo->name) != names_.end();
      if (demo->draw != nullptr && (folder_ || (named && demo->name == "visualize"))) {
        demo->draw(context, folder_.value_or("."));
      } else {
        demo->run(context, static_cast<int>(digits_.value_or(8)));
      }
    }
  }

 private:
  std::vector<const Demo*> chosen() const {
    std::vector<const Demo*> result;
    for (const std::string& wanted : names_) {
      const std::size_t before = result.size();
      for (const Demo& demo : all_demos()) {
        const bool example = demo.name != "finds";  // thousands of sentences through models: seconds
        if (wanted == demo.name || (wanted == "all" && example)) result.push_back(&demo);
      }
      if (result.size() > before) continue;
      throw UsageError(fmt::format("there is no demo \"{}\"; fovea demo lists them", one_line(wanted)));
    }
    return result;
  }

  void print_json(const Context& context) const {
    for (const Demo* demo : chosen()) {
      if (names_.size() == 1 && demo->name == "scaling") {
        context.print(to_json(scaling_experiment()) + "\n");
      } else if (names_.size() == 1 && demo->name == "shapes") {
        context.print(to_json(trace_shapes()) + "\n");
      } else {
        throw UsageError(
            "--json: only for scaling or shapes; use fovea explain --example ID --json for worked "
            "examples, fovea mask EXPR --json for masks");
      }
    }
    if (names_.empty()) throw UsageError("--json: name one demo, scaling or shapes");
  }

  static void print_list(const Context& context) {
    const auto print_entry = [&](const std::string& name, const Message& title) {
      context.line(fmt::format("  fovea demo {}{}", pad_right(name, 17), context.say(title)));
    };
    for (const Demo& demo : all_demos()) {
      print_entry(demo.name, demo.title);
    }
    print_entry("all", tr("all of them but finds, in this order"));
  }

  std::vector<std::string> names_;
  std::optional<Index> digits_;
  std::optional<std::string> folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo_command() { return std::make_unique<DemoCommand>(); }

}  // namespace fovea::command
