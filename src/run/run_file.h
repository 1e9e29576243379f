// The parts of a run's file, which a film's file is made of, too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/json_writer.h"
#include "fovea/named_tensors.h"
#include "fovea/run.h"
#include "run/json_fields.h"

namespace fovea {

std::string array_prefix(AttentionKind kind, Index layer);  // "encoder.0."

// "tokens": {..}
void write_tokens(JsonWriter& json, const Run& run);
// {"kind": .., "mask": ..}: the options of a layer. Throws Error for masks that have no text.
void write_layer(JsonWriter& json, const LayerView& layer, const std::string& where);

// Makes runs of the arrays and the JSON of a file.
class RunReader {
 public:
  RunReader(std::shared_ptr<const NamedArrays> arrays, std::string where);

  Run read();  // a run's file
  // One text of a film: arrays begin with `prefix`, have one frame per batch entry and share one sequence
  // of tokens.
  Run read_frames(const JsonFields& text, std::string prefix, const std::string& model);

  // One frame of such a text, with its tokens and options.
  static Run frame_of(const Run& frames, Index frame);
  // The same run with copies of queries and keys, and nothing else.
  static Run query_key_copy(const Run& run);

 private:
  const std::string& metadata() const;
  ConstView view(const std::string& name) const;
  void add_layer(const JsonFields& fields);
  ConstView stored_weights(const std::string& prefix, const Mask& mask) const;
  void set_query_key(LayerView& layer, const std::string& prefix) const;
  void set_tokens(AttentionKind kind, Run::Tokens tokens);
  void read_tokens(const JsonFields& kinds);
  void read_old_tokens(const JsonFields& root);
  void check_tokens() const;
  void check_sequences(const std::vector<TokenSequence>& sequences, Index batch, Index count,
                       const char* what) const;

  std::shared_ptr<const NamedArrays> arrays_;
  std::string where_, prefix_;
  bool frames_ = false;  // the first axis of the arrays counts frames
  Run run_;
};

}  // namespace fovea
