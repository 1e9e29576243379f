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
  Text title;
  void (*run)(const Context&, int digits);
};

const std::vector<Demo>& all_demos() {
  static const std::vector<Demo> demos = {
      {"qkv",
       {"queries, keys, values: one query by hand, and two exercises", "Q、K、V：手算一个查询，加两道练习"},
       demo_qkv},
      {"self-attention",
       {"self-attention from X, W_q, W_k, W_v", "自注意力：从 X、W_q、W_k、W_v 算起"},
       demo_self_attention},
      {"words",
       {"sentences of small word vectors, read word by word", "用小词向量表示的句子，逐词解读"},
       demo_words},
      {"scaling",
       {"why the scores are divided by √d_k, measured", "为什么要除以 √d_k：实测"},
       demo_scaling},
      {"causal", {"no word sees a later one", "因果掩码：看不到后面的词"}, demo_causal},
      {"masks", {"every kind of mask, and how they combine", "各种掩码及其组合"}, demo_masks},
      {"multi-head", {"several heads, side by side", "多个头并排对比"}, demo_multi_head},
      {"cross",
       {"cross-attention: one sentence looks at another", "交叉注意力：一句话看另一句话"},
       demo_cross},
      {"shapes", {"the shape of every tensor along the way", "每一步张量的形状"}, demo_shapes},
      {"linear", {"linear attention: without the N×M matrix", "线性注意力：不需要 N×M 矩阵"}, demo_linear},
      {"visualize",
       {"the tutorials' pictures: heatmaps, eight heads, the sparse mask",
        "教程中的图：热力图、八个头、稀疏掩码"},
       [](const Context& context, int) { demo_visualize(context, std::nullopt); }},
  };
  return demos;
}

class DemoCommand final : public Command {
 public:
  std::string name() const override { return "demo"; }
  Text summary() const override {
    return {"worked examples of attention: demo lists them, demo all shows them all",
            "注意力示例：demo 列出，demo all 全部演示"};
  }
  Text description() const override {
    std::vector<std::string> names;
    for (const Demo& demo : all_demos()) names.push_back(demo.name);
    return {fmt::format("NAME is one or more of {}, or all. Without a name they are listed.",
                        fmt::join(names, ", ")),
            fmt::format("NAME 可取一个或多个：{}，或 all。不带名称时列出全部。", fmt::join(names, "、"))};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea demo qkv", {"one query, three keys, every step", "一个查询、三个键，每一步"}},
            {"fovea demo all --lang zh", {"everything, in Chinese", "全部演示，中文"}},
            {"fovea demo masks causal", {"two of them", "其中两个"}},
            {"fovea demo visualize -o pictures",
             {"the tutorials' pictures, as PNG too", "教程中的图，同时写成 PNG"}},
            {"fovea demo scaling --json", {"the measurement, for a program", "测量数据，供程序读取"}}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("NAME", 0, 100, names_, {"what to show", "要演示的内容"});
    options.integer("--digits", "D", digits_, 0, 17, {"decimals; default: 8", "小数位数；默认 8"});
    options.path("-o,--output", "FOLDER", folder_,
                 {"of visualize: where its PNG files go; default: here (with all: not written)",
                  "visualize 的 PNG 文件写入的文件夹；默认当前文件夹（all 时不写）"});
    options.flag("--json", json_, {"of scaling and shapes, for programs", "scaling 和 shapes 的 JSON"});
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
      context.heading({fmt::format("demo {} · {}", demo->name, demo->title.en),
                       fmt::format("demo {} · {}", demo->name, demo->title.zh)});
      const bool named = std::find(names_.begin(), names_.end(), demo->name) != names_.end();
      if (demo->name == "visualize" && (named || folder_)) {
        demo_visualize(context, folder_.value_or("."));
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
        if (wanted == "all" || wanted == demo.name) result.push_back(&demo);
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
            "--json: for one of scaling and shapes; fovea explain --example ID --json gives accounts, "
            "fovea mask EXPR --json masks");
      }
    }
    if (names_.empty()) throw UsageError("--json: of which demo? scaling or shapes");
  }

  static void print_list(const Context& context) {
    const auto print_entry = [&](const std::string& name, const Text& title) {
      context.line(fmt::format("  fovea demo {}{}", pad_right(name, 17), context.say(title)));
    };
    for (const Demo& demo : all_demos()) {
      print_entry(demo.name, demo.title);
    }
    print_entry("all", {"all of them, in this order", "按此顺序全部演示"});
  }

  std::vector<std::string> names_;
  std::optional<Index> digits_;
  std::optional<std::string> folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo_command() { return std::make_unique<DemoCommand>(); }

}  // namespace fovea::command
