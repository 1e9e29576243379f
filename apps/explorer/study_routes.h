// The addresses of studies, and the page that holds them.
#pragma once

#include <vector>

#include "page_file.h"
#include "routes.h"
#include "study_store.h"

namespace fovea::explorer {

// GET /api/studies/s0 and /api/studies/s0/head?head=17. The store must outlive the routes.
void add_study_routes(Routes& routes, const StudyStore& studies);

// The page with studies and nothing else, as one file.
PageFile study_page(const Page& page, const std::vector<Study>& studies);

}  // namespace fovea::explorer
