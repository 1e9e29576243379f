// fovea view: the explorer's page with one text inside, as a single file.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "command.h"
#include "explorer/page_file.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "inputs/model_input.h"
#include "inputs/served_models.h"
#include "inputs/text_argument.h"
#include "words.h"

namespace fovea::command {
namespace {

std::optional<Index> number_of(const std::string& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

// "2.7" or "cross.0.3"; without a kind, the first that there is.
explorer::StepsChoice steps_choice(const std::string& text, const Capture& capture) {
  const std::vector<AttentionKind> kinds = capture.kinds();
  std::vector<std::string> parts = split_list(text, '.');
  explorer::StepsChoice choice;
  choice.kind = kinds.front();
  bool known = parts.size() == 2;
  if (parts.size() == 3) {
    for (const AttentionKind kind : kinds) {
      if (parts[0] != to_string(kind)) continue;
      choice.kind = kind;
      known = true;
    }
    parts.erase(parts.begin());
  }
  const std::optional<Index> layer = known ? number_of(parts[0]) : std::nullopt,
                             head = known ? number_of(parts[1]) : std::nullopt;
  if (!layer || !head) {
    throw UsageError(
        fmt::format("--steps: got \"{}\", expected LAYER.HEAD or KIND.LAYER.HEAD, from 0, such as "
                    "2.7 or {}.0.3",
                    one_line(text), to_string(kinds.back())));
  }
  choice.layer = *layer;
  choice.head = *head;
  return choice;
}

class ViewCommand final : public Command {
 public:
  std::string name() const override { return "view"; }
  Text summary() const override {
    return {"the explorer's page as one file, with the attention of a text inside",
            "把浏览器网页存为单个文件，内含一段文本的注意力"};
  }
  Text description() const override {
    return {
        "TEXT is a text, the name of a file, or - for standard input (none: only the tutorials' examples); "
        "a "
        "second one makes a pair (of an "
        "encoder-decoder model: what it is made to write). The file needs no server and no network: open "
        "it, "
        "send it, put it on a web page. Thumbnails and measures of all heads are always in it; weights as "
        "float16 up to 128 tokens, with 8 bits up to 512, beyond that not at all. It is written whole or "
        "not "
        "at all.",
        "TEXT 是一段文本、文件名，或用 - "
        "表示标准输入（不给则只含教程示例）；第二个与之组成句对（对编码器-解码器模型则是让它写出的文本）。"
        "该文件不需要服务器或网络：可直接打开、发送或放到网页上。所有头的缩略图和度量总在其中；"
        "权重在 128 个词元以内存为 float16，512 个以内存为 8 位，更长则不含。要么完整写出，要么不留文件。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea view --model minilm \"The cat sat on the mat.\" -o cat.html",
             {"one file to open in the browser", "可在浏览器中打开的单个文件"}},
            {"fovea view --model minilm text.txt --steps 0.0,5.3 -o text.html",
             {"with every step of two heads", "并含两个头的每一步"}}};
  }
  void declare(OptionList& options) override {
    options.positional_paths(
        "TEXT", 0, 2, texts_,
        {"texts, files, or -; none: the tutorials' examples", "文本、文件或 -；不给则只含教程示例"});
    declare_model(options, model_);
    options.path("-o,--output", "FILE", output_, {"the page: .html", "网页文件：.html"});
    options.require_last();
    options.text("--steps", "L.H,..", steps_,
                 {"heads whose every step is put in, as LAYER.HEAD; default: 0.0",
                  "写入每一步的头，以 层.头 表示；默认 0.0"});
  }

  void run(const Context& context) override {
    if (!output_->ends_with(".html") && !output_->ends_with(".htm")) {
      throw UsageError(
          fmt::format("--output: got \"{}\", expected a name ending in .html", one_line(*output_)));
    }
    if (texts_.empty()) {
      if (model_) throw UsageError("--model needs a TEXT to read");
      const explorer::PageFile file = page_file(explorer::embedded_page());
      write_file(*output_, file.html);
      print_message(fmt::format("{}: {:.1f} MB", *output_, megabytes(file)));
      return;
    }
    const explorer::PageFile file = file_of_texts();
    write_file(*output_, file.html);
    report(context, file);
  }

 private:
  explorer::PageFile file_of_texts() const {
    const std::vector<explorer::ServedModel> models = served_models(model_);
    explorer::CaptureRequest request{chosen_model(models), {}, {}};
    const auto chosen = std::find_if(models.begin(), models.end(), [&](const explorer::ServedModel& model) {
      return model.id == request.model;
    });
    const std::vector<std::string> texts = texts_of_arguments(texts_);
    request.text = texts[0];
    if (texts.size() == 2) request.second_text = texts[1];
    const explorer::StoredCapture stored = capture_text(TextModel::load(chosen->folder), request, "c1");
    report_cut(stored.run.input.ids.shape()[1], stored.run.cut);
    std::vector<explorer::StepsChoice> steps;
    for (const std::string& each : split_list(steps_.value_or("0.0"))) {
      steps.push_back(steps_choice(each, stored.capture()));
    }
    return page_file(explorer::embedded_page(), stored, steps);
  }

  static double megabytes(const explorer::PageFile& file) {
    return static_cast<double>(file.html.size()) / 1e6;
  }

  void report(const Context& context, const explorer::PageFile& file) const {
    Text weights = {"weights left out, the text is longer than 512 tokens",
                    "文本超过 512 个词元，不含权重"};
    if (!file.weights.empty()) {
      const char* type = file.weights == "F16" ? "float16" : "8-bit";
      weights = {fmt::format("weights as {}, largest error {:.2g}", type, file.loss),
                 fmt::format("权重存为 {}，最大误差 {:.2g}", file.weights == "F16" ? "float16" : "8 位",
                             file.loss)};
    }
    print_message(fmt::format("{}: {:.1f} MB, {}", *output_, megabytes(file), context.say(weights)));
  }

  std::vector<std::string> texts_;
  std::optional<std::string> model_, output_, steps_;
};

}  // namespace

std::unique_ptr<Command> make_view_command() { return std::make_unique<ViewCommand>(); }

}  // namespace fovea::command
