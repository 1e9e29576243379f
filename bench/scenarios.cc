// The table of scenarios. Shapes are (B, H, N, D): those of common models, and those at which kernels trip.
#include <fmt/format.h>

#include "fovea/random.h"
#include "scenario.h"

namespace fovea::bench {
namespace {

const std::vector<std::string> kOnlyFovea = {"fovea"};
const std::vector<std::string> kFoveaAndTorch = {"fovea", "pytorch"};

Case forward(Index b, Index h, Index n, Index d) {
  Case c;
  c.batch = b, c.heads = h, c.queries = n, c.width = d;
  return c;
}

Case of(Operation operation, Case c) {
  c.operation = operation;
  return c;
}
Case backward(Index b, Index h, Index n, Index d) { return of(Operation::backward, forward(b, h, n, d)); }
Case only(const std::vector<std::string>& competitors, Case c) {
  c.competitors = competitors;
  return c;
}
Case relative_to(int base, Case c) {
  c.base = base;
  return c;
}
Case grouped(Index key_heads, Case c) {
  c.key_heads = key_heads;
  return c;
}
Case to_keys(Index m, Case c) {
  c.keys = m;
  return c;
}
Case to_values(Index dv, Case c) {
  c.value_width = dv;
  return c;
}
// From a KeyValueCache of that type: others have none.
Case cached(FloatType type, Case c) {
  c.cache = type;
  c.competitors = {"fovea", "read"};
  return c;
}
Case dropped(float p, Case c) {
  c.dropout = p;
  return c;
}
Case masked(std::string id, Text text, std::function<Mask(const Case&)> mask, Case c) {
  c.mask_id = std::move(id), c.mask_text = std::move(text), c.mask = std::move(mask);
  return c;
}
Case biased(std::string id, Text text, std::function<Bias(const Case&)> bias, Case c) {
  c.bias_id = std::move(id), c.bias_text = std::move(text), c.bias = std::move(bias);
  return c;
}

// Random lengths in pairs l, M − l: half of all keys are real, whatever the seed.
std::vector<Index> half_lengths(const Case& c) {
  Random random(5);
  std::vector<Index> lengths;
  for (Index b = 0; b < c.batch; ++b) {
    lengths.push_back(b % 2 == 1 ? c.m() - lengths.back()
                                 : (c.batch == 1 ? c.m() / 2 : 1 + random.below(c.m() - 1)));
  }
  return lengths;
}

Case causal(Case c) {
  return masked(
      "causal", {"causal", "因果"}, [](const Case&) { return Mask::causal(); }, std::move(c));
}
Case window(Index before, Case c) {
  const std::string size = fmt::format("{}", before);
  return masked(
      "window" + size, {"window " + size + " & causal", "窗口 " + size + " & 因果"},
      [before](const Case&) { return Mask::sliding_window(before, 0) & Mask::causal(); }, std::move(c));
}
Case padding(Case c) {
  return masked(
      "padding", {"padding 50 %", "填充 50 %"},
      [](const Case& self) { return Mask::lengths(half_lengths(self)); }, std::move(c));
}
Case causal_padding(Case c) {
  return masked(
      "causal-padding", {"causal & padding 50 %", "因果 & 填充 50 %"},
      [](const Case& self) { return Mask::causal() & Mask::lengths(half_lengths(self)); }, std::move(c));
}
Case sparse(Index stride, Case c) {
  const std::string size = fmt::format("{}", stride);
  return masked(
      "sparse" + size, {"sparse " + size, "稀疏 " + size},
      [stride](const Case&) { return Mask::sparse(stride); }, std::move(c));
}
Case documents(Case c) {
  const auto mask = [](const Case& self) {  // eight documents of unequal length
    Ids ids = Ids::filled({self.m()}, 0);
    for (Index j = 0; j < self.m(); ++j) ids(j) = 8 * j * j / (self.m() * self.m());
    return Mask::documents(ids);
  };
  return masked("documents", {"8 documents", "8 篇文档"}, mask, std::move(c));
}
Case dense(Case c) {
  const auto mask = [](const Case& self) {
    Random random(6);
    Flags flags = Flags::filled({self.queries, self.m()}, 1);
    for (Index i = 0; i < self.queries; ++i) {
      for (Index j = 0; j < self.m(); ++j) flags(i, j) = i == j || random() % 2 == 0;
    }
    return Mask::dense(flags);
  };
  return masked("dense", {"dense mask", "稠密掩码"}, mask, std::move(c));
}
Case alibi(Case c) {
  return biased(
      "alibi", {"ALiBi", "ALiBi"}, [](const Case& self) { return Bias::alibi(alibi_slopes(self.heads)); },
      std::move(c));
}
Case t5(Case c) {
  return biased(
      "t5", {"T5 bias", "T5 偏置"},
      [](const Case& self) {
        return Bias::t5(Random(7).normal({32, self.heads}), 32, 128, true);
      },
      std::move(c));
}
Case linear(Index b, Index h, Index n, Index d) {
  return only(kOnlyFovea, of(Operation::linear, forward(b, h, n, d)));
}

constexpr FloatType kCacheTypes[] = {FloatType::float32, FloatType::float16, FloatType::bfloat16,
                                     FloatType::int8};

class Table {
 public:
  void group(std::string name) { group_ = std::move(name); }
  void show(std::vector<Case> cases, int rounds = 9) {
    all.push_back({group_, std::move(cases), rounds, true});
  }
  void add(std::vector<Case> cases, int rounds = 9) {
    all.push_back({group_, std::move(cases), rounds, false});
  }
  std::vector<Scenario> all;

 private:
  std::string group_;
};

void add_forward(Table& table) {
  table.group("forward");
  table.show({forward(1, 16, 2048, 64)});
  table.show({forward(1, 16, 4096, 64)});
  table.show({forward(1, 8, 4096, 128)});
  table.show({causal(forward(1, 16, 4096, 64))});
  table.show({forward(8, 12, 512, 64)});
  table.show({causal(forward(8, 12, 512, 64))});
  table.show({forward(8, 12, 128, 64)});
  for (const Index b : {1, 4, 8}) {
    for (const Index n : {128, 256, 512, 1024}) {
      if (b != 8 || (n != 512 && n != 128)) table.add({forward(b, 12, n, 64)});
      if (b != 8 || n != 512) table.add({causal(forward(b, 12, n, 64))});
    }
  }
  table.add({forward(1, 25, 1024, 64)});
  table.add({causal(forward(1, 25, 1024, 64))});
  table.add({causal(forward(1, 16, 2048, 64))});
  table.add({causal(forward(1, 8, 4096, 128))});
  for (const Index n : {8192, 16384}) {
    table.add({forward(1, 4, n, 64)});
    table.add({causal(forward(1, 4, n, 64))});
  }
}

void add_odd(Table& table) {
  table.group("odd");
  for (const Index n : {512, 2048}) {
    table.add({grouped(8, forward(1, 32, n, 128))});
    table.add({causal(grouped(8, forward(1, 32, n, 128)))});
  }
  for (const Index d : {40, 80, 160}) table.add({forward(1, 8, 4096, d)});
  for (const Index n : {32, 75, 113, 197, 257, 1025}) table.add({forward(8, 12, n, 64)});
  for (const Index d : {72, 96, 112, 256}) table.add({forward(1, 8, 1024, d)});
  table.add({to_values(128, forward(1, 8, 1024, 192))});
}

void add_masks(Table& table) {
  table.group("masks");
  table.show({only(kOnlyFovea, forward(1, 8, 16384, 64)),
              only(kFoveaAndTorch, relative_to(0, window(256, forward(1, 8, 16384, 64))))});
  table.show({forward(8, 12, 512, 64), relative_to(0, padding(forward(8, 12, 512, 64)))});
  table.show({only(kOnlyFovea, forward(1, 8, 8192, 64)),
              only(kFoveaAndTorch, relative_to(0, sparse(64, forward(1, 8, 8192, 64))))});
  table.add(
      {only(kOnlyFovea, forward(8, 12, 512, 64)), relative_to(0, causal_padding(forward(8, 12, 512, 64)))});
  for (const Index w : {256, 1024}) {
    table.add(
        {only(kOnlyFovea, forward(1, 8, 4096, 64)), relative_to(0, window(w, forward(1, 8, 4096, 64)))});
  }
  table.add({only(kOnlyFovea, forward(1, 8, 16384, 64)),
             only(kFoveaAndTorch, relative_to(0, window(1024, forward(1, 8, 16384, 64))))});
  for (const auto& make : {documents, dense, alibi}) {
    table.add({only(kOnlyFovea, forward(1, 8, 4096, 64)), relative_to(0, make(forward(1, 8, 4096, 64)))});
  }
  table.add({only(kOnlyFovea, forward(8, 12, 512, 64)), relative_to(0, t5(forward(8, 12, 512, 64)))});
}

void add_backward(Table& table) {
  table.group("backward");
  table.show({backward(1, 12, 1024, 64)});
  table.show({backward(1, 1, 4096, 64)});
  table.add({backward(8, 12, 512, 64)});
  table.add({causal(backward(8, 12, 512, 64))});
  table.add({grouped(1, backward(1, 16, 1024, 64))});
  table.add({of(Operation::forward_backward, forward(8, 12, 512, 64))});
  table.group("dropout");
  table.show({only(kOnlyFovea, forward(8, 12, 512, 64)),
              only(kFoveaAndTorch, relative_to(0, dropped(0.1f, forward(8, 12, 512, 64)))),
              only(kOnlyFovea, backward(8, 12, 512, 64)),
              only(kFoveaAndTorch, relative_to(2, dropped(0.1f, backward(8, 12, 512, 64))))});
}

void add_decode(Table& table) {
  table.group("decode");
  const auto decode = [](Index h, Index hkv, Index m, Index d) {
    return to_keys(m, grouped(hkv, forward(1, h, 1, d)));
  };
  const Case longest = decode(32, 8, 8192, 128);
  std::vector<Case> by_type = {longest};
  for (const FloatType type : kCacheTypes) by_type.push_back(relative_to(0, cached(type, longest)));
  table.show(by_type, 25);
  for (const Index m : {512, 2048, 32768}) table.add({decode(32, 8, m, 128)}, 25);
  for (const Index m : {512, 8192, 32768}) table.add({decode(16, 8, m, 128)}, 25);
  for (const Index m : {512, 8192, 32768}) table.add({decode(8, 1, m, 256)}, 25);
  table.group("cross");
  table.add({to_keys(1500, forward(1, 12, 448, 64))});
  table.add({to_keys(77, forward(1, 8, 4096, 64))});
  table.add({to_keys(512, forward(1, 16, 1344, 64))});
}

void add_statistics(Table& table) {
  table.group("statistics");
  const auto pair = [](Index h, Index n) {
    const Case full = only(kOnlyFovea, forward(1, h, n, 64));
    return std::vector<Case>{full, relative_to(0, of(Operation::statistics, full))};
  };
  table.show(pair(16, 4096));
  table.show(pair(1, 65536));
  for (const Index n : {1024, 2048, 8192}) table.add(pair(16, n));
  table.add(pair(1, 16384));
  table.add(pair(1, 100000));
}

void add_linear(Table& table) {
  table.group("linear");
  const auto pair = [](Index n) {
    return std::vector<Case>{only(kOnlyFovea, forward(8, 1, n, 64)), relative_to(0, linear(8, 1, n, 64))};
  };
  table.show(pair(1024), 100);
  for (const Index n : {256, 512, 2048, 4096, 8192}) table.add(pair(n));
  Case causal_linear = linear(8, 1, 1024, 64);
  causal_linear.causal = true;
  table.add({causal_linear});
  for (const Index n : {16384, 65536}) table.add({linear(8, 1, n, 64)});
}

// Does everything work? Seconds, not a measurement.
void add_smoke(Table& table) {
  table.group("smoke");
  table.add({forward(1, 2, 33, 8), relative_to(0, causal(forward(1, 2, 33, 8)))});
  table.add({padding(forward(2, 2, 33, 8))});
  table.add({sparse(4, grouped(2, forward(1, 4, 33, 8)))});
  table.add({alibi(forward(1, 2, 33, 8))});
  table.add({dropped(0.1f, forward(1, 2, 33, 8))});
  const Case decode = to_keys(65, grouped(2, forward(1, 4, 1, 8)));
  std::vector<Case> by_type = {decode};
  for (const FloatType type : kCacheTypes) by_type.push_back(relative_to(0, cached(type, decode)));
  table.add(by_type);
  table.add({linear(1, 2, 33, 8)});
  table.add({causal(backward(1, 2, 33, 8))});
  table.add({only(kOnlyFovea, of(Operation::statistics, forward(1, 2, 33, 8)))});
}

}  // namespace

const std::vector<Scenario>& all_scenarios() {
  static const std::vector<Scenario> scenarios = [] {
    Table table;
    add_forward(table);
    add_odd(table);
    add_masks(table);
    add_backward(table);
    add_decode(table);
    add_statistics(table);
    add_linear(table);
    add_smoke(table);
    return table.all;
  }();
  return scenarios;
}

}  // namespace fovea::bench
