// fovea bench: what it takes, what it lists, what it writes. Nothing here depends on how long anything
// takes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace fovea {
namespace {

using nlohmann::json;

CommandResult bench(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--rounds", "1"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fovea(arguments);
}

const char* const kTiny = "forward-1x2x33x8-alibi";  // one case

// OpenBLAS is loaded if it is installed; the rest must work without it.
bool is_there(const json& report, const std::string& competitor) {
  for (const json& each : report.at("competitors")) {
    if (each.at("id") == competitor) return !each.at("absent").get<bool>();
  }
  return false;
}

TEST(Bench, usage_errors_exit_2) {
  const std::vector<std::vector<std::string>> wrong = {
      {"dance"},           {"--rounds", "0"}, {"--rounds", "many"},
      {"--seconds", "-1"}, {"--json"},        {"linear", "dance"},
      {"models", "show"},  {"--model", "x"},  {"products", "dance"},
      {"train", "dance"},  {"--before"},      {"products", "--before", "x"}};
  for (const std::vector<std::string>& each : wrong) {
    std::vector<std::string> arguments = {"bench"};
    arguments.insert(arguments.end(), each.begin(), each.end());
    const CommandResult result = run_fovea(arguments);
    EXPECT_EQ(result.exit_code, 2) << each.back() << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("fovea: ")) << result.err;
  }
  EXPECT_TRUE(contains(run_fovea({"bench", "dance"}).err, "\"dance\"; the groups are show, forward"));
}

TEST(Bench, list_has_what_the_group_promises_and_computes_nothing) {
  const CommandResult show = run_fovea({"bench", "--list"});
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_EQ(show.err, "");
  for (const char* id :
       {"forward-1x16x2048x64 ", "forward-1x16x4096x64-causal ", "forward-8x12x128x64 ",
        "forward-1x8x16384x64-window256 ", "forward-8x12x512x64-padding ", "backward-1x1x4096x64 ",
        "backward-8x12x512x64-dropout0.1 ", "forward-1x32over8x1by8192x128 ", "statistics-1x1x65536x64 ",
        "forward-1x8x8192x64-sparse64 ", "linear-8x1x1024x64 "}) {
    EXPECT_TRUE(contains(show.out, id)) << id << "\n" << show.out;
  }
  EXPECT_FALSE(contains(show.out, "smoke"));
  const std::string all = run_fovea({"bench", "--list", "all"}).out;
  for (const char* group :
       {"forward", "odd", "masks", "backward", "dropout", "decode", "cross", "statistics", "linear"}) {
    EXPECT_TRUE(contains(all, std::string("\n") + group + " ")) << group;
  }
  const std::string some = run_fovea({"bench", "--list", "1x32over8"}).out;
  EXPECT_TRUE(contains(some, "forward-1x32over8x1by8192x128")) << some;
  EXPECT_FALSE(contains(some, "forward-1x16")) << some;
  EXPECT_TRUE(contains(run_fovea({"bench", "--list", "--lang", "zh"}).out, "因果"));
}

TEST(Bench, json_has_machine_competitors_times_errors_and_memory) {
  const TemporaryDirectory directory;
  const CommandResult result = bench({"smoke"}, {"--python", "none", "--json", directory.file("out.json"),
                                                 "--csv", directory.file("out.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "(1,2,33,8) causal")) << result.out;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_GT(report.at("machine").at("fma_peak_gflops").get<double>(), 0);
  EXPECT_GT(report.at("machine").at("read_bandwidth_gbytes").get<double>(), 0);
  EXPECT_EQ(report.at("mistakes"), json::array());
  const json& causal = report.at("scenarios").at(0).at("cases").at(1);
  EXPECT_EQ(causal.at("id"), "forward-1x2x33x8-causal");
  EXPECT_EQ(causal.at("base"), "forward-1x2x33x8");
  EXPECT_NEAR(causal.at("visible").get<double>(), 17.0 / 33, 1e-12);
  EXPECT_EQ(causal.at("flops").get<double>(),
            2 * 2 * 33 * 33 * (8 + 8) / 2);  // B·H·N·M·(D + Dv)·2, half of it
  EXPECT_GT(causal.at("relative_to_base").get<double>(), 0);
  std::vector<std::string> names;
  for (const json& each : causal.at("results")) {
    names.push_back(each.at("competitor"));
    EXPECT_EQ(each.at("status"), "measured") << each;
    EXPECT_EQ(each.at("rounds"), 1);
    EXPECT_GT(each.at("median_seconds").get<double>(), 0);
    EXPECT_GT(each.at("gflops").get<double>(), 0);
    const bool narrow = each.at("inputs") == "bfloat16";
    EXPECT_EQ(narrow, each.at("competitor") == "fovea_bf16");
    EXPECT_LT(each.at("max_error").get<double>(), narrow ? 5e-2 : 1e-5);
    EXPECT_GT(each.at("relative_l2_error").get<double>(), narrow ? 1e-4 : 0);  // inputs were rounded
    EXPECT_LT(each.at("relative_l2_error").get<double>(), narrow ? 1e-2 : 1e-5);
    EXPECT_EQ(each.at("relative_l2_error_allowed").get<double>(), narrow ? 1e-2 : 1e-5);
  }
  const bool blas = is_there(report, "blas");
  EXPECT_EQ(names, blas ? std::vector<std::string>({"fovea", "fovea_bf16", "blas"})
                        : std::vector<std::string>({"fovea", "fovea_bf16"}));
  // Every result is compared with the reference, by everybody who computes it here.
  for (const json& scenario : report.at("scenarios")) {
    for (const json& each : scenario.at("cases")) {
      for (const json& one : each.at("results")) {
        if (one.at("status") == "cannot" || one.at("competitor") == "read") continue;
        EXPECT_TRUE(one.contains("max_error")) << each.at("id") << " by " << one.at("competitor");
      }
    }
  }
  const std::string csv = text_of(directory.file("out.csv"));
  EXPECT_TRUE(csv.starts_with("group,case,operation,batch,")) << csv;
  EXPECT_TRUE(contains(csv, "\nsmoke,forward-1x2x33x8-causal,forward,1,2,2,33,33,8,8,causal,")) << csv;
}

// 1 MiB of keys and values: copies of them, used in turn, are more than the last cache holds; a few kB
// would need too many and are read from cache. Both are told.
TEST(Bench, decoding_says_whether_it_reads_memory_or_cache) {
  const TemporaryDirectory directory;
  const CommandResult result = bench({"forward-1x8over1x1by512x256", "forward-1x4over2x1by65x8"},
                                     {"--python", "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(text_of(directory.file("out.json")));
  const double cache = report.at("machine").at("l3_bytes").get<double>();
  const json& large = report.at("scenarios").at(0).at("cases").at(0);
  const json& small = report.at("scenarios").at(1).at("cases").at(0);
  EXPECT_EQ(small.at("read_from"), cache > 0 ? "cache" : "memory");
  EXPECT_EQ(small.at("copies"), 1);
  if (cache == 0 || cache > 0x1p28) {
    GTEST_SKIP() << "needs a last cache of at most 256 MiB: this one has " << cache << " bytes";
  }
  EXPECT_EQ(large.at("read_from"), "memory");
  EXPECT_GT(large.at("copies").get<double>() * large.at("key_value_bytes").get<double>(), 2 * cache);
  EXPECT_TRUE(contains(result.out, "  memory  ")) << result.out;
  EXPECT_TRUE(contains(result.out, "   cache  ")) << result.out;
}

TEST(Bench, absent_python_is_reported_once_and_the_rest_runs) {
  const CommandResult result = bench({kTiny}, {"--python", "/nowhere/python"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(
      contains(result.out, "PyTorch                 absent: cannot start /nowhere/python: No such file"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "ONNX Runtime            absent: ")) << result.out;
  EXPECT_TRUE(contains(result.out, "BLAS + softmax")) << result.out;  // there, or absent as well
}

TEST(Bench, python_that_ends_at_once_is_reported) {
  const CommandResult result = bench({kTiny}, {"--python", "/bin/false"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "absent: the process of false died: exit code 1")) << result.out;
}

TEST(Bench, files_that_cannot_be_written_exit_1) {
  const CommandResult result = bench({kTiny}, {"--python", "none", "--json", "/nowhere/out.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(result.err.starts_with("fovea: [")) << result.err;
}

TEST(Bench, products_are_verified_and_timed_on_one_thread_and_on_all) {
  const TemporaryDirectory directory;
  const CommandResult result =
      run_fovea({"bench", "products", "product-33x257x65", "--rounds", "1", "--threads", "2", "--python",
                 "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\n33×257×65 ")) << result.out;
  EXPECT_TRUE(contains(result.out, "FMA peak on 2 threads")) << result.out;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  EXPECT_EQ(report.at("mistakes"), json::array());
  ASSERT_EQ(report.at("scenarios").size(), 2U);
  for (int threads = 1; threads <= 2; ++threads) {
    const json& cases = report.at("scenarios").at(static_cast<std::size_t>(threads - 1)).at("cases");
    ASSERT_EQ(cases.size(), 1U);
    const json& product = cases.at(0);
    EXPECT_EQ(product.at("id"), "product-33x257x65-" + std::to_string(threads) + "t");
    EXPECT_EQ(product.at("threads"), threads);
    EXPECT_EQ(product.at("flops").get<double>(), 2.0 * 33 * 257 * 65);
    EXPECT_EQ(product.at("results").size(), is_there(report, "blas") ? 2U : 1U);
    for (const json& each : product.at("results")) {
      EXPECT_EQ(each.at("status"), "measured") << each;
      EXPECT_GT(each.at("share_of_peak").get<double>(), 0);
      EXPECT_GT(each.at("max_error").get<double>(), 0);
      EXPECT_LT(each.at("relative_l2_error").get<double>(), 1e-6);
    }
  }
  const std::string list = run_fovea({"bench", "--list", "products"}).out;
  for (const char* id : {"product-64x64x64-1t ", "product-1x4096x4096-1t ", "multi_head-8x512x1024-1t "}) {
    EXPECT_TRUE(contains(list, id)) << list;
  }
}

TEST(Bench, training_steps_are_timed_on_one_thread_and_on_all) {
  const TemporaryDirectory directory;
  const CommandResult result = run_fovea({"bench", "train", "gpt-nano-64x16", "--rounds", "1", "--threads",
                                          "2", "--python", "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\ngpt-nano, 64 × 16, 2 threads ")) << result.out;
  EXPECT_TRUE(contains(result.out, "Memory of the first 20 steps")) << result.out;
  EXPECT_TRUE(contains(result.out, "absent: not requested")) << result.out;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  EXPECT_EQ(report.at("mistakes"), json::array());
  ASSERT_EQ(report.at("scenarios").size(), 2U);
  for (int threads = 1; threads <= 2; ++threads) {
    const json& step = report.at("scenarios").at(static_cast<std::size_t>(threads - 1)).at("cases").at(0);
    EXPECT_EQ(step.at("id"), "train-gpt-nano-64x16-" + std::to_string(threads) + "t");
    EXPECT_EQ(step.at("operation"), "training");
    EXPECT_EQ(step.at("flops").get<double>(),
              6.0 * 1024 * (3 * 12 * 48 * 48 + 10 * 48) + 7.0 * 3 * 1024 * 16 * 48);
    ASSERT_EQ(step.at("results").size(), 1U);
    EXPECT_EQ(step.at("results").at(0).at("status"), "measured");
    EXPECT_GT(step.at("results").at(0).at("share_of_peak").get<double>(), 0);
  }
  const std::string list = run_fovea({"bench", "--list", "train"}).out;
  EXPECT_TRUE(contains(list, "train-gpt2-6x384-4x256-1t ")) << list;
}

// With kernels that OpenBLAS has for this processor, not those it falls back to.
TEST(Bench, openblas_tells_its_core_type) {
  const TemporaryDirectory directory;
  const CommandResult result = bench({kTiny}, {"--python", "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  if (!is_there(report, "blas")) GTEST_SKIP() << "OpenBLAS is not installed";
  EXPECT_TRUE(contains(result.out, "core type ")) << result.out;
  const json sets = json::parse(run_fovea({"info", "--json"}).out).at("instruction_sets");
  const bool wide = std::find(sets.begin(), sets.end(), "avx512") != sets.end();
  EXPECT_FALSE(wide && contains(result.out, "Prescott")) << result.out;
}

TEST(Bench, models_run_with_and_without_capture) {
  const TemporaryDirectory directory;
  const CommandResult result = bench({"models", "--model", FOVEA_TEST_DATA "/models/bert"},
                                     {"--python", "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "fovea, captured")) << result.out;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  const json& first = report.at("scenarios").at(0).at("cases").at(0);
  EXPECT_EQ(first.at("operation"), "model");
  ASSERT_EQ(first.at("results").size(), 2U);  // the Python side was not asked for
  EXPECT_EQ(first.at("results").at(0).at("competitor"), "fovea");
  EXPECT_EQ(first.at("results").at(1).at("competitor"), "fovea_plain");
  for (const json& each : first.at("results")) EXPECT_EQ(each.at("status"), "measured");
}

TEST(Bench, cycles_are_time_by_clock_and_threads_per_16_visible_scores) {
  const TemporaryDirectory directory;
  const CommandResult result = run_fovea({"bench", "forward-1x2x33x8", "linear-1x2x33x8", "--rounds", "1",
                                          "--threads", "2", "--python", "none", "--json",
                                          directory.file("out.json"), "--csv", directory.file("out.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  const double clock = report.at("machine").at("clock_gigahertz").get<double>();
  EXPECT_GT(clock, 0.01);
  EXPECT_LT(clock, 10);
  const json& causal = report.at("scenarios").at(0).at("cases").at(1);
  ASSERT_EQ(causal.at("id"), "forward-1x2x33x8-causal");
  const double scores = 2 * 33 * 34 / 2;  // two heads, the diagonal included
  for (const json& each : causal.at("results")) {
    EXPECT_NEAR(each.at("cycles_per_16_scores").get<double>() /
                    (each.at("median_seconds").get<double>() * clock * 1e9 * 2 * 16 / scores),
                1, 1e-6);
  }
  for (const json& scenario : report.at("scenarios")) {
    for (const json& each : scenario.at("cases")) {
      if (each.at("operation") != "linear") continue;
      EXPECT_FALSE(each.at("results").at(0).contains("cycles_per_16_scores"));
    }
  }
  // The processor stands below the title of every table, in every scenario and in every row.
  const std::string processor = report.at("machine").at("processor");
  EXPECT_TRUE(contains(result.out, "\n\n" + processor + ", ")) << result.out;
  std::size_t titles = 0, named = 0;
  for (std::size_t at = 0; (at = result.out.find("▸ ", at)) != std::string::npos; ++at) ++titles;
  for (std::size_t at = 0; (at = result.out.find("\n" + processor + ", ", at)) != std::string::npos; ++at) {
    ++named;
  }
  EXPECT_GE(titles, 3U);
  EXPECT_EQ(titles, named) << result.out;
  EXPECT_EQ(report.at("scenarios").at(0).at("processor"), processor);
  std::istringstream rows(text_of(directory.file("out.csv")));
  std::string row;
  std::getline(rows, row);
  EXPECT_TRUE(row.ends_with(",cycles_per_16_scores,processor,instruction_set,threads,clock_ghz")) << row;
  while (std::getline(rows, row)) EXPECT_TRUE(contains(row, processor)) << row;
}

TEST(Bench, caches_of_every_type_are_verified_and_timed) {
  const TemporaryDirectory directory;
  const CommandResult result =
      bench({"forward-1x4over2x1by65x8"}, {"--python", "none", "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  const json& cases = report.at("scenarios").at(0).at("cases");
  ASSERT_EQ(cases.size(), 5U);
  const double rows = 2 * 65 * 2;  // of keys and values
  const std::vector<std::pair<std::string, double>> expected = {
      {"float32", 32}, {"float16", 16}, {"bfloat16", 16}, {"int8", 12}};  // bytes per row
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const json& each = cases.at(i + 1);
    EXPECT_EQ(each.at("id"), "forward-1x4over2x1by65x8-cache-" + expected[i].first);
    EXPECT_EQ(each.at("cache"), expected[i].first);
    EXPECT_EQ(each.at("key_value_bytes").get<double>(), rows * expected[i].second);
    EXPECT_EQ(each.at("base"), "forward-1x4over2x1by65x8");
    const json& ours = each.at("results").at(0);
    EXPECT_EQ(ours.at("status"), "measured") << ours;
    const double error = ours.at("relative_l2_error").get<double>();
    EXPECT_LE(error, ours.at("relative_l2_error_allowed").get<double>());
    EXPECT_EQ(error < 1e-6, expected[i].first == "float32") << error;  // stored as said
    EXPECT_EQ(each.at("results").at(1).at("competitor"), "read");
  }
}

// A program that speaks the protocol of the peers, and in which PEER dies by a signal at its COUNTth
// command of a kind.
std::string fake_peer(const TemporaryDirectory& directory, const std::string& peer,
                      const std::string& command, int count) {
  const std::string path = directory.file("fake");
  std::ofstream file(path);
  file << R"(#!/bin/sh
for id; do :; done           # the last argument
case $id in [0-9]*) id=before ;; esac
left=)" << count
       << R"(
may_die() {
  [ "$id $1" = ")"
       << peer << " " << command << R"(" ] || return 0
  left=$((left - 1))
  [ $left -gt 0 ] || kill -ILL $$
}
may_die start
printf 'peer\t%s\tFake 1\tshell\nready\n' "$id"
while read -r word rest; do
  if [ "$word" = prepare ]; then
    while read -r line && [ -n "$line" ]; do :; done
  fi
  may_die "$word"
  case $word in
    prepare) printf 'ok\tfake\n' ;;
    check) printf 'ok\t-1\n' ;;
    run) printf 'ok\t0.001\n' ;;
    release) printf 'ok\n' ;;
  esac
done
)";
  file.close();
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

// Its results are compared with nothing: peers drop by generators of their own.
const char* const kDropout = "forward-1x2x33x8-dropout0.1";

TEST(Bench, a_peer_that_dies_is_reported_and_the_others_go_on) {
  struct Death {
    const char* command;
    int count;
  };
  for (const Death& death : {Death{"prepare", 1}, Death{"check", 1}, Death{"run", 1}, Death{"run", 2}}) {
    SCOPED_TRACE(fmt::format("{} {}", death.command, death.count));
    const TemporaryDirectory directory;
    const CommandResult result =
        run_fovea({"bench", kDropout, kTiny, "--rounds", "3", "--threads", "1", "--python",
                   fake_peer(directory, "pytorch_bf16", death.command, death.count), "--json",
                   directory.file("out.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "  died: signal 4")) << result.out;
    EXPECT_TRUE(contains(result.out, "✗ PyTorch bfloat16, ")) << result.out;
    const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
    const json& scenarios = report.at("scenarios");
    ASSERT_EQ(scenarios.size(), 2U);
    const auto by = [&](std::size_t scenario, const std::string& competitor) {
      for (const json& each : scenarios.at(scenario).at("cases").at(0).at("results")) {
        if (each.at("competitor") == competitor) return each;
      }
      return json();
    };
    for (const char* alive : {"fovea", "pytorch", "onnxruntime"}) {
      EXPECT_EQ(by(0, alive).at("status"), "measured") << by(0, alive);
      EXPECT_EQ(by(0, alive).at("rounds"), 3) << by(0, alive);
    }
    for (const std::size_t scenario : {0U, 1U}) {  // and it stays dead
      EXPECT_EQ(by(scenario, "pytorch_bf16").at("status"), "died");
      EXPECT_EQ(by(scenario, "pytorch_bf16").at("death"), "signal 4");
    }
    EXPECT_EQ(by(1, "fovea").at("status"), "measured");
    EXPECT_EQ(by(1, "pytorch").at("status"), "wrong");  // it gives back what it was given
  }
}

TEST(Bench, a_peer_that_dies_before_it_is_asked_is_absent) {
  const TemporaryDirectory directory;
  const CommandResult result =
      bench({kDropout}, {"--python", fake_peer(directory, "pytorch_bf16", "start", 1)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "absent: the process of fake died: signal 4")) << result.out;
  EXPECT_TRUE(contains(result.out, "\nPyTorch                 Fake 1 (shell)\n")) << result.out;
}

// The same attention in another process: the same errors, to the bit.
TEST(Bench, before_is_verified_and_takes_part) {
  const TemporaryDirectory directory;
  const CommandResult result = bench({"smoke"}, {"--python", "none", "--before", FOVEA_BEFORE_ITSELF,
                                                 "--json", directory.file("out.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, " (itself) (")) << result.out;
  const json report = json::parse(text_of(directory.file("out.json")), nullptr, false);
  int measured = 0;
  for (const json& scenario : report.at("scenarios")) {
    for (const json& each : scenario.at("cases")) {
      const json &ours = each.at("results").at(0), &theirs = each.at("results").at(1);
      ASSERT_EQ(theirs.at("competitor"), "before");
      if (each.at("operation") == "statistics") {
        EXPECT_EQ(theirs.at("status"), "cannot");
        continue;
      }
      EXPECT_EQ(theirs.at("status"), "measured") << each.at("id") << theirs;
      EXPECT_GT(theirs.at("times_fovea").get<double>(), 0);
      if (each.at("dropout") == 0) {
        EXPECT_EQ(theirs.at("max_error"), ours.at("max_error")) << each.at("id");
      }
      ++measured;
    }
  }
  EXPECT_GE(measured, 12);
}

TEST(Bench, before_must_be_such_a_program) {
  for (const char* program : {"/nowhere/peer", "/bin/false"}) {
    const CommandResult result = bench({kTiny}, {"--python", "none", "--before", program});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(contains(result.err, std::string("[bench] --before ") + program + ": ")) << result.err;
    EXPECT_TRUE(contains(result.err, "expected a program made by scripts/build_before")) << result.err;
  }
}

}  // namespace
}  // namespace fovea
