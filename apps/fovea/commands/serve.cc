// fovea serve: the explorer, on this machine.
#include <fmt/core.h>

#include "command.h"
#include "explorer/request_error.h"
#include "explorer/server.h"
#include "fovea/error.h"
#include "inputs/model_input.h"
#include "inputs/served_models.h"
#include "inputs/study_input.h"
#include "inputs/text_argument.h"
#include "output/reading_notes.h"
#include "run_explorer.h"

namespace fovea::command {
namespace {

class ServeCommand final : public Command {
 public:
  std::string name() const override { return "serve"; }
  Message summary() const override { return tr("start the explorer: models' attention in your browser"); }
  Message description() const override {
    return tr(
        "Serves a page on this machine that runs models on your texts and shows every head, step and "
        "number. TEXT (a text, the name of a file, or - for standard input; a second one makes a pair) is "
        "loaded first. The page opens in the browser; without a display its address is printed. The "
        "server is reachable from this machine only, unless --host gives another address; then anyone who "
        "can reach that address can use it. --film shows how attention was learned, --study what every head "
        "does over a corpus (two of them: side by side). Ctrl-C stops it.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea serve", tr("the installed models, and the tutorials' examples")},
            {"fovea serve --model minilm \"The cat sat on the mat.\"", tr("opened on a text")},
            {"fovea serve --film film.safetensors", tr("how attention was learned, step by step")},
            {"fovea serve --study study.safetensors", tr("what every head does over thousands of texts")},
            {"fovea serve --no-browser --port 0 --json", tr("prints {\"url\": ..} on standard output")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 0, 2, texts_, tr("texts, files, or -"));
    declare_model(options, model_);
    load_.declare(options);
    options.path("--film", "FILE", film_, tr("a film recorded by fovea train"));
    options.paths("--study", "FILE", studies_, tr("a study made by fovea study; twice: side by side"));
    options.text("--host", "ADDRESS", host_,
                 tr("address to listen on, 0.0.0.0: all of them; default: 127.0.0.1"));
    options.integer("--port", "P", port_, 0, 65535,
                    tr("0: any free port; default: 7373, or the next free one"));
    options.flag("--no-browser", no_browser_, tr("only print the address"));
    options.flag("--json", json_, tr("print the address as JSON"));
  }

  void run(const Context& context) override {
    explorer::ServerOptions options;
    if (host_) options.host = *host_;
    if (port_) options.port = static_cast<int>(*port_);
    const std::vector<explorer::ServedModel> models = served_models(model_);
    explorer::Server server(options, explorer::embedded_page(), models,
                            [this](const std::string& folder) { return load_model_folder(folder, load_); });
    if (film_) server.captures().show(Film::load(*film_, options.limits.film_bytes));
    if (!studies_.empty()) server.show(load_studies(studies_));
    if (!texts_.empty()) read_first(server, models, context.language);
    run_explorer(context, server, {.place = "", .browser = !no_browser_, .json = json_});
  }

 private:
  void read_first(explorer::Server& server, const std::vector<explorer::ServedModel>& models,
                  Language language) const {
    explorer::CaptureRequest request{chosen_model(models), {}, {}};
    const std::vector<std::string> texts = texts_of_arguments(texts_);
    request.text = texts[0];
    if (texts.size() == 2) request.second_text = texts[1];
    try {
      const explorer::CapturePtr capture = server.captures().add(request);
      print_reading_notes(capture->run().readings(), language);
    } catch (const explorer::RequestError& error) {
      throw Error(fmt::format("[serve] {}", error.what()));
    }
  }

  std::vector<std::string> texts_, studies_;
  std::optional<std::string> model_, film_, host_;
  LoadArguments load_;
  std::optional<Index> port_;
  bool no_browser_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace fovea::command
