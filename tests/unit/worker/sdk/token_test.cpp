#include "worker/sdk/token.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker::test {
namespace {

TEST(TokenTest, who_shows_none_is_heard_unless_it_is_needed) {
  SessionFacts facts{.token = "secret"};
  EXPECT_TRUE(check_token(facts, std::nullopt));
  facts.token_needed = true;
  EXPECT_FALSE(check_token(facts, std::nullopt));
  EXPECT_TRUE(check_token(facts, "Bearer secret"));
  EXPECT_TRUE(check_token(facts, "bearer  secret"));  // RFC 9110, section 11.4
}

TEST(TokenTest, what_is_shown_has_to_be_right) {
  for (const bool needed : {false, true}) {
    const SessionFacts facts{.token = "secret", .token_needed = needed};
    for (const char* const wrong :
         {"", "Bearer ", "secret", "Bearer secre", "Bearer secret ", "Bearersecret"}) {
      EXPECT_FALSE(check_token(facts, wrong)) << wrong;
    }
  }
}

}  // namespace
}  // namespace fixkeep::worker::test
