#include "fovea/training_log.h"

#include <gtest/gtest.h>

#include "fovea/file.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

TrainingStep step_of(Index step, double loss) {
  TrainingStep result;
  result.step = step;
  result.loss = loss;
  result.rate = 1e-3 / static_cast<double>(step);
  result.gradient_norm = 0.1 + loss;
  result.tokens = 960;
  result.targets = 512;
  result.correct = 7;
  return result;
}

TEST(TrainingLog, numbers_keep_all_their_bits) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("log.jsonl");
  {
    TrainingLog log(path, 0);
    log.add(step_of(1, 1.0 / 3));
    log.add(TrainingEvaluation{1, 0.1, 2.0 / 3, true});
    log.add(step_of(2, 1e-17));
    log.synchronize();
  }
  const TrainingHistory history = TrainingLog::load(path);
  ASSERT_EQ(history.steps.size(), 2u);
  EXPECT_EQ(history.steps[0].loss, 1.0 / 3);
  EXPECT_EQ(history.steps[1].loss, 1e-17);
  EXPECT_EQ(history.steps[1].rate, 1e-3 / 2);
  EXPECT_EQ(history.steps[1].tokens, 960);
  EXPECT_EQ(history.steps[1].correct, 7);
  ASSERT_EQ(history.evaluations.size(), 1u);
  EXPECT_EQ(history.evaluations[0].accuracy, 2.0 / 3);
  EXPECT_TRUE(history.evaluations[0].best);
}

TEST(TrainingLog, goes_on_after_a_step) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("log.jsonl");
  {
    TrainingLog log(path, 0);
    for (Index step = 1; step <= 5; ++step) log.add(step_of(step, static_cast<double>(step)));
  }
  const std::string whole = text_of(path);
  write_file(path, whole + "{\"step\":6,\"lo");  // killed in the middle of a line
  EXPECT_EQ(TrainingLog::load(path).steps.size(), 5u);
  {
    TrainingLog log(path, 3);
    for (Index step = 4; step <= 5; ++step) log.add(step_of(step, static_cast<double>(step)));
  }
  EXPECT_EQ(text_of(path), whole);
}

TEST(TrainingLog, other_files_are_errors) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("log.jsonl");
  write_file(path, "{\"step\":1,\"loss\":\"much\"}\n");
  EXPECT_EQ(testing::message_of([&] { TrainingLog::load(path); }),
            "[train] " + path + ", line 1: \"loss\" is missing, or no number");
  EXPECT_THROW(TrainingLog(path, 0), Error);
  EXPECT_EQ(text_of(path), "{\"step\":1,\"loss\":\"much\"}\n");
  EXPECT_THROW(TrainingLog(folder.file("missing/log.jsonl"), 0), Error);
}

}  // namespace
}  // namespace fovea
