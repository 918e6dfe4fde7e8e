#include "client-sim/plot_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "client-sim/report/svg_rows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

namespace fs = std::filesystem;

class PlotFiles : public testing::Test {
 protected:
  static std::vector<Picture> pictures() {
    Picture picture{.name = "made", .title = "Rooms <made>", .words = "All of them."};
    picture.locks = {"none", "redis"};
    picture.cells.push_back(
        {.lock = "none",
         .note = {},
         .drawing =
             rows_plot({.description = "d", .x_label = "rooms"},
                       {{.label = "none", .style = 0, .bars = {{.value = 3, .text = "3"}}}})});
    return {picture};
  }

  [[nodiscard]] std::string text_of(const char* name) const {
    std::ostringstream text;
    text << std::ifstream{folder_ / name, std::ios::binary}.rdbuf();
    return text.str();
  }

  test::TemporaryFolder folder_;
};

TEST_F(PlotFiles, are_written_as_svg_with_colours_of_their_own) {
  std::ostringstream err;
  (void)write_plots(pictures(), {folder_ / "new", "compare --x <1>"}, err);
  const auto svg = text_of("new/made.svg");
  EXPECT_EQ(svg.find("var("), std::string::npos) << "programs that draw SVG know no variables";
  EXPECT_EQ(svg.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(svg.find(".bar.c0,.band.c0,.marker.c0{fill:#d55e00}"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<rect class=\"page\""), std::string::npos) << "a background";
  EXPECT_NE(svg.find("Rooms &lt;made&gt;"), std::string::npos);
  EXPECT_NE(svg.find("compare --x &lt;1&gt;"), std::string::npos);
}

TEST_F(PlotFiles, need_the_converter_and_say_which_package_it_is_in) {
  std::ostringstream err;
  EXPECT_FALSE(write_plots(pictures(), {folder_.path(), "o", "no-such-converter"}, err));
  EXPECT_NE(err.str().find("librsvg2-bin"), std::string::npos) << err.str();
  EXPECT_TRUE(fs::exists(folder_ / "made.svg")) << "what can be written is";
  EXPECT_FALSE(fs::exists(folder_ / "made.png"));
}

TEST_F(PlotFiles, are_converted_to_png) {
  std::ostringstream err;
  ASSERT_TRUE(write_plots(pictures(), {folder_.path(), "o"}, err)) << err.str();
  EXPECT_EQ(text_of("made.png").substr(1, 3), "PNG");
  EXPECT_FALSE(fs::exists(folder_ / "made.log"));
}

TEST_F(PlotFiles, that_cannot_be_converted_are_an_error_with_its_words) {
  std::ostringstream err;
  EXPECT_FALSE(write_plots(pictures(), {folder_.path(), "o", "/bin/false"}, err));
  EXPECT_NE(err.str().find("exit code 1"), std::string::npos) << err.str();
}

}  // namespace
}  // namespace fixkeep::client_sim
