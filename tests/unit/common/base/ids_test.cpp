#include "common/base/ids.hpp"

#include <gtest/gtest.h>

namespace fixkeep {
namespace {

RoomId room(const char* worker, std::uint64_t incarnation, std::uint32_t number) {
  return {WorkerId{worker}, Incarnation{incarnation}, RoomNumber{number}};
}

TEST(RoomIds, read_back_what_they_print) {
  for (const auto& id : {room("w1", 1, 1), room("eu-west-1-w7", ~0ULL, 4'000'000'000U)}) {
    EXPECT_EQ(parse_room_id(to_string(id)), id) << to_string(id);
  }
}

TEST(RoomIds, refuse_everything_else) {
  const std::string good = to_string(room("w1", 0xab, 12));
  ASSERT_TRUE(parse_room_id(good));
  for (const std::string& bad :
       {std::string{}, std::string{"-"}, std::string{"w1"}, good + "x", good + " ", good + "-",
        "x" + good.substr(2), std::string{"w1-00000000000000AB-12"},
        std::string{"w1-00000000000000ab-012"}, std::string{"w1-00000000000000ab-"},
        std::string{"w1-00000000000000ab-4294967296"}, std::string(1000, '-')}) {
    const auto parsed = parse_room_id(bad);
    EXPECT_TRUE(!parsed || to_string(*parsed) == bad) << bad;
    if (bad != "x" + good.substr(2)) { EXPECT_FALSE(parsed) << bad; }
  }
}

TEST(FencingTokens, are_ordered_by_counter_then_master) {
  const FencingToken low{1, MasterId{9}};
  const FencingToken middle{2, MasterId{1}};
  const FencingToken high{2, MasterId{2}};
  EXPECT_LT(low, middle);
  EXPECT_LT(middle, high);
}

TEST(CreationIds, name_token_index_and_orderer) {
  const CreationId id{{7, MasterId{2}}, 3, Incarnation{0xff}};
  EXPECT_EQ(to_string(id), "7.m2.3.00000000000000ff");
}

TEST(CreationIds, are_read_exactly_as_they_are_written) {
  const CreationId creation{{7, MasterId{2}}, 3, Incarnation{0x5f3a'9c02'11d2'e4b7U}};
  EXPECT_EQ(to_string(creation), "7.m2.3.5f3a9c0211d2e4b7");
  EXPECT_EQ(parse_creation_id(to_string(creation)), creation);
  EXPECT_EQ(parse_creation_id(to_string(CreationId{})), CreationId{});
  for (const char* text : {"", "7", "7.m2.3", "7.2.3.5f3a9c0211d2e4b7", "07.m2.3.5f3a9c0211d2e4b7",
                           "7.m2.3.5f3a", "7.m2.3.5F3A9C0211D2E4B7", "7.m2.3.5f3a9c0211d2e4b7.",
                           "-7.m2.3.0", "7.m70000.3.5f3a9c0211d2e4b7", "7.m.3.5f3a9c0211d2e4b7"}) {
    EXPECT_FALSE(parse_creation_id(text)) << text;
  }
}

}  // namespace
}  // namespace fixkeep
