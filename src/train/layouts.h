// The layouts that can be trained, one file each.
#pragma once

#include <memory>

#include "train/network.h"

namespace fovea {

// The config is complete and was checked.
std::unique_ptr<Network> make_gpt2_network(const TrainableConfig& config, Random& random);
std::unique_ptr<Network> make_llama_network(const TrainableConfig& config, Random& random);
std::unique_ptr<Network> make_bert_network(const TrainableConfig& config, Random& random);
std::unique_ptr<Network> make_bart_network(const TrainableConfig& config, Random& random);

}  // namespace fovea
