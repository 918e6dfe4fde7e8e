#include "client-sim/report/template.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "client-sim/report/html_parts.hpp"

namespace fixkeep::client_sim {
namespace {

TEST(Template, escapes_text_but_not_html) {
  EXPECT_EQ(fill_template("{{text}} {{{html}}}", {{"text", "<&>\"'"}, {"html", "<b>"}}),
            "&lt;&amp;&gt;&quot;&#39; <b>");
}

TEST(Template, shows_numbers_as_json_does) {
  EXPECT_EQ(fill_template("{{count}} {{share}}", {{"count", 12'000}, {"share", 0.5}}), "12000 0.5");
}

TEST(Template, repeats_a_section_for_each_element) {
  EXPECT_EQ(fill_template("{{#rows}}[{{#.}}<{{.}}>{{/.}}]{{/rows}}",
                          {{"rows", {{"a", "b", "c"}, {"d", "&", "f"}}}, {"other", 1}}),
            "[<a><b><c>][<d><&amp;><f>]");
}

TEST(Template, leaves_out_a_section_that_is_false_or_empty_or_missing) {
  const nlohmann::json values{
      {"no", false}, {"nothing", nullptr}, {"none", nlohmann::json::array()}, {"yes", true}};
  EXPECT_EQ(fill_template("{{#no}}a{{/no}}{{#nothing}}b{{/nothing}}{{#none}}c{{/none}}"
                          "{{#missing}}d{{/missing}}{{#yes}}e{{/yes}}",
                          values),
            "e");
}

TEST(Template, does_not_take_a_value_for_a_template) {
  EXPECT_EQ(fill_template("{{a}}{{{b}}}", {{"a", "{{b}}"}, {"b", "{{a}}"}}), "{{b}}{{a}}");
}

// The short ones become lists on a narrow page, where each cell needs its name.
TEST(TableHtml, names_every_cell_and_tells_short_tables_from_long_ones) {
  Table table{{"lock", "p50 <ms>"}, {"none", "1"}};
  const auto small = table_html(table);
  EXPECT_NE(small.find("<table class=\"few\">"), std::string::npos) << small;
  EXPECT_NE(small.find("<td data-name=\"p50 &lt;ms&gt;\">1</td>"), std::string::npos) << small;
  table.resize(100, {"none", "1"});
  EXPECT_NE(table_html(table).find("<table>"), std::string::npos);
}

TEST(TemplateDeathTest, is_our_own_bug_when_malformed) {
  EXPECT_DEATH((void)fill_template("{{#open}}", nlohmann::json::object()), "is_valid");
}

}  // namespace
}  // namespace fixkeep::client_sim
