// A model whose tokens go by other ids: Marian cuts texts by one file and numbers the pieces by another.
#pragma once

#include <memory>

#include "text/models/token_model.h"

namespace fovea {

// The tokens of `model`, called `names`, become those of `tokens` with the same name. Neighbours that the
// model does not know join into one, which is looked up as it is written. What `tokens` does not have is
// `unknown`.
std::unique_ptr<TokenModel> make_renamed_tokens(std::unique_ptr<TokenModel> model, const TokenTable& names,
                                                TokenTable tokens, TokenId unknown);

}  // namespace fovea
