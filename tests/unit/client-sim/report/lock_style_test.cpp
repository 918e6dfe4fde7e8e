#include "client-sim/report/lock_style.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "client-sim/options.hpp"
#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {
namespace {

TEST(LockStyle, belongs_to_the_name_and_never_changes) {
  const std::map<std::string, std::size_t> styles{
      {"none", 0},    {"multiphase", 1},  {"lamport", 2},   {"ricart-agrawala", 3},
      {"maekawa", 4}, {"coordinator", 5}, {"two-phase", 6}, {"redis", 7},
      {"redlock", 8}, {"etcd", 9},        {"zookeeper", 10}};
  for (const auto& [lock, style] : styles) EXPECT_EQ(style_of(lock), style) << lock;
}

TEST(LockStyle, is_one_for_each_known_lock) {
  std::set<std::size_t> styles;
  std::set<std::string> symbols;
  for (const auto& lock : known_locks()) {
    EXPECT_LT(style_of(lock), lock_styles - 1) << lock << " has a style of its own";
    styles.insert(style_of(lock));
    symbols.insert(marker_of(style_of(lock), 0, 0));
  }
  EXPECT_EQ(styles.size(), known_locks().size());
  EXPECT_EQ(symbols.size(), known_locks().size());
  EXPECT_EQ(style_of("load"), lock_styles - 1);
}

// The colour that the style sheet names `name` in one of its two schemes.
std::string colour(std::string_view scheme, const std::string& name) {
  const auto at = scheme.find("--" + name + ":#");
  if (at == std::string_view::npos) return {};
  const auto begin = at + name.size() + 3;
  return std::string{scheme.substr(begin, scheme.find_first_of(";}", begin) - begin)};
}

TEST(LockStyle, has_a_colour_in_both_schemes_and_a_dash_of_its_own) {
  const auto palette = report_palette();
  const auto dark = palette.find("prefers-color-scheme:dark");
  ASSERT_NE(dark, std::string_view::npos);
  const auto rules = report_plot_style();
  for (const auto scheme : {palette.substr(0, dark), palette.substr(dark)}) {
    std::set<std::string> colours;
    for (std::size_t style = 0; style < lock_styles; ++style) {
      colours.insert(colour(scheme, "c" + std::to_string(style)));
    }
    EXPECT_EQ(colours.size(), lock_styles);
    EXPECT_FALSE(colours.contains(""));
  }
  std::set<std::string_view> dashes;
  for (std::size_t style = 0; style < lock_styles; ++style) {
    const auto rule = ".line.c" + std::to_string(style) + "{stroke-dasharray:";
    const auto at = rules.find(rule);
    const auto begin = at == std::string_view::npos ? at : at + rule.size();
    dashes.insert(
        at == std::string_view::npos ? "" : rules.substr(begin, rules.find('}', begin) - begin));
  }
  EXPECT_EQ(dashes.size(), lock_styles) << "one of them is solid";
}

TEST(Legend, shows_a_lock_alike_wherever_it_stands) {
  const auto alone = legend_of_lines({"etcd"});
  const auto symbol = line_symbol("etcd");
  EXPECT_NE(alone.find(symbol), std::string::npos);
  EXPECT_NE(legend_of_lines({"none", "redis", "etcd"}).find(symbol), std::string::npos);
  EXPECT_EQ(legend_of_lines({}), "");
}

}  // namespace
}  // namespace fixkeep::client_sim
