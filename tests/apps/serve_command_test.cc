// fovea serve and fovea view, as programs.
#include <cstdlib>
#include <fstream>
#include <utility>

#include "run_command.h"

namespace fovea {
namespace {

std::string tiny_model(const std::string& name) { return std::string(FOVEA_TEST_DATA) + "/models/" + name; }

// Serves, waits for the address, sends the signal; the exit code.
int serve_and_end(const std::string& arguments, const std::string& signal,
                  const TemporaryDirectory& folder) {
  const std::string out = folder.file("out"), code = folder.file("code");
  const std::string script =
      "rm -f " + out + "; " + std::string(FOVEA_COMMAND) + " serve --no-browser --json --port 0 " +
      arguments + " > " + out + " 2> " + folder.file("err") + " & server=$!; tries=0; until grep -qs url " +
      out + "; do sleep 0.1; tries=$((tries + 1)); [ $tries -lt 600 ] || break; done; kill -" + signal +
      " $server; wait $server; echo $? > " + code;
  EXPECT_EQ(std::system(script.c_str()), 0);
  return std::stoi(text_of(code));
}

TEST(ServeCommand, tells_its_address_and_ends_cleanly) {
  for (const char* signal : {"INT", "TERM"}) {
    const TemporaryDirectory folder;
    EXPECT_EQ(serve_and_end("--model " + tiny_model("bert") + " 'the cat sat'", signal, folder), 0)
        << text_of(folder.file("err"));
    const std::string out = text_of(folder.file("out"));
    EXPECT_TRUE(out.starts_with("{\"url\": \"http://127.0.0.1:")) << out;
    EXPECT_TRUE(out.ends_with("/\"}\n")) << out;
  }
}

TEST(ServeCommand, warns_when_others_can_use_it) {
  const auto told_for = [](const std::string& host) {
    const TemporaryDirectory folder;
    EXPECT_EQ(serve_and_end("--host " + host + " --model " + tiny_model("bert"), "TERM", folder), 0);
    return std::pair(text_of(folder.file("out")), text_of(folder.file("err")));
  };
  const auto [out, err] = told_for("0.0.0.0");
  EXPECT_TRUE(out.starts_with("{\"url\": \"http://127.0.0.1:")) << out;
  EXPECT_TRUE(contains(err, "Warning: anyone on the network can use this explorer")) << err;
  EXPECT_EQ(told_for("localhost").second, "");
}

// Without a network our own models read the text.
TEST(ServeCommand, needs_no_model_that_was_fetched) {
  const TemporaryDirectory folder;
  ::setenv("XDG_CACHE_HOME", folder.file("").c_str(), 1);
  EXPECT_EQ(serve_and_end("", "INT", folder), 0) << text_of(folder.file("err"));
  EXPECT_EQ(serve_and_end("'the cat'", "INT", folder), 0) << text_of(folder.file("err"));
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(ServeCommand, what_cannot_be_had_is_told) {
  EXPECT_EQ(run_fovea({"serve", "--port", "70000"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"serve", "--model", "/nowhere"}).exit_code, 1);
  const CommandResult host = run_fovea({"serve", "--no-browser", "--host", "203.0.113.7", "--port", "0"});
  EXPECT_EQ(host.exit_code, 1);
  EXPECT_TRUE(contains(host.err, "203.0.113.7")) << host.err;
}

TEST(ViewCommand, writes_one_file_and_tells_its_loss) {
  const TemporaryDirectory folder;
  const CommandResult result = run_fovea({"view", "--model", tiny_model("gpt2"), "the cat sat", "--steps",
                                          "1.2,decoder.0.3", "-o", folder.file("cat.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "weights as float16, largest error 0.0002")) << result.err;
  const std::string page = text_of(folder.file("cat.html"));
  EXPECT_TRUE(contains(page, "id=\"fovea-data\""));
  EXPECT_FALSE(contains(page, "<!--fovea-data-->"));
}

TEST(ViewCommand, nothing_is_left_of_what_fails) {
  const TemporaryDirectory folder;
  const auto view = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"view", "--model", tiny_model("bert"), "the cat"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fovea(words);
  };
  EXPECT_EQ(view({"-o", folder.file("x.txt")}).exit_code, 2);
  EXPECT_EQ(view({"-o", folder.file("x.html"), "--steps", "1"}).exit_code, 2);
  EXPECT_EQ(view({"-o", folder.file("x.html"), "--steps", "cross.0.0"}).exit_code, 2);
  EXPECT_EQ(view({"-o", folder.file("x.html"), "--steps", "0.9"}).exit_code, 1);
  EXPECT_EQ(view({"-o", folder.file("x.html"), "--steps", "9.0"}).exit_code, 1);
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace fovea
