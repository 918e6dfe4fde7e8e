// The cases of https://www.w3.org/TR/trace-context-1/, sections 3.2 and 4.
#include "common/base/trace_context.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

constexpr const char* example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string with(std::size_t place, const std::string& text) {
  return std::string{example}.replace(place, text.size(), text);
}

TEST(TraceParent, is_read_and_written_as_the_specification_has_it) {
  const auto context = parse_traceparent(example);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace, (TraceId{0x0af7651916cd43dd, 0x8448eb211c80319c}));
  EXPECT_EQ(context->span, 0xb7ad6b7169203331);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(to_traceparent(*context), example);
  EXPECT_EQ(to_string(context->trace), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(span_text(context->span), "b7ad6b7169203331");
}

TEST(TraceParent, keeps_leading_zeros) {
  const std::string small = "00-00000000000000000000000000000001-0000000000000002-00";
  const auto context = parse_traceparent(small);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace, (TraceId{0, 1}));
  EXPECT_EQ(context->span, 2U);
  EXPECT_FALSE(context->sampled);
  EXPECT_EQ(to_traceparent(*context), small);
}

TEST(TraceParent, has_no_id_of_zeros_only) {
  EXPECT_FALSE(parse_traceparent(with(3, std::string(32, '0'))));
  EXPECT_FALSE(parse_traceparent(with(36, std::string(16, '0'))));
  EXPECT_TRUE(parse_traceparent(with(3, std::string(31, '0') + "1")));
  EXPECT_TRUE(parse_traceparent(with(3, "1" + std::string(31, '0'))));
}

TEST(TraceParent, passes_on_no_flag_but_sampled) {
  for (const auto& [given, passed] : {std::pair{"ff", "01"}, {"fe", "00"}, {"09", "01"}}) {
    const auto context = parse_traceparent(with(53, given));
    ASSERT_TRUE(context) << given;
    EXPECT_EQ(to_traceparent(*context), with(53, passed)) << given;
  }
}

TEST(TraceParent, of_version_00_has_nothing_behind_its_flags) {
  EXPECT_FALSE(parse_traceparent(std::string{example} + "-"));
  EXPECT_FALSE(parse_traceparent(std::string{example} + "-what-comes-later"));
  EXPECT_FALSE(parse_traceparent(std::string{example} + "1"));
}

TEST(TraceParent, of_a_later_version_is_read_as_far_as_it_is_known) {
  for (const std::string version : {"01", "cc", "fe"}) {
    for (const std::string rest : {"", "-", "-what-comes-later"}) {
      const auto context = parse_traceparent(with(0, version) + rest);
      ASSERT_TRUE(context) << version << rest;
      EXPECT_EQ(to_traceparent(*context), example);
    }
    EXPECT_FALSE(parse_traceparent(with(0, version) + ".what"));
    EXPECT_FALSE(parse_traceparent(with(0, version) + "0"));
  }
}

TEST(TraceParent, has_no_version_ff) {
  EXPECT_FALSE(parse_traceparent(with(0, "ff")));
}

TEST(TraceParent, is_ignored_when_any_character_of_it_is_another_one) {
  const std::string whole{example};
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const char wrong : {'g', 'A', ' ', '.', '\0', '\n'}) {
      EXPECT_FALSE(parse_traceparent(with(place, {wrong}))) << place << ": " << wrong;
    }
  }
  for (const std::size_t dash : {2U, 35U, 52U}) EXPECT_FALSE(parse_traceparent(with(dash, "0")));
}

TEST(TraceParent, is_ignored_when_it_is_cut_or_padded) {
  const std::string whole{example};
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_traceparent(whole.substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_traceparent(" " + whole));
  EXPECT_FALSE(parse_traceparent(whole + " "));
  EXPECT_FALSE(parse_traceparent(whole + "," + whole));
}

}  // namespace
}  // namespace fixkeep
