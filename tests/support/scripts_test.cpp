// The runner of tests that are text: scripts_test.txt, which it plays, and what it does with one
// that does not hold.
#include "tests/support/scripts.hpp"

#include <gtest/gtest.h>

namespace fixkeep::support {
namespace {

// "add 3", "sum", and "say TEXT", of which each "|" begins a line.
class Sum : public ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    Words words{command};
    const auto what = words.next();
    if (what == "add") return sum_ += std::stoi(words.next()), "";
    if (what == "sum") return std::to_string(sum_);
    auto text = words.rest();
    for (auto& each : text) each = each == '|' ? '\n' : each;
    return what == "say" ? text : "no such command";
  }
  std::string end() override { return sum_ < 0 ? "below zero" : ""; }

 private:
  int sum_ = 0;
};

const bool sums =
    register_scripts("tests/support/scripts_test.txt", [] { return std::make_unique<Sum>(); });

std::vector<std::string> failures_of(const std::string& text, std::string* said = nullptr) {
  Sum sum;
  std::size_t begin = 0;
  std::vector<std::string> lines;
  std::vector<std::string> all;
  for (const auto& each : play_script(parts_of(text, '\n'), begin, sum, lines)) {
    all.push_back(std::to_string(each.line) + " " + each.command + ": " + each.wanted + ", not " +
                  each.answer);
  }
  for (const auto& line : lines) {
    if (said != nullptr) *said += line + "\n";
  }
  return all;
}

TEST(Scripts, says_which_line_is_not_answered_as_it_has_to_be) {
  using All = std::vector<std::string>;
  EXPECT_EQ(failures_of("add 3\nsum => 3\n"), All{});
  EXPECT_EQ(failures_of("# a sum\nadd 3\nsum => 4\nsum => 3\n"), All{"3 sum: 4, not 3"});
  EXPECT_EQ(failures_of("sum\n"), All{"1 sum: , not 0"}) << "every answer has to stand there";
  EXPECT_EQ(failures_of("add 3 => 3\n"), All{"1 add 3: 3, not "});
  EXPECT_EQ(failures_of("say a|b\n  a\n  c\n"), All{"1 say a|b: a\nc, not a\nb"});
  EXPECT_EQ(failures_of("add -1\n"), All{"0 the end: , not below zero"});
}

TEST(Scripts, says_a_script_again_with_the_answers_of_the_run) {
  std::string said;
  (void)failures_of("# two\nadd 2\nsum => 7\nsay a|b => c\nsum\n  8\n", &said);
  EXPECT_EQ(said, "# two\nadd 2\nsum => 2\nsay a|b\n  a\n  b\nsum => 2\n");
  EXPECT_EQ(failures_of(said), std::vector<std::string>{});
}

TEST(Scripts, writes_bytes_as_text) {
  const std::string bytes = bytes_of("a\\r\\x00\\s{xy*2}");
  EXPECT_EQ(bytes, (std::string{"a\r\0 xyxy", 8}));
  EXPECT_EQ(shown(bytes), "a\\r\\x00 xyxy");
}

}  // namespace
}  // namespace fixkeep::support
