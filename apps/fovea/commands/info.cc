// fovea info: what this is, and which path it takes on this machine.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "command.h"
#include "fovea/attention_path.h"
#include "fovea/build_info.h"
#include "fovea/instruction_set.h"
#include "fovea/json_writer.h"
#include "fovea/npz.h"
#include "fovea/threads.h"

namespace fovea::command {
namespace {

class InfoCommand final : public Command {
 public:
  std::string name() const override { return "info"; }
  Message summary() const override {
    return tr("show version, instruction sets, threads, linked libraries");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea info", tr("which path runs on this machine?")},
            {"fovea info --isa scalar --threads 1", tr("the same with these options")},
            {"fovea info --json", tr("the same, machine-readable")}};
  }
  void declare(OptionList& options) override { options.flag("--json", json_, tr("print JSON")); }
  void run(const Context& context) override {
    BuildInfo info = build_info();
    info.parts.push_back({"zlib", version_of_zlib()});
    if (json_) {
      print_json(context, info);
    } else {
      print_table(context, info);
    }
  }

 private:
  static void print_json(const Context& context, const BuildInfo& info) {
    JsonWriter json;
    const auto entry = [&](std::string_view name, const std::string& value) {
      json.key(name).string(value);
    };
    json.begin_object();
    entry("version", info.version);
    entry("compiler", info.compiler);
    entry("build", info.build);
    entry("sanitizers", info.sanitizers);
    json.key("instruction_sets").strings(available_instruction_sets());
    entry("instruction_set", instruction_set());
    entry("bfloat16_arithmetic", bfloat16_arithmetic());
    json.key("threads").integer(thread_count());
    const TileSizes tiles = tile_sizes();
    json.key("tiles").begin_object();
    const auto size = [&](std::string_view name, Index value) { json.key(name).integer(value); };
    size("l1_bytes", tiles.l1_bytes);
    size("l2_bytes", tiles.l2_bytes);
    size("strip_queries", tiles.strip_queries);
    size("strips_per_block", tiles.strips_per_block);
    size("step_keys", tiles.step_keys);
    json.end_object();
    json.key("parts").begin_object();
    for (const LinkedPart& part : info.parts) entry(part.name, part.version);
    json.end_object();
    json.end_object();
    context.print(json.take());
  }

  static void print_table(const Context& context, const BuildInfo& info) {
    const auto entry = [&](const Message& name, const std::string& value) {
      context.entry(context.say(name), value, 20);
    };
    const std::string build = info.sanitizers.empty() ? info.build : info.build + ", " + info.sanitizers;
    entry(tr("fovea"), info.version);
    entry(tr("compiler"), fmt::format("{} ({})", info.compiler, build));
    entry(tr("instruction sets"), fmt::format("{}", fmt::join(available_instruction_sets(), ", ")));
    entry(tr("in use"), instruction_set());
    entry(tr("bfloat16 arithmetic"), bfloat16_arithmetic());
    entry(tr("threads"), fmt::format("{}", thread_count()));
    const TileSizes tiles = tile_sizes();
    entry(tr("caches"), fmt::format("L1 {} KiB, L2 {} KiB", tiles.l1_bytes >> 10, tiles.l2_bytes >> 10));
    entry(tr("tiles"),
          context.say(tr("strips of {0} queries × {1} keys, {2} strips share the keys (D = 64)",
                         tiles.strip_queries, tiles.step_keys, tiles.strips_per_block)));
    std::vector<std::string> parts;
    for (const LinkedPart& part : info.parts) parts.push_back(part.name + " " + part.version);
    entry(tr("linked libraries"), fmt::format("{}", fmt::join(parts, ", ")));
  }

  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() { return std::make_unique<InfoCommand>(); }

}  // namespace fovea::command
