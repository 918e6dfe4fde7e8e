#include "common/auth/seat_token.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"
#include "common/base/random.hpp"

namespace fixkeep::auth {
namespace {

using std::chrono::milliseconds;

const RoomId room{WorkerId{"w1"}, Incarnation{0x5f3a9c0211d2e4b7}, RoomNumber{12}};
constexpr SeatRoot root{1};
const std::string room_text = to_string(room);
constexpr WallTime now{milliseconds{1'790'000'000'000}};
constexpr WallTime later = now + milliseconds{15'000};

Key key() {
  return derive_room_key(root, room);
}

SeatClaims claims_of(std::string player) {
  return {room_text, PlayerId{std::move(player)}, later};
}

Errc refusal(std::string_view token, WallTime when = now) {
  const auto verified = verify_seat(key(), room_text, token, when);
  if (verified) return Errc{};
  for (const auto code :
       {Errc::token_malformed, Errc::token_forged, Errc::token_expired, Errc::token_wrong_room}) {
    if (verified.error() == code) return code;
  }
  ADD_FAILURE() << verified.error().message();
  return Errc{};
}

// A token over any text, signed with the right key: what only we could make.
std::string signed_text(std::string_view text) {
  std::string token;
  append_base64url(text, token);
  const auto signature = hmac_sha256(view_of(key()), token);
  token += '.';
  append_base64url(view_of(signature), token);
  return token;
}

TEST(SeatToken, says_what_was_signed) {
  for (const std::string player :
       {"alice", "a", "two\nlines", "\n", "\n\n1\n2\n3", "ends with\n",
        "Zo\xc3\xab \xf0\x9f\x8e\xae", "not UTF-8 \xff\xfe\x80", "with.dots.", " "}) {
    const auto token = sign_seat(key(), claims_of(player));
    const auto verified = verify_seat(key(), room_text, token, now);
    ASSERT_TRUE(verified) << player;
    EXPECT_EQ(*verified, claims_of(player));
  }
}

TEST(SeatToken, says_the_facts_of_the_seat) {
  for (const std::string player : {"alice", "two\nlines", "\n", "{\"team\":\"2\"}"}) {
    auto claims = claims_of(player);
    claims.facts = seat_facts("red \"1\"\n", "final");
    EXPECT_EQ(claims.facts, R"({"team":"red \"1\"\u000a","match_id":"final"})");
    const auto token = sign_seat(key(), claims);
    const auto verified = verify_seat(key(), room_text, token, now);
    ASSERT_TRUE(verified) << player;
    EXPECT_EQ(*verified, claims);
    EXPECT_EQ(unverified_claims(token), claims);
    EXPECT_EQ(refusal(token, later), Errc::token_expired);
  }
}

TEST(SeatToken, leaves_out_facts_that_are_unknown) {
  EXPECT_EQ(seat_facts("1", ""), R"({"team":"1"})");
  EXPECT_EQ(seat_facts("", "final"), R"({"match_id":"final"})");
  EXPECT_EQ(seat_facts("", ""), "");
}

// Doors of an earlier release read only this form.
TEST(SeatToken, without_facts_is_of_the_first_version) {
  const auto token = sign_seat(key(), claims_of("alice"));
  EXPECT_EQ(token, signed_text("1\n" + std::to_string(later.time_since_epoch().count()) + "\n" +
                               room_text + "\nalice"));
}

TEST(SeatToken, has_a_bound) {
  const std::string id(128, '"');
  const std::string largest = to_string(
      RoomId{WorkerId{std::string(128, 'w')}, Incarnation{~0ULL}, RoomNumber{0xffffffffU}});
  const auto token = sign_seat(key(), {largest, PlayerId{id}, WallTime::max(), seat_facts(id, id)});
  EXPECT_LE(token.size(), 1'500U);
}

TEST(SeatToken, says_what_was_signed_for_any_player) {
  Random random{3};
  const Key room_key = key();
  SeatSigner signer{room_key};  // for all of them
  for (int i = 0; i < 1'000; ++i) {
    std::string player(1 + random.below(128), '\0');
    for (auto& byte : player) byte = static_cast<char>(random.below(256));
    const auto verified = verify_seat(room_key, room_text, signer.sign(claims_of(player)), now);
    ASSERT_TRUE(verified) << i;
    EXPECT_EQ(verified->player.text(), player);
  }
}

TEST(SeatToken, expires_to_the_millisecond) {
  const auto token = sign_seat(key(), claims_of("alice"));
  EXPECT_EQ(refusal(token, later - milliseconds{1}), Errc{});
  EXPECT_EQ(refusal(token, later), Errc::token_expired);
  EXPECT_EQ(refusal(token, later + milliseconds{1}), Errc::token_expired);
  EXPECT_EQ(refusal(token, WallTime::max()), Errc::token_expired);
  auto before_1970 = claims_of("alice");
  before_1970.expires_at = WallTime{milliseconds{-1}};
  EXPECT_EQ(refusal(sign_seat(key(), before_1970)), Errc::token_expired);
  EXPECT_EQ(refusal(sign_seat(key(), before_1970), WallTime{milliseconds{-2}}), Errc{});
}

TEST(SeatToken, is_refused_when_another_key_signed_it) {
  const auto other_key = derive_room_key(SeatRoot{2}, room);
  EXPECT_EQ(refusal(sign_seat(other_key, claims_of("alice"))), Errc::token_forged);
  // A game process that knows its own room's key can sign for no other room.
  auto neighbour = room;
  neighbour.number = RoomNumber{13};
  const auto neighbours_key = derive_room_key(root, neighbour);
  EXPECT_EQ(refusal(sign_seat(neighbours_key, claims_of("alice"))), Errc::token_forged);
}

TEST(SeatToken, is_refused_in_another_room) {
  auto claims = claims_of("alice");
  claims.room = "w1-5f3a9c0211d2e4b7-13";
  EXPECT_EQ(refusal(sign_seat(key(), claims)), Errc::token_wrong_room);
  claims.room = room_text + "0";
  EXPECT_EQ(refusal(sign_seat(key(), claims)), Errc::token_wrong_room);
}

TEST(SeatToken, is_refused_with_any_character_changed) {
  const auto token = sign_seat(key(), claims_of("alice"));
  for (std::size_t place = 0; place < token.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      if (byte == static_cast<unsigned char>(token[place])) continue;
      auto changed = token;
      changed[place] = static_cast<char>(byte);
      ASSERT_NE(refusal(changed), Errc{}) << "character " << place << " as " << byte;
    }
  }
}

TEST(SeatToken, is_refused_cut_or_extended) {
  const auto token = sign_seat(key(), claims_of("alice"));
  for (std::size_t length = 0; length < token.size(); ++length) {
    ASSERT_NE(refusal(token.substr(0, length)), Errc{}) << length;
    ASSERT_NE(refusal(token.substr(length + 1)), Errc{}) << length;
  }
  for (const auto* more : {"A", "=", ".", "AAAA", "\n", " "}) {
    EXPECT_NE(refusal(token + more), Errc{});
    EXPECT_NE(refusal(more + token), Errc{});
  }
}

TEST(SeatToken, of_one_player_does_not_sign_the_claims_of_another) {
  const auto alice = sign_seat(key(), claims_of("alice"));
  const auto bob = sign_seat(key(), claims_of("bob"));
  const auto mixed = bob.substr(0, bob.find('.')) + alice.substr(alice.find('.'));
  EXPECT_EQ(refusal(mixed), Errc::token_forged);
  EXPECT_NE(alice, bob);
}

TEST(SeatToken, names_its_room_before_it_is_verified) {
  const auto token = sign_seat(key(), claims_of("ann"));
  EXPECT_EQ(unverified_claims(token), claims_of("ann"));
  EXPECT_EQ(unverified_claims(token.substr(0, token.find('.'))), claims_of("ann"));
  for (const char* text : {"", ".", "rubbish", "cnViYmlzaA.cnViYmlzaA", "!.!"}) {
    EXPECT_FALSE(unverified_claims(text)) << text;
  }
}

TEST(SeatToken, survives_random_bytes) {
  Random random{9};
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes(random.below(120), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    EXPECT_NE(refusal(bytes), Errc{});
  }
}

// Nobody else can sign these, but a claim is believed only if it is exactly what we write.
TEST(SeatToken, is_refused_when_its_claims_are_not_ours_even_if_the_signature_is) {
  const auto expiry = std::to_string(later.time_since_epoch().count());
  EXPECT_EQ(refusal(signed_text("1\n" + expiry + "\n" + room_text + "\nalice")), Errc{});
  for (const auto& text :
       {std::string{}, std::string{"1"}, std::string{"1\n"}, "1\n" + expiry,
        "1\n" + expiry + "\n" + room_text, "1\n" + expiry + "\n" + room_text + "\n",
        "2\n" + expiry + "\n" + room_text + "\nalice", "2\n" + expiry + "\n" + room_text + "\n{}\n",
        "2\n" + expiry + "\n" + room_text + "\n\nalice",
        "3\n" + expiry + "\n" + room_text + "\n{}\nalice",
        "\n" + expiry + "\n" + room_text + "\nalice", "1\n\n" + room_text + "\nalice",
        "1\n " + expiry + "\n" + room_text + "\nalice",
        "1\n" + expiry + "x\n" + room_text + "\nalice",
        "1\n99999999999999999999\n" + room_text + "\nalice", "1\n-\n" + room_text + "\nalice"}) {
    EXPECT_EQ(refusal(signed_text(text)), Errc::token_malformed) << text;
  }
}

// The rest of the room would become a part of the player.
TEST(SeatToken, opens_no_room_when_the_room_is_no_line) {
  const auto torn = room_text + "\nmallory";
  auto claims = claims_of("alice");
  claims.room = torn;
  const auto token = sign_seat(key(), claims);
  EXPECT_EQ(refusal(token), Errc::token_wrong_room);
  EXPECT_EQ(verify_seat(key(), torn, token, now).error(), Errc::token_wrong_room);
  EXPECT_EQ(from_base64url(token.substr(0, token.find('.'))),
            "1\n" + std::to_string(later.time_since_epoch().count()) + "\n" + room_text +
                "?mallory\nalice");
}

TEST(SeatTokenDeathTest, is_not_signed_with_facts_of_two_lines) {
  auto claims = claims_of("alice");
  claims.facts = "{}\n";
  EXPECT_DEATH(static_cast<void>(sign_seat(key(), claims)), "assertion failed");
}

TEST(SeatTokenDeathTest, is_not_signed_for_nobody) {
  EXPECT_DEATH(static_cast<void>(sign_seat(key(), claims_of(""))), "assertion failed");
}

TEST(RoomKey, differs_by_root_and_by_every_part_of_the_room) {
  std::set<Key> keys;
  for (const auto& each : {root, SeatRoot{2}}) {
    for (const auto* worker : {"w1", "w2"}) {
      for (const std::uint64_t incarnation : {1U, 2U}) {
        for (const std::uint32_t number : {1U, 2U}) {
          keys.insert(derive_room_key(
              each, {WorkerId{worker}, Incarnation{incarnation}, RoomNumber{number}}));
        }
      }
    }
  }
  EXPECT_EQ(keys.size(), 16U);
  EXPECT_EQ(derive_room_key(root, room), derive_room_key(root, room));
}

TEST(RoomKey, is_written_and_read) {
  Random random{11};
  for (int i = 0; i < 500; ++i) {
    Key drawn{};
    for (auto& byte : drawn) byte = static_cast<unsigned char>(random.below(256));
    const auto text = to_text(drawn);
    EXPECT_EQ(text.size(), 64U);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
    const auto read = parse_key(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, drawn);
  }
}

TEST(RoomKey, is_refused_when_it_is_not_64_hexadecimal_digits) {
  const std::string text = to_text(key());
  for (const auto& wrong : {std::string{}, text.substr(1), text + "0", text + " ", " " + text}) {
    EXPECT_FALSE(parse_key(wrong)) << wrong;
  }
  for (std::size_t place = 0; place < text.size(); ++place) {
    for (const char c : {'g', ' ', '-', '+', 'x', '\0', '\n'}) {
      auto wrong = text;
      wrong[place] = c;
      EXPECT_FALSE(parse_key(wrong)) << place << c;
    }
  }
}

}  // namespace
}  // namespace fixkeep::auth
