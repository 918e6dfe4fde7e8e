#include "common/base/sip_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

// Python computes the hash of bytes by SipHash-1-3. PYTHONHASHSEED=0 makes its key zero:
//   PYTHONHASHSEED=0 python3 -c 'print(hex(hash(bytes(range(15))) & 2**64 - 1))'
TEST(SipHash, is_the_one_of_python) {
  std::string text;
  for (char byte = 0; byte < 16; ++byte) text += byte;
  EXPECT_EQ(sip_hash({}, text), 0x8972188433a5c5b7U);
  EXPECT_EQ(sip_hash({}, text.substr(0, 15)), 0xf30eb725bb91c9eaU);
  EXPECT_EQ(sip_hash({}, "12345678"), 0x3489982430560a87U);
  EXPECT_EQ(sip_hash({}, "ann"), 0x5dc52f7edaa454b8U);
}

// The key of the appendix of "SipHash: a fast short-input PRF".
TEST(SipHash, uses_the_key) {
  EXPECT_EQ(sip_hash({0x0706050403020100U, 0x0f0e0d0c0b0a0908U}, ""), 0xabac0158050fc4dcU);
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
