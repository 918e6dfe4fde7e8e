#include "common/base/sip_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

// The key and the texts of the appendix of "SipHash: a fast short-input PRF", and of the vectors
// that come with its reference implementation.
TEST(SipHash, is_the_one_of_the_paper) {
  constexpr SipKey key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
  std::string text;
  for (char byte = 0; byte < 15; ++byte) text += byte;
  EXPECT_EQ(sip_hash(key, text), 0xa129ca6149be45e5U);
  EXPECT_EQ(sip_hash(key, ""), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(sip_hash(key, text.substr(0, 8)), 0x93f5f5799a932462U);
}

TEST(SipHash, is_another_one_with_another_key) {
  const auto hash = sip_hash({1, 2}, "ann");
  EXPECT_NE(hash, sip_hash({2, 2}, "ann"));
  EXPECT_NE(hash, sip_hash({1, 3}, "ann"));
  EXPECT_NE(hash, sip_hash({1, 2}, "bob"));
  EXPECT_NE(hash, sip_hash({1, 2}, std::string{"ann\0", 4}));
}

}  // namespace
}  // namespace fixkeep
