// What the libraries export; everything else is hidden.
#pragma once

// For everyone to use. The symbol version is FOVEA_ and the release, major and minor.
#define FOVEA_API __attribute__((visibility("default")))

// What fovea's own libraries use of each other, in the namespace fovea::internal. It changes at any time,
// and so its symbol version, FOVEA_PRIVATE_, has the whole version: libraries of two versions do not mix.
#define FOVEA_PRIVATE_API __attribute__((visibility("default")))
