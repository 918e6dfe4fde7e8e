#include "common/base/result.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fixkeep {
namespace {

TEST(Errors, each_have_a_text_of_their_own) {
  std::set<std::string> texts;
  for (int value = 1; value <= static_cast<int>(Errc::too_many_links); ++value) {
    const auto text = make_error_code(static_cast<Errc>(value)).message();
    EXPECT_NE(text, "unknown error") << value;
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
}

TEST(Results, carry_our_errors_as_error_codes) {
  const Result<int> failed = Errc::token_expired;
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error(), Errc::token_expired);
}

}  // namespace
}  // namespace fixkeep
