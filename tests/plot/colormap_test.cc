#include "fovea/colormap.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "io/io_testing.h"

namespace fovea {
namespace {

// to_hex(colormaps[name](i)) of matplotlib 3.11.
TEST(Colormap, tables_are_those_of_matplotlib) {
  const std::vector<std::size_t> entries = {0, 37, 100, 128, 200, 255};
  const std::map<std::string, std::vector<std::string>> expected = {
      {"viridis", {"#440154", "#46337f", "#2a768e", "#21918c", "#70cf57", "#fde725"}},
      {"cividis", {"#00224e", "#233c6e", "#656870", "#7d7c78", "#c4b468", "#fee838"}},
      {"magma", {"#000004", "#241253", "#892881", "#b73779", "#fd9869", "#fcfdbf"}},
      {"YlOrRd", {"#ffffcc", "#ffea99", "#fead4a", "#fd8c3c", "#d9131f", "#800026"}},
      {"Blues", {"#f7fbff", "#dae8f6", "#97c6df", "#6aaed6", "#1a68ae", "#08306b"}},
      {"Greys", {"#ffffff", "#ececec", "#b8b8b8", "#959595", "#464646", "#000000"}},
      {"RdBu", {"#67001f", "#c2383a", "#fcd7c2", "#f6f7f7", "#4f9bc7", "#053061"}},
  };
  ASSERT_EQ(Colormap::names().size(), expected.size());
  for (const std::string& name : Colormap::names()) {
    const Colormap colormap(name);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(to_hex(colormap.table()[entries[i]]), expected.at(name)[i]) << name << " " << entries[i];
    }
  }
}

TEST(Colormap, values_outside_are_cut) {
  const Colormap colormap("viridis");
  EXPECT_EQ(colormap.color(-1), colormap.table().front());
  EXPECT_EQ(colormap.color(0), colormap.table().front());
  EXPECT_EQ(colormap.color(std::numeric_limits<double>::quiet_NaN()), colormap.table().front());
  EXPECT_EQ(colormap.color(0.5), colormap.table()[128]);
  EXPECT_EQ(colormap.color(1), colormap.table().back());
  EXPECT_EQ(colormap.color(1e300), colormap.table().back());
}

TEST(Colormap, unknown_name_lists_the_known_ones) {
  const std::string message = error_of([] { Colormap("jet"); });
  EXPECT_TRUE(contains(message, "\"jet\""));
  for (const std::string& name : Colormap::names()) EXPECT_TRUE(contains(message, name));
}

}  // namespace
}  // namespace fovea
