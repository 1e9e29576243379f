// fovea view --film and fovea serve --film, as programs.
#include "fovea/film.h"

#include "run_command.h"

namespace fovea {
namespace {

void write_film(const std::string& path) {
  Film film({"a b"});
  for (Index step = 0; step < 2; ++step) {
    Capture capture;
    TokenSequence sequence;
    sequence.tokens = {"a", "b"};
    capture.sequences = {sequence};
    const Tensor q = Tensor::filled({1, 2, 2, 3}, static_cast<float>(step));
    capture.attention({AttentionKind::decoder, 0, q, q, q, {.mask = Mask::causal()}});
    film.append(step, 1, {Run(std::move(capture))});
  }
  film.save(path);
}

TEST(FilmCommand, view_writes_one_page) {
  const TemporaryDirectory folder;
  write_film(folder.file("film"));
  const CommandResult result =
      run_fovea({"view", "--film", folder.file("film"), "-o", folder.file("film.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "weights as 8-bit")) << result.err;
  EXPECT_TRUE(contains(text_of(folder.file("film.html")), "id=\"fovea-data\""));
}

TEST(FilmCommand, nothing_is_left_of_what_fails) {
  const TemporaryDirectory folder;
  write_film(folder.file("film"));
  const auto view = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "view");
    more.insert(more.end(), {"-o", folder.file("out.html")});
    const CommandResult result = run_fovea(more);
    EXPECT_FALSE(folder.has("out.html"));
    return result;
  };
  EXPECT_EQ(view({"--film", folder.file("film"), "a text"}).exit_code, 2);
  EXPECT_EQ(view({"--film", folder.file("film"), "--steps", "0.0"}).exit_code, 2);
  const CommandResult missing = view({"--film", folder.file("nowhere")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.err, "[film]")) << missing.err;
  std::ofstream(folder.file("text")) << "no film";
  const CommandResult text =
      run_fovea({"serve", "--no-browser", "--port", "0", "--film", folder.file("text")});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(contains(text.err, "[film]")) << text.err;
}

}  // namespace
}  // namespace fovea
