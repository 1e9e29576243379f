// The page with a film inside: one file that needs no server.
#pragma once

#include "fovea/film.h"
#include "page_file.h"

namespace fovea::explorer {

inline constexpr std::size_t kMostFilmWeights = 100'000'000;  // of all frames and texts, a byte each

// Weights of every frame as 8 bits of their row's largest, with measures, roles, similarities and rollouts.
// Throws Error for more weights than that, for texts of more than kStoredTokens, and for a page without a
// place for the data.
PageFile film_page(const Page& page, Film film);

}  // namespace fovea::explorer
