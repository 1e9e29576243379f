#include "commands/attend_ring.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "fovea/distributed.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/npy_rows.h"
#include "mpirun_guard.h"

namespace fovea::command {
namespace {

// What this rank's own part of a step says is wrong; "" if nothing is.
template <typename Body>
std::string problem_of(const Body& body) {
  try {
    body();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// The rows of a rank, of all its ranges, one after the other.
Tensor read_rows(const NpyRows& file, const std::vector<RowRange>& ranges) {
  std::vector<Tensor> parts;
  std::vector<Index> extents;
  for (int axis = 0; axis < file.shape().rank(); ++axis) extents.push_back(file.shape()[axis]);
  Index& rows = extents[extents.size() - 2];
  rows = 0;
  for (const RowRange& range : ranges) {
    parts.push_back(file.rows(range.begin, range.end));
    rows += range.size();
  }
  Tensor all = Tensor::uninitialized(Shape(extents));
  float* out = all.data();
  const Index width = extents.back();
  const Index matrices = rows * width == 0 ? 0 : all.shape().elements() / (rows * width);
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (const Tensor& part : parts) {
      const Index size = part.shape().back(1) * width;
      out = std::copy_n(part.data() + matrix * size, size, out);
    }
  }
  return all;
}

Shape output_shape(const Shape& q, const Shape& v) {
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < q.rank(); ++axis) extents.push_back(q[axis]);
  extents.push_back(v.back());
  return Shape(extents);
}

// Makes the file on rank 0, writes every rank's rows, and puts it in its place when all are on the disk.
// All know its name before it is made: however a rank ends, one that is left removes the file.
void write_rows(const Ranks& ranks, const std::string& path, const Shape& shape, const Tensor& rows) {
  const std::string name = ranks.gather(ranks.rank() == 0 ? NpyRowsWriter::choose_name(path) : "").front();
  NpyRowsWriter file(path, name, shape);
  ranks.agree("");  // all have come so far
  ranks.agree(problem_of([&] {
    if (ranks.rank() == 0) file.make();
  }));
  ranks.agree(problem_of([&] {
    if (ranks.rank() != 0) file.join();
    Index first = 0;
    for (const RowRange& range : rows_of_rank(shape.back(1), ranks.rank(), ranks.size())) {
      file.write(range.begin, rows.view().slice(rows.shape().rank() - 2, first, first + range.size()));
      first += range.size();
    }
    file.flush();
  }));
  ranks.agree(problem_of([&] {
    if (ranks.rank() == 0) file.finish();
  }));
}

void attend(const Context& context, const Ranks& ranks, const RingRequest& request) {
  Tensor q, k, v;
  Shape q_shape, v_shape;
  RingExtents extents;
  ranks.agree(problem_of([&] {
    const NpyRows q_file(request.files[0]), k_file(request.files[1]), v_file(request.files[2]);
    q_shape = q_file.shape();
    v_shape = v_file.shape();
    extents = {q_shape.back(1), k_file.shape().back(1)};
    if (v_shape.back(1) != extents.keys) {
      throw Error(fmt::format("[attend] k has {} rows, v {}", extents.keys, v_shape.back(1)));
    }
    const auto rows_in = [&](Index rows) { return rows_of_rank(rows, ranks.rank(), ranks.size()); };
    const auto queries = rows_in(extents.queries), keys = rows_in(extents.keys);
    q = read_rows(q_file, queries);
    k = read_rows(k_file, keys);
    v = read_rows(v_file, keys);
  }));
  const AttentionResult result = ring_attention(ranks, q, k, v, extents, request.options(q_shape));
  const Shape shape = output_shape(q_shape, v_shape);
  write_rows(ranks, request.output, shape, result.output);
  if (ranks.rank() != 0) return;
  if (request.json) {
    JsonWriter json;
    json.begin_object();
    json.key("file").string(request.output);
    json.key("output").shape(shape);
    json.end_object();
    context.print(json.take());
  } else {
    print_message(fmt::format("output {} → {}", shape.to_string(), request.output));
  }
}

}  // namespace

int attend_over_ranks(const Context& context, const RingRequest& request) {
  MpirunGuard guard;
  const Ranks ranks;
  try {
    attend(context, ranks, request);
    guard.all_went_well();
    return 0;
  } catch (const AgreedError& error) {
    // All ranks are here. One of them says it, and the others wait until it has: mpirun ends all as soon as
    // one has left with this code.
    if (ranks.rank() == 0) print_message(fmt::format("fovea: {}", error.what()));
    ranks.gather("");
    return 1;
  } catch (const std::exception& error) {
    print_message(fmt::format("fovea: rank {} of {}: {}", ranks.rank(), ranks.size(), error.what()));
    ranks.abort(1);
  }
}

}  // namespace fovea::command
