#include "competitors/peer_group.h"

#include <fmt/format.h>

#include <cstdlib>

#include "fovea/error.h"

namespace fovea::bench {

PeerGroup::PeerGroup(const std::string& python, const char* script, int threads,
                     const std::vector<Peer>& peers) {
  const auto all_absent = [&](const std::string& reason) {
    process_.reset();
    competitors_.clear();
    for (const Peer& peer : peers) competitors_.push_back({peer.id, peer.name, "", "", true, reason});
  };
  const auto name_of = [&](const std::string& id) {
    for (const Peer& peer : peers) {
      if (peer.id == id) return peer.name;
    }
    return id;
  };
  if (python.empty()) {
    all_absent(kNotAskedFor);
    return;
  }
  try {
    process_ = std::make_shared<PeerProcess>(python_command(python, script), threads);
    for (auto words = process_->answer(); words.front() != "ready"; words = process_->answer()) {
      words.resize(4);  // what a line lacks is empty
      const bool there = words[0] == "peer";
      competitors_.push_back(
          {words[1], name_of(words[1]), there ? words[2] : "", words[3], !there, there ? "" : words[2]});
    }
  } catch (const Error& error) {
    all_absent(error.what());
  }
}

std::vector<Contender> PeerGroup::contenders(
    int number, const Shape& result, const std::function<std::string(const PeerProcess&)>& describe) {
  std::vector<Contender> all;
  for (const CompetitorInfo& info : competitors_) {
    if (!info.absent) all.push_back(contender(info.id, number, result, describe));
  }
  return all;
}

Contender PeerGroup::contender(const std::string& id, int number, const Shape& result,
                               const std::function<std::string(const PeerProcess&)>& describe) {
  const std::string name = fmt::format("{} {}", id, number);
  Contender made{id, {}, {}, {}};
  try {
    const auto words = process_->ask(fmt::format("prepare {}\n{}", name, describe(*process_)));
    made.preparation = {words.front() == "ok", words.size() > 1 ? words[1] : ""};
  } catch (const PeerDied&) {
    made.preparation = {true, ""};  // check() meets it again, and tells
  } catch (const Error& error) {
    made.preparation = {false, error.what()};
  }
  made.check = [process = process_, name, result] {
    const auto words = process->ask("check " + name);
    Checked checked;
    const double extra = words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : -1;
    if (extra >= 0) checked.extra_memory = extra;
    checked.results.push_back(Tensor::uninitialized(result));
    process->read(0, checked.results.back().data(), 4 * result.elements());
    return checked;
  };
  made.run = [process = process_, name](double seconds) {
    const auto words = process->ask(fmt::format("run {} {}", name, seconds));
    return words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : 0;
  };
  return made;
}

void PeerGroup::release() {
  try {
    if (process_ != nullptr) process_->ask("release");
  } catch (const PeerDied&) {  // every entry of it says so
  }
}

}  // namespace fovea::bench
