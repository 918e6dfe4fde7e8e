#include "master/http/match/body.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/base/random.hpp"
#include "master/http/match/members.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

const std::vector<Mode> modes{{ModeName{"duel"}, 8, {"region"}, {}},
                              {ModeName{"royale"}, 100, {}, {{"skill", {1000}}}}};

std::variant<MatchBody, MatchProblem> parse(std::string_view body) {
  return parse_match_body(body, modes, milliseconds{30'000});
}

MatchBody good(const json& body) {
  auto parsed = parse(body.dump());
  if (const auto* problem = std::get_if<MatchProblem>(&parsed)) ADD_FAILURE() << problem->detail;
  return std::get<MatchBody>(std::move(parsed));
}

MatchProblem bad(std::string_view body) {
  auto parsed = parse(body);
  if (!std::holds_alternative<MatchProblem>(parsed)) {
    ADD_FAILURE() << "accepted: " << body;
    return {};
  }
  return std::get<MatchProblem>(std::move(parsed));
}

TEST(MatchBodies, become_a_claim_with_its_group) {
  const auto body = good({{"player_id", "ann"},
                          {"mode", "duel"},
                          {"attributes", {{"region", "eu"}}},
                          {"party", {"bob", "cid"}},
                          {"wait_ms", 1500}});
  EXPECT_EQ(body.claim.player, PlayerId{"ann"});
  EXPECT_EQ(body.claim.party, (std::vector{PlayerId{"bob"}, PlayerId{"cid"}}));
  EXPECT_EQ(body.mode, modes.data());
  EXPECT_EQ(body.group, GroupKey{"duel/region=eu"});
  EXPECT_EQ(body.wait, milliseconds{1500});
}

TEST(MatchBodies, need_no_attributes_party_or_wait_if_the_mode_does_not) {
  const std::vector<Mode> plain{{ModeName{"plain"}, 2, {}, {}}};
  const auto parsed =
      parse_match_body(R"({"player_id":"ann","mode":"plain"})", plain, milliseconds{1});
  ASSERT_TRUE(std::holds_alternative<MatchBody>(parsed));
  EXPECT_EQ(std::get<MatchBody>(parsed).wait, milliseconds{1}) << "the configured one";
}

// As most readers of JSON have it.
TEST(MatchBodies, with_a_member_twice_count_as_the_second_says) {
  const auto body = std::get<MatchBody>(
      parse(R"({"player_id":7,"mode":"duel","player_id":"ann","party":"bob","party":["cid"],
          "attributes":[],"attributes":{"region":{"eu":1},"region":"us"},
          "wait_ms":-1,"wait_ms":5})"));
  EXPECT_EQ(body.claim.player, PlayerId{"ann"});
  EXPECT_EQ(body.claim.party, std::vector{PlayerId{"cid"}});
  EXPECT_EQ(body.group, GroupKey{"duel/region=us"});
  EXPECT_EQ(body.wait, milliseconds{5});
  for (const auto* twice :
       {R"("party":["cid"],"party":"bob")", R"("attributes":{},"attributes":1)",
        R"("wait_ms":5,"wait_ms":null)", R"("player_id":"ann","player_id":[])"}) {
    const std::string head = R"({"player_id":"ann","mode":"duel","attributes":{"region":"eu"},)";
    EXPECT_EQ(bad(head + twice + "}").type, "invalid-request") << twice;
  }
}

// What looks like a member within another one is none.
TEST(MatchBodies, are_read_at_their_own_depth) {
  const auto body = std::get<MatchBody>(parse(
      R"({"player_id":"ann","mode":"duel","attributes":{"x":{"region":"us","mode":"x"},
          "region":"eu","y":[["region"],{"region":1}]}})"));
  EXPECT_EQ(body.group, GroupKey{"duel/region=eu"});
  EXPECT_EQ(bad(R"([{"player_id":"ann","mode":"duel"}])").detail, "the body must be a JSON object");
  EXPECT_EQ(bad("17").detail, "the body must be a JSON object");
  const auto nested = bad(R"({"player_id":{"player_id":"ann"},"mode":"duel","party":[["bob"]]})");
  EXPECT_NE(nested.detail.find("player_id must be a text"), std::string::npos) << nested.detail;
  EXPECT_NE(nested.detail.find("party must be a text"), std::string::npos) << nested.detail;
}

TEST(MatchProblems, tell_what_is_no_json) {
  for (const auto* text : {"", "{", "player_id=ann", "{\"player_id\":\"\xff\"}", "{} {}"}) {
    EXPECT_EQ(bad(text).type, "invalid-json") << text;
  }
  EXPECT_EQ(bad("[]").type, "invalid-request");
}

// As Godot, Lua and JavaScript may write them.
TEST(MatchBodies, take_a_whole_number_however_it_is_written) {
  for (const auto* ten : {"10", "10.0", "1e1", "1.0E+1", "100e-1", "10.000000000000000000000"}) {
    SCOPED_TRACE(ten);
    const auto parsed =
        parse(fmt::format(R"({{"player_id":"ann","mode":"duel","attributes":{{"region":{0}}},)"
                          R"("wait_ms":{0}}})",
                          ten));
    ASSERT_TRUE(std::holds_alternative<MatchBody>(parsed));
    EXPECT_EQ(std::get<MatchBody>(parsed).wait, milliseconds{10});
    EXPECT_EQ(std::get<MatchBody>(parsed).group, GroupKey{"duel/region=10"});
  }
}

TEST(MatchProblems, name_a_number_that_is_not_whole_or_not_to_be_told_from_its_neighbours) {
  for (const auto* fraction : {"20000.5", "1e-3", "0.0", "-1.0", "3e9", "1e300"}) {
    EXPECT_EQ(bad(fmt::format(R"({{"player_id":"ann","mode":"duel","attributes":{{"region":1}},)"
                              R"("wait_ms":{}}})",
                              fraction))
                  .detail,
              "wait_ms must be a whole number from 1 to 30000");
  }
  // 2^53 may have been 2^53 + 1 before it was a double.
  for (const auto* unsure : {"9007199254740992.0", "-9007199254740993.0", "1e300", "0.5"}) {
    EXPECT_EQ(bad(fmt::format(R"({{"player_id":"ann","mode":"duel","attributes":{{"region":{}}}}})",
                              unsure))
                  .detail,
              "attributes.region must be a text or a whole number");
  }
}

TEST(MatchMembers, tell_whole_numbers_by_their_value) {
  const std::vector<std::pair<const char*, PlainValue>> cases{
      {"0.0", std::uint64_t{0}},
      {"-0.0", std::uint64_t{0}},
      {"-3.0", std::int64_t{-3}},
      {"9007199254740991.0", std::uint64_t{9007199254740991}},
      {"18446744073709551615", std::uint64_t{18446744073709551615U}},
      {"-9007199254740991.0", std::int64_t{-9007199254740991}},
      {"9007199254740992.0", 9007199254740992.0},
      {"-0.5", -0.5},
      {"1e300", 1e300}};
  for (const auto& [text, value] : cases) {
    const auto members = read_members(fmt::format(R"({{"wait_ms":{}}})", text));
    ASSERT_TRUE(members) << text;
    EXPECT_EQ((*members)[Member::wait_ms], value) << text;
  }
}

TEST(MatchProblems, list_the_modes_there_are) {
  const auto problem = bad(R"({"player_id":"ann","mode":"dual"})");
  EXPECT_EQ(problem.type, "unknown-mode");
  EXPECT_EQ(problem.detail, "mode must be one of: duel, royale; it is dual");
}

TEST(MatchProblems, name_every_field_that_is_wrong) {
  const auto problem = bad(
      R"({"player_id":"","mode":"duel","attributes":{"region":[]},"party":["bob","bob"],
          "wait_ms":0,"playerid":1})");
  EXPECT_EQ(problem.type, "invalid-request");
  for (const auto* part :
       {"player_id must be a text", "attributes.region must be a text", "party must name every",
        "wait_ms must be a whole number from 1 to 30000", "playerid is not a field"}) {
    EXPECT_NE(problem.detail.find(part), std::string::npos) << part << " in " << problem.detail;
  }
}

TEST(MatchProblems, refuse_ids_that_are_too_long_or_hold_control_characters) {
  json body{
      {"player_id", std::string(128, 'p')}, {"mode", "duel"}, {"attributes", {{"region", 1}}}};
  (void)good(body);
  body["player_id"] = std::string(129, 'p');
  (void)bad(body.dump());
  for (const char* unseen : {"a\nb", "\x1b[2J", "\u0085", "\u2028", "\u202e", "\ufeff"}) {
    body["player_id"] = unseen;
    (void)bad(body.dump());
  }
  body["player_id"] = "\u00fc \u6f22";
  (void)good(body);
  body["player_id"] = "ann";
  body["party"] = std::vector<std::string>(64, "x");
  (void)bad(body.dump());
}

// A text of JSON, of a kind that a request may have and of kinds that it must not.
std::string random_value(Random& random, int depth) {
  static const std::vector<std::string> plain{"null",
                                              "true",
                                              "0",
                                              "-1",
                                              "17",
                                              "18446744073709551615",
                                              "1e3",
                                              "-0.1",
                                              "1100.3",
                                              "0.1e-7",
                                              "\"\"",
                                              "\"eu\"",
                                              "\"\\u00e9\\n\"",
                                              "\"\\ud83d\\ude00 \\\"\"",
                                              "\"\xC3\xA9\"",
                                              "\"a\\tb\\u0000c\"",
                                              '"' + std::string(5000, 'l') + "\\\\ong\"",
                                              "123456789012345678901234567890"};
  const std::uint64_t kind = random.below(depth > 0 ? 8 : 6);
  if (kind < 6) return plain[random.below(plain.size())];
  static const std::vector<std::string> names{"player_id", "mode", "attributes",     "party",
                                              "wait_ms",   "x",    "play\\u0065r_id"};
  std::string text = kind == 6 ? "[" : "{";
  for (std::uint64_t n = random.below(5); n > 0; --n) {
    if (kind == 7) text += '"' + names[random.below(names.size())] + "\": ";
    text += random_value(random, depth - 1) + (n > 1 ? "," : "");
  }
  return text + (kind == 6 ? "]" : "}");
}

PlainValue plain(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number == 1000) return std::uint64_t{1000};  // "1e3", the only whole one of them
    return number;
  }
  if (value.is_string()) return value.get<std::string>();
  return {};
}

// By the library that reads all other JSON of the project.
TEST(MatchMembers, are_what_another_reader_finds) {
  Random random{12};
  std::size_t objects = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random_value(random, 3);
    if (random.below(4) == 0) text[random.below(text.size())] = "{}[],:\"\\ 1e."[random.below(12)];
    SCOPED_TRACE(text);
    const json tree = json::parse(text, nullptr, false);
    const auto members = read_members(text);
    ASSERT_EQ(members.has_value(), !tree.is_discarded());
    if (!members) continue;
    ASSERT_EQ(members->of_object, tree.is_object());
    if (!tree.is_object()) continue;
    ++objects;
    for (std::size_t m = 0; m < member_names.size(); ++m) {
      const auto& found = members->values[m];
      const auto known = tree.find(member_names[m]);
      ASSERT_EQ(found.has_value(), known != tree.end()) << member_names[m];
      if (found) ASSERT_EQ(*found, plain(*known)) << member_names[m];
    }
    const auto attributes = tree.value("attributes", json{});
    ASSERT_EQ(members->attributes.has_value(), attributes.is_object());
    for (const auto& [name, value] : attributes.items()) {
      if (!attributes.is_object()) break;
      const auto* const found = members->attributes->find(name);
      ASSERT_TRUE(found != nullptr && *found == plain(value)) << name;
    }
    const auto party = tree.value("party", json{});
    ASSERT_EQ(members->party.has_value(), party.is_array());
    if (!party.is_array()) continue;
    ASSERT_EQ(members->party->size(), party.size());
    for (std::size_t p = 0; p < party.size(); ++p) ASSERT_EQ((*members->party)[p], plain(party[p]));
  }
  EXPECT_GT(objects, 500U);
}

TEST(MatchMembers, end_at_a_depth_of_32) {
  const auto nested = [](std::size_t lists) {
    return R"({"x":)" + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  EXPECT_TRUE(read_members(nested(31)));
  EXPECT_FALSE(read_members(nested(33)));
  EXPECT_FALSE(read_members(std::string(60'000, '[')));
}

// The library that reads all other JSON takes a byte of 0 for the end.
TEST(MatchMembers, are_not_followed_by_anything) {
  EXPECT_TRUE(read_members("{} \n"));
  for (const std::string_view more : {std::string_view{"\0", 1}, std::string_view{"\0{}", 3}}) {
    EXPECT_FALSE(read_members("{}" + std::string{more}));
  }
}

TEST(MatchMembers, may_begin_with_a_byte_order_mark) {
  EXPECT_TRUE(read_members("\xEF\xBB\xBF{}"));
  EXPECT_FALSE(read_members("{}\xEF\xBB\xBF"));
}

TEST(MatchBodies, with_random_bytes_are_refused_or_what_another_reader_finds) {
  Random random{11};
  const std::string seed = R"({"player_id":"ann","mode":"duel","attributes":{"region":"eu"}})";
  int refused = 0;
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = seed;
    for (std::uint64_t n = random.below(4) + 1; n > 0; --n) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    const auto parsed = parse(text);
    if (const auto* problem = std::get_if<MatchProblem>(&parsed)) {
      ++refused;
      ASSERT_EQ(problem->status, 400U) << text;
      ASSERT_FALSE(problem->detail.empty()) << text;
      continue;
    }
    ++taken;
    const json tree = json::parse(text, nullptr, false);
    ASSERT_TRUE(tree.is_object()) << text;
    const auto& body = std::get<MatchBody>(parsed);
    ASSERT_EQ(body.claim.player.text(), tree.at("player_id").get<std::string>()) << text;
  }
  EXPECT_GT(refused, 15'000);
  EXPECT_GT(taken, 100);
}

std::string type_of_answer(std::string_view body, const Caller& caller) {
  const auto parsed = parse_match_body(body, modes, milliseconds{30'000}, caller);
  if (const auto* problem = std::get_if<MatchProblem>(&parsed)) {
    return fmt::format("{} {}: {}", problem->status, problem->type, problem->detail);
  }
  return std::get<MatchBody>(parsed).claim.player.text();
}

Caller with_token_of(const char* player) {
  return {.kind = Caller::Kind::player, .player = PlayerId{player}, .key = {}};
}

TEST(MatchBodies, of_a_player_with_a_token_are_for_that_player) {
  const Caller ann = with_token_of("ann");
  const std::string rest = R"("mode":"duel","attributes":{"region":"eu","skill":1}})";
  EXPECT_EQ(type_of_answer("{" + rest, ann), "ann");
  EXPECT_EQ(type_of_answer(R"({"player_id":"ann",)" + rest, ann), "ann");
  for (const std::string other : {"bob", "Ann", "ann "}) {
    EXPECT_EQ(type_of_answer(R"({"player_id":")" + other + "\"," + rest, ann),
              "403 other-player: player_id must equal the player of the token, or be left out");
  }
}

TEST(MatchBodies, of_a_player_with_a_token_name_nobody_else) {
  EXPECT_EQ(
      type_of_answer(R"({"mode":"duel","attributes":{"region":"eu","skill":1},)"
                     R"("party":["bob"]})",
                     with_token_of("ann")),
      "400 invalid-request: party cannot be named by a player: send invitations of its members");
}

TEST(MatchBodies, of_a_player_with_a_token_bring_invitations) {
  const std::string begin = R"({"mode":"duel","attributes":{"region":"eu"},"player_id":"ann",)";
  const auto parsed = parse_match_body(begin + R"("invitations":["a.b","c.d"]})", modes,
                                       milliseconds{30'000}, with_token_of("ann"));
  ASSERT_TRUE(std::holds_alternative<MatchBody>(parsed));
  EXPECT_EQ(std::get<MatchBody>(parsed).invitations, (std::vector<std::string>{"a.b", "c.d"}));
  EXPECT_TRUE(std::get<MatchBody>(parsed).claim.party.empty());
  for (const std::string wrong : {R"("a.b")", "[1]", "{}", "null"}) {
    EXPECT_THAT(type_of_answer(begin + R"("invitations":)" + wrong + '}', with_token_of("ann")),
                testing::StartsWith("400 invalid-request: invitations must be "));
  }
  EXPECT_EQ(type_of_answer(begin + R"("invitations":["a.b"]})", Caller{}),
            "400 invalid-request: invitations are for players with tokens: name the party");
}

TEST(MatchBodies, of_a_service_are_for_its_modes) {
  const auto of_modes = [](std::vector<std::string> names) {
    return Caller{.kind = Caller::Kind::service,
                  .player = {},
                  .key = std::make_shared<const ApiKeyOptions>(ApiKeyOptions{
                      .name = "back-end", .hash = {}, .modes = std::move(names), .limits = {}})};
  };
  const std::string body = R"({"player_id":"ann","party":["bob"],"mode":"duel",)"
                           R"("attributes":{"region":"eu","skill":1}})";
  EXPECT_EQ(type_of_answer(body, of_modes({})), "ann");
  EXPECT_EQ(type_of_answer(body, of_modes({"race", "duel"})), "ann");
  EXPECT_EQ(type_of_answer(body, of_modes({"race"})),
            "403 mode-forbidden: identity.keys says for which modes back-end may ask");
}

TEST(MatchAnswers, are_json_that_gives_every_party_member_a_token) {
  const PlayerId ann{"ann"};
  const PlayerId bob{"b\"ob"};
  const std::vector<PlayerSeat> seats{{&ann, "t1"}, {&bob, "t2"}};
  const wire::RoomPlace place{"localhost", {{"default", 7}, {"query", 9}}};
  const auto text =
      to_json({"k1", "w1-1", "g\\1", &place, "2026-01-01T00:00:00Z", &seats, "7K3M-QX2P-9TRW"});
  EXPECT_EQ(json::parse(text), (json{{"ticket_id", "k1"},
                                     {"room_id", "w1-1"},
                                     {"group", "g\\1"},
                                     {"address", "localhost"},
                                     {"port", 7},
                                     {"ports", {{"default", 7}, {"query", 9}}},
                                     {"seat_token", "t1"},
                                     {"expires_at", "2026-01-01T00:00:00Z"},
                                     {"code", "7K3M-QX2P-9TRW"},
                                     {"party", {{{"player_id", "b\"ob"}, {"seat_token", "t2"}}}}}));
  EXPECT_FALSE(json::parse(to_json({"k1", "w1-1", "g", &place, "2026-01-01T00:00:00Z", &seats}))
                   .contains("code"));
}

TEST(MatchAnswers, have_a_url_if_the_room_has_a_port_for_tls) {
  const auto url_at = [](const std::string& host, const char* name) {
    const PlayerId ann{"ann"};
    const std::vector<PlayerSeat> seats{{&ann, "t1"}};
    const wire::RoomPlace place{host, {{"default", 7}, {name, 9}}};
    const auto text = to_json({"k1", "w1-1", "g", &place, "2026-01-01T00:00:00Z", &seats});
    return json::parse(text).value("url", "none");
  };
  EXPECT_EQ(url_at("rooms.example", "wss"), "wss://rooms.example:9");
  EXPECT_EQ(url_at("2001:db8::1", "wss"), "wss://[2001:db8::1]:9");
  EXPECT_EQ(url_at("rooms.example", "query"), "none");
}

}  // namespace
}  // namespace fixkeep::master
