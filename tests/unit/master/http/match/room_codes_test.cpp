#include "master/http/match/room_codes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace fixkeep::master {
namespace {

constexpr std::string_view secret = "a-secret-of-the-cluster";
const GroupKey eu{"duel/region=eu"};
const GroupKey us{"duel/region=us"};
const PlayerId ann{"ann"};

TEST(RoomCodes, are_known_to_every_master_with_the_secret_and_to_no_other) {
  RoomCodes one{secret};
  RoomCodes other{secret};
  RoomCodes stranger{"another-secret-of-one"};
  const auto code = one.make(eu, ann, "x");
  EXPECT_EQ(code.size(), 14U);
  EXPECT_EQ(other.read(eu, code), code);
  EXPECT_EQ(stranger.read(eu, code), std::nullopt);
}

TEST(RoomCodes, are_for_the_mode_and_the_attributes_that_they_were_made_for) {
  RoomCodes codes{secret};
  const auto code = codes.make(eu, ann, "x");
  EXPECT_EQ(codes.read(us, code), std::nullopt);
  EXPECT_EQ(codes.read(GroupKey{"race/region=eu"}, code), std::nullopt);
}

TEST(RoomCodes, are_another_one_for_another_word_or_player_and_else_the_same) {
  RoomCodes codes{secret};
  const auto code = codes.make(eu, ann, "x");
  EXPECT_EQ(codes.make(eu, ann, "x"), code);
  std::set<std::string> all{code, codes.make(eu, ann, "y"), codes.make(eu, PlayerId{"bob"}, "x"),
                            codes.make(us, ann, "x")};
  EXPECT_EQ(all.size(), 4U);
}

TEST(RoomCodes, are_groups_that_no_attribute_makes) {
  RoomCodes codes{secret};
  const auto code = codes.make(eu, ann, "x");
  const auto group = RoomCodes::group_of(eu, code);
  EXPECT_TRUE(RoomCodes::is_private(group));
  EXPECT_FALSE(RoomCodes::is_private(eu));
  EXPECT_TRUE(group.text().starts_with("duel/region=eu/*code=")) << group.text();
  EXPECT_EQ(group.text().size(), eu.text().size() + RoomCodes::key_bytes);
  // Whoever is told the group cannot say the code.
  EXPECT_EQ(codes.read(eu, group.text().substr(group.text().size() - 8)), std::nullopt);
}

TEST(RoomCodes, are_read_as_people_write_them) {
  RoomCodes codes{secret};
  std::string code;
  for (int i = 0; code.find('0') == std::string::npos || code.find('1') == std::string::npos; ++i) {
    code = codes.make(eu, ann, std::to_string(i));
  }
  std::string written;
  for (const char c : code) {
    if (c == '-') continue;
    written += static_cast<char>(std::tolower(c));
    written += ' ';
  }
  EXPECT_EQ(codes.read(eu, written), code);
  std::string mistaken = code;
  std::replace(mistaken.begin(), mistaken.end(), '0', 'o');
  std::replace(mistaken.begin(), mistaken.end(), '1', 'l');
  EXPECT_EQ(codes.read(eu, mistaken), code);
}

TEST(RoomCodes, that_differ_in_one_character_are_wrong) {
  RoomCodes codes{secret};
  const auto code = codes.make(eu, ann, "x");
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '-') continue;
    std::string wrong = code;
    wrong[i] = wrong[i] == '7' ? '8' : '7';
    EXPECT_EQ(codes.read(eu, wrong), std::nullopt) << wrong;
  }
  for (const auto* text : {"", "-", "7K3M", "UUUU-UUUU-UUUU", "\xff\xff\xff\xff-AAAA-AAAA"}) {
    EXPECT_EQ(codes.read(eu, text), std::nullopt) << text;
  }
  EXPECT_EQ(codes.read(eu, code + "0"), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::master
