// Several clients at once, and what is forgotten.
#include <atomic>
#include <future>
#include <vector>

#include "explorer/request_error.h"
#include "explorer/work_queue.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

class Clients : public ServerTest {};

TEST_F(Clients, many_at_once_get_their_own_answers) {
  std::atomic<int> wrong = 0, answered = 0;
  const std::string models[] = {"bert", "gpt2", "t5"};
  const std::string words[] = {"the cat sat", "a quick brown fox", "the dog looked at the mat", "his hat"};
  const auto visit = [&](std::size_t number) {
    Client client = running().client();
    for (std::size_t round = 0; round < 6; ++round) {
      const std::string& model = models[(number + round) % 3];
      const std::string& text = words[(number * 7 + round) % 4];
      const auto made = client.post("/api/captures", Json{{"model", model}, {"text", text}}.dump());
      if (made->status == 429) continue;  // that many runs wait already: told, and fine
      const Json summary = Json::parse(made->body);
      if (made->status != 201 || summary["text"] != text || summary["model"] != model) {
        ++wrong;
        continue;
      }
      const std::string kind = summary["kinds"][0]["kind"];
      for (const std::string& path :
           {"overview?kind=" + kind, "thumbnails?kind=" + kind, "weights?layer=1&head=0&kind=" + kind,
            "rows?layer=0&head=mean&kind=" + kind, "steps?layer=1&head=1&kind=" + kind,
            "similarity?kind=" + kind, "rollout?kind=" + kind}) {
        const auto answer = client.get(path_of(summary, path));
        if (answer->status == 404) continue;  // forgotten in between
        ++(answer->status == 200 ? answered : wrong);
      }
    }
  };
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 12; ++i) clients.emplace_back(visit, i);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(answered, 100);
}

TEST_F(Clients, the_same_answer_asked_by_all_is_one) {
  const Json summary = read_text("gpt2", "the cat sat on the mat");
  const std::string path = path_of(summary, "overview?kind=decoder");
  const std::string want = get(path)->body;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      const auto answer = running().client().get(path);
      if (!answer || answer->body != want) ++wrong;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Clients, a_removed_capture_is_gone) {
  const Json summary = read_text("bert", "the cat");
  const std::string path = "/api/captures/" + summary["id"].get<std::string>();
  EXPECT_EQ(running().client().remove(path)->status, 204);
  expect_error(get(path), 404);
  expect_error(running().client().remove(path), 404);
}

TEST(Forgetting, the_oldest_goes_first) {
  Limits limits;
  limits.captures = 3;
  CaptureStore store({{"bert", tiny_model("bert")}}, TextModel::load, limits);
  const CapturePtr first = store.add({"bert", "the cat", {}});
  for (int i = 0; i < 3; ++i) store.add({"bert", "the dog", {}});
  ASSERT_EQ(store.captures().size(), 3u);
  EXPECT_EQ(store.captures().front()->id, "c2");
  EXPECT_THROW(static_cast<void>(store.get(first->id)), RequestError);
  EXPECT_EQ(first->run().layers(AttentionKind::encoder), 2);  // who holds it, keeps it
}

TEST(Forgetting, memory_has_a_limit_too) {
  Limits limits;
  limits.capture_bytes = 1;
  CaptureStore store({{"bert", tiny_model("bert")}}, TextModel::load, limits);
  for (int i = 0; i < 3; ++i) store.add({"bert", "the cat", {}});
  EXPECT_EQ(store.captures().size(), 1u);
  EXPECT_EQ(store.captures().front()->id, "c3");
}

TEST(Forgetting, too_many_tokens_are_refused) {
  Limits limits;
  limits.tokens = 4;
  CaptureStore store({{"bert", tiny_model("bert")}}, TextModel::load, limits);
  EXPECT_NO_THROW(store.add({"bert", "the cat", {}}));
  try {
    store.add({"bert", "the cat sat", {}});
    ADD_FAILURE() << "5 tokens were taken";
  } catch (const RequestError& error) {
    EXPECT_EQ(error.status(), 422);
  }
}

TEST(Models, are_loaded_once_and_on_first_use) {
  std::atomic<int> loads = 0;
  CaptureStore store(
      {{"bert", tiny_model("bert")}, {"gpt2", tiny_model("gpt2")}},
      [&](const std::string& folder) {
        ++loads;
        return TextModel::load(folder);
      },
      Limits());
  EXPECT_EQ(loads, 0);
  EXPECT_FALSE(store.models()[0].loaded);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { store.add({"bert", "the cat", {}}); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(loads, 1);
  EXPECT_TRUE(store.models()[0].loaded);
  EXPECT_FALSE(store.models()[1].loaded);
}

TEST(Layers, run_again_once_and_then_kept) {
  CaptureStore store({{"gpt2", tiny_model("gpt2")}}, TextModel::load, Limits());
  const CapturePtr capture = store.add({"gpt2", "the cat sat", {}});
  const LayerRun first = store.layer(capture, AttentionKind::decoder, 1);
  const LayerRun again = store.layer(capture, AttentionKind::decoder, 1);
  const Crop crop = {0, 2, 0, 2};
  expect_same(again.head(1, crop).weights, first.head(1, crop).weights, "weights");
  store.remove(capture->id);
  expect_same(store.layer(capture, AttentionKind::decoder, 1).head(1, crop).weights,
              first.head(1, crop).weights, "weights");
}

TEST(WorkQueue, refuses_what_would_wait_too_long) {
  WorkQueue queue(1, 0);
  std::promise<void> started, go, ended;
  queue.add([&] {
    started.set_value();
    go.get_future().wait();
    ended.set_value();
  });
  started.get_future().wait();
  try {
    queue.add([] {});
    ADD_FAILURE() << "nothing may wait";
  } catch (const RequestError& error) {
    EXPECT_EQ(error.status(), 429);
  }
  go.set_value();
  ended.get_future().wait();
}

TEST(WorkQueue, does_what_waits_before_it_ends) {
  std::atomic<int> done = 0;
  {
    WorkQueue queue(2);
    for (int i = 0; i < 20; ++i) queue.add([&] { ++done; });
  }
  EXPECT_EQ(done, 20);
}

}  // namespace
}  // namespace fovea::explorer
