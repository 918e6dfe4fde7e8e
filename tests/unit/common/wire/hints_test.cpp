#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "tests/unit/common/wire/random_messages.hpp"

namespace fixkeep::wire {
namespace {

std::vector<RoomHint> equal_hints(std::size_t count, std::size_t id_bytes) {
  RoomHint hint;
  hint.room = {WorkerId{std::string(id_bytes, 'w')}, Incarnation{1}, RoomNumber{1}};
  hint.mode = ModeName{std::string(id_bytes, 'm')};
  hint.capacity = 8;
  hint.free = 3;
  return std::vector<RoomHint>(count, hint);
}

TEST(Hints, come_back_as_they_were_or_as_many_of_the_first_as_fit) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random{seed};
    std::vector<RoomHint> hints;
    for (auto left = random.below(80); left > 0; --left) hints.push_back(random_hint(random));
    const auto bytes = encode_hints(hints);
    ASSERT_LE(bytes.size(), limits::lock_value_bytes);
    auto back = decode_hints(bytes);
    ASSERT_TRUE(back) << "seed " << seed;
    ASSERT_LE(back->size(), std::min(hints.size(), limits::hints));
    ASSERT_TRUE(std::equal(back->begin(), back->end(), hints.begin())) << "seed " << seed;
    // Those that are missing would not have fitted: each takes less than 300 bytes.
    if (back->size() < std::min(hints.size(), limits::hints)) {
      ASSERT_GT(bytes.size() + 300, limits::lock_value_bytes) << "seed " << seed;
    }
  }
}

TEST(Hints, of_nothing_are_no_bytes) {
  EXPECT_EQ(encode_hints({}), "");
  const auto back = decode_hints("");
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->empty());
}

TEST(Hints, are_cut_to_their_number) {
  EXPECT_EQ(decode_hints(encode_hints(equal_hints(limits::hints, 1)))->size(), limits::hints);
  EXPECT_EQ(decode_hints(encode_hints(equal_hints(limits::hints + 1, 1)))->size(), limits::hints);
}

TEST(Hints, are_cut_to_fit_a_lock_value) {
  const auto bytes = encode_hints(equal_hints(limits::hints, limits::id_bytes));
  EXPECT_LE(bytes.size(), limits::lock_value_bytes);
  const auto count = decode_hints(bytes)->size();
  EXPECT_GT(count, 10U);
  EXPECT_LT(count, limits::hints);
  EXPECT_GT((bytes.size() / count) * (count + 1), limits::lock_value_bytes) << "one more fits";
}

TEST(Hints, cut_changed_and_random_bytes_are_harmless) {
  Random random{4};
  for (int i = 0; i < 5'000; ++i) {
    std::vector<RoomHint> hints;
    for (auto left = 1 + random.below(4); left > 0; --left) hints.push_back(random_hint(random));
    auto bytes = encode_hints(hints);
    if (random.chance(0.5)) bytes.resize(random.below(bytes.size()));
    for (auto edits = random.below(3); edits > 0 && !bytes.empty(); --edits) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    const auto read = decode_hints(bytes);
    if (!read) continue;
    const auto again = decode_hints(encode_hints(*read));
    ASSERT_TRUE(again);
    ASSERT_EQ(*again, *read);
  }
}

}  // namespace
}  // namespace fixkeep::wire
