// The account of one attention, step by step: every matrix, its formula, its shape, one sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/bias.h"
#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/mask.h"
#include "fovea/matrix.h"
#include "fovea/render.h"

namespace fovea {

// One matrix of the account. Names, in the order in which they appear (those in brackets only if they are
// part of the computation):
//   [x] [memory] [w_q] [w_k] [w_v] q k v                    once
//   [q k v of the head] scores scaled [capped] [bias] [biased] [mask] [masked] weights [head]    per head
//   [concat] [w_o] output                                    once
struct FOVEA_API Step {
  std::string name;
  Text title;           // "Attention weights", "注意力权重"
  std::string formula;  // "A = softmax(S/√d_k)"
  Matrix matrix;
  std::vector<std::string> row_labels;     // tokens, or empty
  std::vector<std::string> column_labels;  // tokens where the columns are keys, else empty
  Text sentence;                           // with numbers of this very computation
  int head = -1;                           // 0, 1, ..; −1: not of one head
};

struct FOVEA_API Account {
  Text title;
  std::vector<std::string> tokens;         // N, of the queries
  std::vector<std::string> memory_tokens;  // M, of the keys; the same as tokens for self-attention
  Index heads = 1;
  Index d_k = 0;     // width of the keys of one head
  double scale = 1;  // what the scores were multiplied by
  std::vector<Step> steps;
  std::vector<Text> notes;  // for example: where a tutorial prints another number

  // The step of that name; with several heads: of that head (without: the first one of that name).
  // Throws Error if there is none, naming those there are.
  const Step& step(std::string_view name, int head = -1) const;
  bool has(std::string_view name, int head = -1) const;
  const Matrix& weights(int head = 0) const { return step("weights", heads > 1 ? head : -1).matrix; }
  const Matrix& output() const { return step("output").matrix; }  // always the last step
};

// Q = X W_q and so on. An empty matrix: no projection (Q = X). With heads > 1 the columns of Q, K and V are
// split in equal parts; the heads' outputs are concatenated, and multiplied by w_o unless that is empty.
struct FOVEA_API Projections {
  Matrix w_q = {}, w_k = {}, w_v = {}, w_o = {};
  Index heads = 1;
};

struct FOVEA_API ExplainOptions {
  Text title = {};                       // default: what is computed
  std::vector<std::string> tokens = {};  // N names of the queries; default: x1, x2, .. (q1, q2, ..)
  std::vector<std::string> memory_tokens =
      {};          // M names of the keys; default: the tokens (self), m1, .. (k1, ..)
  Mask mask = {};  // for one batch entry
  Bias bias = {};
  std::optional<double> scale = {};  // default: 1/√d_k
  bool scaled = true;                // false: the raw scores go into softmax
  double softcap = 0;                // c·tanh(S/c); 0: off
};

// score = softcap(scale · q·k) + bias + mask, as in attention(). A row that sees nothing: weights 0, output
// 0. All throw Error with both shapes if something does not fit.
//   q [N, D], k [M, D], v [M, Dv]
FOVEA_API Account explain(const Matrix& q, const Matrix& k, const Matrix& v, const ExplainOptions& = {});
//   x [N, E], w_q and w_k [E, H·D], w_v [E, H·Dv], w_o [H·Dv, any]: self-attention
FOVEA_API Account explain(const Matrix& x, const Projections&, const ExplainOptions& = {});
//   queries from x [N, E], keys and values from memory [M, E2]: cross-attention
FOVEA_API Account explain(const Matrix& x, const Matrix& memory, const Projections&,
                          const ExplainOptions& = {});

FOVEA_API std::string to_terminal(const Account&, const RenderOptions& = {});
// Tables; color and width are not used.
FOVEA_API std::string to_markdown(const Account&, const RenderOptions& = {});

// Both languages, all digits (doubles survive the round trip). JSON has no infinity: −inf, inf and NaN are
// the strings "-inf", "inf" and "nan".
FOVEA_API std::string to_json(const Account&);
FOVEA_API void write_fields(JsonWriter&, const Account&);  // the same keys, into an object that is open

}  // namespace fovea
