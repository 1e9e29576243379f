// fovea info: what this is, and which path it takes on this machine.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "command.h"
#include "fovea/attention_path.h"
#include "fovea/build_info.h"
#include "fovea/instruction_set.h"
#include "fovea/json_writer.h"
#include "fovea/threads.h"
#include "output/layout.h"

namespace fovea::command {
namespace {

class InfoCommand final : public Command {
 public:
  std::string name() const override { return "info"; }
  Text summary() const override {
    return {"version, instruction sets, threads, caches, linked parts", "版本、指令集、线程、缓存、所用的库"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea info", {"which path runs on this machine?", "这台机器上走的是哪条路径？"}},
            {"fovea info --isa scalar --threads 1",
             {"the same, as it would be with these options", "加上这些选项之后的情况"}},
            {"fovea info --json", {"for programs", "供程序读取"}}};
  }
  void declare(OptionList& options) override {
    options.flag("--json", json_, {"for programs", "供程序读取的 JSON"});
  }
  void run(const Context& context) override {
    const BuildInfo info = build_info();
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
      json.key(name);
      json.string(value);
    };
    json.begin_object();
    entry("version", info.version);
    entry("compiler", info.compiler);
    entry("build", info.build);
    entry("sanitizers", info.sanitizers);
    json.key("instruction_sets");
    json.strings(available_instruction_sets());
    entry("instruction_set", instruction_set());
    json.key("threads");
    json.integer(thread_count());
    const TileSizes tiles = tile_sizes();
    json.key("tiles");
    json.begin_object();
    const auto size = [&](std::string_view name, Index value) {
      json.key(name);
      json.integer(value);
    };
    size("l1_bytes", tiles.l1_bytes);
    size("l2_bytes", tiles.l2_bytes);
    size("strip_queries", tiles.strip_queries);
    size("strips_per_block", tiles.strips_per_block);
    size("step_keys", tiles.step_keys);
    json.end_object();
    json.key("parts");
    json.begin_object();
    for (const LinkedPart& part : info.parts) entry(part.name, part.version);
    json.end_object();
    json.end_object();
    context.print(json.take());
  }

  static void print_table(const Context& context, const BuildInfo& info) {
    const auto entry = [&](const Text& name, const std::string& value) {
      context.line(pad_right(context.say(name), 20) + wrapped(value, context.width, 20, 20));
    };
    const std::string build = info.sanitizers.empty() ? info.build : info.build + ", " + info.sanitizers;
    entry({"fovea", "fovea"}, info.version);
    entry({"compiler", "编译器"}, fmt::format("{} ({})", info.compiler, build));
    entry({"instruction sets", "可用指令集"},
          fmt::format("{}", fmt::join(available_instruction_sets(), ", ")));
    entry({"in use", "使用中"}, instruction_set());
    entry({"threads", "线程"}, fmt::format("{}", thread_count()));
    const TileSizes tiles = tile_sizes();
    entry({"caches", "缓存"},
          fmt::format("L1 {} KiB, L2 {} KiB", tiles.l1_bytes >> 10, tiles.l2_bytes >> 10));
    entry({"tiles", "分块"},
          context.say({fmt::format("strips of {} queries × {} keys, {} strips share the keys (D = 64)",
                                   tiles.strip_queries, tiles.step_keys, tiles.strips_per_block),
                       fmt::format("每条 {} 个查询 × {} 个键，{} 条共用一块键（D = 64）",
                                   tiles.strip_queries, tiles.step_keys, tiles.strips_per_block)}));
    std::vector<std::string> parts;
    for (const LinkedPart& part : info.parts) parts.push_back(part.name + " " + part.version);
    entry({"linked parts", "所用的库"}, fmt::format("{}", fmt::join(parts, ", ")));
  }

  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() { return std::make_unique<InfoCommand>(); }

}  // namespace fovea::command
