// Arrays for a Python process.
#pragma once

#include <string_view>

#include "competitors/peer_process.h"
#include "fovea/json_writer.h"
#include "fovea/tensor.h"

namespace fovea::bench {

// Writes the arrays of a problem into the shared file, and says where they are.
class Handover {
 public:
  Handover(const PeerProcess& process, JsonWriter& json) : process_(process), json_(json) {}

  void array(std::string_view name, std::string_view type, const Shape& shape, const void* data,
             Index bytes) {
    process_.write(at_, data, bytes);
    json_.key(name).begin_object();
    json_.key("type").string(type);
    json_.key("shape").shape(shape);
    json_.key("at").integer(at_);
    json_.end_object();
    at_ += (bytes + 63) / 64 * 64;
  }
  void tensor(std::string_view name, const Tensor& tensor) {
    array(name, "float32", tensor.shape(), tensor.data(), 4 * tensor.shape().elements());
  }

 private:
  const PeerProcess& process_;
  JsonWriter& json_;
  Index at_ = 0;
};

}  // namespace fovea::bench
