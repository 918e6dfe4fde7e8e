#include "worker/probe/core/dialog.hpp"

#include <gtest/gtest.h>

#include "worker/probe/core/a2s.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::string_literals;

const std::string question = "\xff\xff\xff\xffTSource Engine Query\0"s;
const std::string challenge = "\xff\xff\xff\xff\x41\x0a\x08\x5e\xea"s;
// Of a server with 7 players of 32, 2 of them bots.
const std::string info =
    "\xff\xff\xff\xff\x49\x11My server\0de_dust\0cstrike\0Counter-Strike\0\x0a\x00\x07\x20\x02"s
    "dl\x00\x01"
    "1.0\0"s;

TEST(A2s, asks_with_the_challenge_at_the_end) {
  EXPECT_EQ(a2s_question(""), question);
  EXPECT_EQ(a2s_question("abcd"), question + "abcd");
}

TEST(A2s, reads_challenge_and_players) {
  EXPECT_EQ(read_a2s(challenge), A2sAnswer{A2sChallenge{"\x0a\x08\x5e\xea"}});
  EXPECT_EQ(read_a2s(info), A2sAnswer(A2sInfo{.players = 7, .maximum = 32, .bots = 2}));
}

TEST(A2s, refuses_an_answer_that_is_cut_at_any_byte) {
  const auto bots_end = info.find("dl");
  for (std::size_t size = 0; size < bots_end; ++size) {
    EXPECT_TRUE(std::holds_alternative<A2sRubbish>(read_a2s(info.substr(0, size)))) << size;
  }
  EXPECT_TRUE(std::holds_alternative<A2sInfo>(read_a2s(info.substr(0, bots_end))));
  EXPECT_TRUE(std::holds_alternative<A2sRubbish>(read_a2s(challenge.substr(0, 8))));
}

TEST(A2s, says_what_it_does_not_understand) {
  EXPECT_EQ(read_a2s("\xfe\xff\xff\xff\x01"s), A2sAnswer{A2sRubbish{"it is in several packets"}});
  EXPECT_EQ(read_a2s("\xff\xff\xff\xff\x6d"s),
            A2sAnswer{A2sRubbish{"it begins with ff ff ff ff 6d"}});
}

TEST(A2sDialog, goes_through_the_round_of_the_challenge) {
  A2sDialog dialog{{.port = "query"}};
  EXPECT_EQ(dialog.question(), question);
  EXPECT_EQ(dialog.take("hello"), Heard::nothing);
  EXPECT_EQ(dialog.take(challenge), Heard::question);
  EXPECT_EQ(dialog.question(), question + "\x0a\x08\x5e\xea"s);
  EXPECT_EQ(dialog.take(info), Heard::answer);
  EXPECT_EQ(dialog.players(), (PlayerCount{.players = 5, .bots = 2, .maximum = 32}));
}

TEST(A2sDialog, more_bots_than_players_are_no_players) {
  auto odd = info;
  odd[odd.find("\x07\x20\x02")] = 1;
  A2sDialog dialog{{.port = "query"}};
  EXPECT_EQ(dialog.take(odd), Heard::answer);
  EXPECT_EQ(dialog.players()->players, 0U);
}

TEST(A2sDialog, does_not_follow_challenges_for_ever) {
  A2sDialog dialog{{.port = "query"}};
  int rounds = 0;
  while (dialog.take(challenge) == Heard::question) ++rounds;
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(dialog.failure().text, "it is only another challenge");
}

UdpProbe two_packets() {
  return {
      .port = "game",
      .exchanges = {{.question = "token?", .padded_to = 10, .answer = *parse_byte_pattern("'T'")},
                    {.question = "info.....",
                     .copies = {{.from = 1, .to = 4, .bytes = 4}},
                     .answer = *parse_byte_pattern("'I'")}}};
}

TEST(UdpDialog, puts_bytes_of_the_first_answer_into_the_second_question) {
  UdpDialog dialog{two_packets()};
  EXPECT_EQ(dialog.question(), "token?\0\0\0\0"s);
  EXPECT_EQ(dialog.take("Iearly"), Heard::nothing) << "that answers another question";
  EXPECT_EQ(dialog.failure().text, "it begins with 49 65 61 72 6c 79");
  EXPECT_EQ(dialog.take("Tabcd"), Heard::question);
  EXPECT_EQ(dialog.question(), "infoabcd.");
  EXPECT_EQ(dialog.take("I"), Heard::answer);
  EXPECT_EQ(dialog.players(), std::nullopt);
}

TEST(UdpDialog, does_not_copy_bytes_that_are_not_there) {
  UdpDialog dialog{two_packets()};
  EXPECT_EQ(dialog.take("Tabc"), Heard::nothing);
  EXPECT_EQ(dialog.failure().text, "it has only 4 bytes");
  EXPECT_EQ(dialog.question(), "token?\0\0\0\0"s);
}

TEST(UdpDialog, an_answer_without_the_number_is_none) {
  UdpProbe probe{.port = "game", .exchanges = {{.question = "info"}}};
  probe.players = PlayerPattern{*TextPattern::matching("players=(\\d+)").pattern};
  UdpDialog dialog{probe};
  EXPECT_EQ(dialog.take("info"), Heard::nothing);
  EXPECT_EQ(dialog.failure().kind, Failure::Kind::no_number);
  EXPECT_EQ(dialog.take("info players=12 bots=1"), Heard::answer);
  EXPECT_EQ(dialog.players(), PlayerCount{.players = 12});
}

}  // namespace
}  // namespace fixkeep::probe
