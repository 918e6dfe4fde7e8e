// Whoever names another player, on the port of players of a master that takes tokens and keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/auth/api_key.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/token_issuer.hpp"

namespace fixkeep::attack {
namespace {

using integration::expect_clean_stop;
using integration::problem_type;
using support::LocalCluster;
using support::Part;
using support::TokenIssuer;

// Of all rooms, as a master shows them to operators.
int reserved_seats(const LocalCluster& cluster, std::size_t master) {
  const auto page = support::get_json(cluster.admin(master), "/v1/rooms");
  int seats = 0;
  for (const auto& room : page.at("rooms")) seats += room.at("reserved").get<int>();
  return seats;
}

struct Impostors : testing::Test {
  Impostors() {
    write_keys(issuer.jwk_set());
    cluster.start();
  }

  void write_keys(const std::string& keys) const { std::ofstream{folder / "keys.jwks"} << keys; }
  [[nodiscard]] static std::string claims_of(const std::string& player) {
    return R"({"iss":"studio","aud":"fixkeep","exp":4000000000,"sub":")" + player + R"("})";
  }
  [[nodiscard]] std::string token_of(const std::string& player) const {
    return issuer.token(claims_of(player));
  }
  [[nodiscard]] client_sim::HttpReply post(const std::string& target, const nlohmann::json& body,
                                           const std::string& credential) const {
    const auto reply = support::post(cluster.http(0), target, body.dump(), credential);
    if (!reply) throw std::runtime_error{"no answer: " + reply.error().message()};
    return *reply;
  }
  // `player` is named in the body; empty: nobody is.
  [[nodiscard]] client_sim::HttpReply ask(const std::string& player, const std::string& credential,
                                          const std::string& region = "eu") const {
    auto body = nlohmann::json::parse(support::match_body(player, region));
    if (player.empty()) body.erase("player_id");
    return post("/v1/match", body, credential);
  }
  [[nodiscard]] std::string invitation_to(const std::string& leader,
                                          const std::string& member) const {
    const auto reply =
        post("/v1/invitations", {{"leader", leader}, {"mode", "duel"}}, token_of(member));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return nlohmann::json::parse(reply.body).at("invitation");
  }
  [[nodiscard]] client_sim::HttpReply ask_with(const std::string& leader,
                                               const std::vector<std::string>& invitations) const {
    auto body = nlohmann::json::parse(support::match_body(leader, "eu"));
    body["invitations"] = invitations;
    return post("/v1/match", body, token_of(leader));
  }
  [[nodiscard]] client_sim::HttpReply leave(const std::string& seat_token,
                                            const std::string& credential) const {
    const auto reply = support::remove(cluster.http(0), "/v1/seats/" + seat_token, credential);
    if (!reply) throw std::runtime_error{"no answer: " + reply.error().message()};
    return *reply;
  }
  static void expect_refused(const client_sim::HttpReply& reply, unsigned status,
                             const std::string& type) {
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(problem_type(reply.body), type);
  }

  TokenIssuer issuer{auth::TokenAlgorithm::es256, "first"};
  std::string key = auth::make_api_key();
  std::string key_of_arena = auth::make_api_key();
  test::TemporaryFolder folder;
  LocalCluster cluster{
      {.masters = 1, .workers = 1, .capacity = 8, .boot_ms = 0, .log_level = "debug"},
      [this](LocalCluster::Config& config, Part part, std::size_t) {
        if (part != Part::master) return;
        config["identity"] = {{"tokens",
                               {{"key_files", {(folder / "keys.jwks").string()}},
                                {"issuer", "studio"},
                                {"audience", "fixkeep"}}},
                              {"keys",
                               {{{"name", "back-end"}, {"hash", auth::hash_of_api_key(key)}},
                                {{"name", "other"},
                                 {"hash", auth::hash_of_api_key(key_of_arena)},
                                 {"modes", {"arena"}}}}}};
        auto arena = config["modes"][0];
        arena["name"] = "arena";
        config["modes"].push_back(arena);
      }};
};

TEST_F(Impostors, with_a_key_of_another_mode_end_no_seat) {
  const auto seat = ask("ann", token_of("ann"));
  ASSERT_EQ(seat.status, 200U) << seat.body;
  const std::string token = nlohmann::json::parse(seat.body).at("seat_token");
  expect_refused(leave(token, key_of_arena), 403, "mode-forbidden");
  expect_refused(
      post("/v1/match", nlohmann::json::parse(support::match_body("ann", "eu")), key_of_arena), 403,
      "mode-forbidden");
  EXPECT_EQ(reserved_seats(cluster, 0), 1);
  EXPECT_EQ(leave(token, key).status, 204U);
  support::wait_until("the seat is given back", [&] { return reserved_seats(cluster, 0) == 0; });
  expect_clean_stop(cluster);
}

TEST_F(Impostors, take_no_seat_that_is_reserved_for_another_player) {
  const auto seat = ask("ann", token_of("ann"));
  ASSERT_EQ(seat.status, 200U) << seat.body;
  expect_refused(ask("ann", token_of("eve")), 403, "other-player");
  expect_refused(ask("ann", ""), 401, "token-needed");
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(seat.body)), "WELCOME");
  expect_clean_stop(cluster);
}

TEST_F(Impostors, lock_nobody_out_by_asking_for_another_group) {
  expect_refused(ask("ann", token_of("eve"), "us"), 403, "other-player");
  const auto seat = ask("ann", token_of("ann"), "eu");
  EXPECT_EQ(seat.status, 200U) << seat.body;
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  expect_clean_stop(cluster);
}

TEST_F(Impostors, take_nobody_into_a_party_who_has_not_agreed) {
  const std::vector<std::string> victims{"p1", "p2", "p3", "p4", "p5", "p6", "p7"};
  auto body = nlohmann::json::parse(support::match_body("eve", "us"));
  body["party"] = victims;
  expect_refused(post("/v1/match", body, token_of("eve")), 400, "invalid-request");
  // What they have agreed to with another leader, or with nobody.
  const auto to_ann = invitation_to("ann", "p1");
  expect_refused(ask_with("eve", {to_ann}), 403, "wrong-invitation");
  expect_refused(ask_with("eve", {"rubbish"}), 403, "wrong-invitation");
  for (const auto& victim : victims) {
    const auto seat = ask(victim, token_of(victim));
    EXPECT_EQ(seat.status, 200U) << seat.body;
  }
  expect_clean_stop(cluster);
}

TEST_F(Impostors, bring_an_invitation_once) {
  const auto invitation = invitation_to("ann", "bob");
  const auto seats = ask_with("ann", {invitation});
  ASSERT_EQ(seats.status, 200U) << seats.body;
  for (const auto& seat : support::seats_of(seats.body)) {
    EXPECT_EQ(support::join(seat), "WELCOME");
  }
  expect_refused(ask_with("ann", {invitation}), 403, "wrong-invitation");
  const auto again = invitation_to("ann", "bob");
  expect_refused(ask_with("ann", {again, again}), 403, "wrong-invitation");
  expect_clean_stop(cluster);
}

// FNV-1a, by which masters told seated players apart once, makes the same 64 bits of these two, and
// anybody can find more of them.
TEST_F(Impostors, with_an_id_that_was_computed_keep_nobody_from_its_seat) {
  const std::string computed = "8yn0iYCKYHlIj4-BwPqk";
  const std::string other = "GReLUrM4wMqfg9yzV3KQ";
  ASSERT_EQ(ask(computed, token_of(computed), "eu").status, 200U);
  const auto seat = ask(other, token_of(other), "us");
  ASSERT_EQ(seat.status, 200U) << seat.body;
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(seat.body)), "WELCOME");
  expect_refused(ask(computed, token_of(computed), "us"), 409, "already-seated");
  expect_clean_stop(cluster);
}

TEST_F(Impostors, use_up_nothing_of_another_player) {
  for (int i = 0; i < 100; ++i) {
    expect_refused(ask("ann", token_of("eve"), "r" + std::to_string(i)), 403, "other-player");
  }
  const auto seat = ask("ann", token_of("ann"));
  EXPECT_EQ(seat.status, 200U) << seat.body;
  expect_clean_stop(cluster);
}

TEST_F(Impostors, learn_from_no_answer_whether_another_player_plays) {
  const auto before = ask("ann", token_of("eve"));
  ASSERT_EQ(ask("ann", token_of("ann")).status, 200U);
  const auto after = ask("ann", token_of("eve"));
  EXPECT_EQ(before.status, after.status);
  EXPECT_EQ(before.body, after.body);
  const auto forged = ask_with("eve", {"rubbish"});
  EXPECT_THAT(forged.body, testing::Not(testing::HasSubstr("ann")));
  expect_clean_stop(cluster);
}

TEST_F(Impostors, leave_no_seat_but_their_own) {
  const auto seat = *client_sim::parse_match_answer(ask("ann", token_of("ann")).body);
  const auto token = seat.seat_token;
  expect_refused(leave(token, token_of("eve")), 403, "other-player");
  expect_refused(leave(token, ""), 401, "token-needed");
  expect_refused(leave("rubbish", token_of("ann")), 400, "invalid-request");
  EXPECT_EQ(leave(token, token_of("ann")).status, 204U);
  support::wait_until("the seat is given back", [&] { return reserved_seats(cluster, 0) == 0; });
  EXPECT_THAT(support::join(seat), testing::HasSubstr("REFUSED"));
  EXPECT_EQ(leave(token, token_of("ann")).status, 204U) << "it is gone";
  expect_clean_stop(cluster);
  const auto log = cluster.master(0).log() + cluster.worker(0).log();
  EXPECT_THAT(log, testing::Not(testing::HasSubstr(token.substr(token.size() - 20))));
}

TEST_F(Impostors, give_no_seat_back_by_a_token_that_is_forged) {
  const auto seat = *client_sim::parse_match_answer(ask("ann", token_of("ann")).body);
  auto forged = seat.seat_token;
  forged.back() = forged.back() == 'A' ? 'E' : 'A';
  EXPECT_EQ(leave(forged, key).status, 204U) << "it tells nobody that ann has a seat";
  // The worker has heard all that came before this one.
  EXPECT_EQ(ask("bob", token_of("bob")).status, 200U);
  EXPECT_EQ(support::join(seat), "WELCOME");
  expect_clean_stop(cluster);
}

TEST_F(Impostors, have_no_key_and_a_service_that_has_one_names_anybody) {
  expect_refused(ask("ann", auth::make_api_key()), 401, "wrong-token");
  expect_refused(ask("ann", auth::hash_of_api_key(key)), 401, "wrong-token");
  const auto party = nlohmann::json::parse(support::party_body({"ann", "bob"}, "eu"));
  const auto seats = post("/v1/match", party, key);
  ASSERT_EQ(seats.status, 200U) << seats.body;
  EXPECT_EQ(support::seats_of(seats.body).size(), 2U);
  expect_clean_stop(cluster);
}

TEST_F(Impostors, make_change_and_read_no_match_without_the_key_of_a_service_for_its_mode) {
  const nlohmann::json body{{"mode", "duel"},
                            {"attributes", {{"region", "eu"}}},
                            {"players", {{{"player_id", "ann"}}, {{"player_id", "bob"}}}}};
  const std::string match = "/v1/matches/final";
  const auto put = [&](const std::string& credential) {
    return support::put(cluster.http(0), match, body.dump(), credential).value();
  };
  const std::string joins = R"({"players":[{"player_id":"eve"}]})";
  for (const bool made : {false, true}) {
    for (const auto& [credential, status, type] :
         {std::tuple{std::string{}, 401U, "token-needed"},
          std::tuple{token_of("ann"), 403U, "key-needed"},
          std::tuple{key_of_arena, 403U, "mode-forbidden"}}) {
      expect_refused(put(credential), status, type);
      if (!made && credential == key_of_arena) continue;  // it learns that there is no such match
      expect_refused(support::get(cluster.http(0), match, credential).value(), status, type);
      expect_refused(support::post(cluster.http(0), match + "/players", joins, credential).value(),
                     status, type);
      expect_refused(support::remove(cluster.http(0), match + "/players/bob", credential).value(),
                     status, type);
      expect_refused(support::remove(cluster.http(0), match, credential).value(), status, type);
    }
    expect_refused(put(auth::make_api_key()), 401, "wrong-token");
    if (made) break;
    const auto seats = put(key);
    ASSERT_EQ(seats.status, 200U) << seats.body;
    EXPECT_EQ(nlohmann::json::parse(seats.body).at("players").size(), 2U);
  }
  EXPECT_EQ(put(key).status, 200U);
  expect_clean_stop(cluster);
}

TEST_F(Impostors, with_a_key_that_was_taken_away_are_refused_after_sighup) {
  const TokenIssuer next{auth::TokenAlgorithm::eddsa, "second"};
  const auto with_next = next.token(claims_of("ann"));
  expect_refused(ask("ann", with_next), 401, "wrong-token");
  write_keys(R"({"keys":[)" + issuer.jwk() + ',' + next.jwk() + "]}");
  cluster.master(0).signal(SIGHUP);
  support::wait_until("the new key counts", [&] { return ask("ann", with_next).status == 200; });
  EXPECT_EQ(ask("ann", token_of("ann")).status, 200U);
  const auto kept = token_of("bob");
  EXPECT_EQ(ask("bob", kept).status, 200U);
  write_keys(next.jwk_set());
  cluster.master(0).signal(SIGHUP);
  support::wait_until("the old key counts no more", [&] { return ask("bob", kept).status != 200; });
  EXPECT_EQ(ask("ann", with_next).status, 200U);
  expect_clean_stop(cluster);
}

TEST_F(Impostors, send_tokens_of_any_size_and_others_are_served) {
  for (const std::size_t bytes : {4'000U, 8'192U, 60'000U}) {
    const auto reply = support::post(cluster.http(0), "/v1/match", support::match_body("ann", "eu"),
                                     std::string(bytes, '.'));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, bytes < 8'000 ? 401U : 431U);
  }
  EXPECT_EQ(ask("ann", token_of("ann")).status, 200U);
  expect_clean_stop(cluster);
}

TEST_F(Impostors, find_neither_token_nor_key_nor_invitation_nor_ticket_in_a_log) {
  const auto token = token_of("ann");
  const auto wrong = TokenIssuer{auth::TokenAlgorithm::es256, "first"}.token(claims_of("ann"));
  EXPECT_EQ(ask("ann", wrong).status, 401U);
  EXPECT_EQ(ask("bob", key).status, 200U);
  const auto invitation = invitation_to("ann", "cid");
  EXPECT_EQ(ask_with("ann", {invitation}).status, 200U);
  expect_refused(ask_with("ann", {invitation}), 403, "wrong-invitation");
  const auto made = support::post(cluster.http(0), "/v1/tickets", support::match_body("dan", "eu"),
                                  token_of("dan"));
  ASSERT_TRUE(made && made->status == 201U) << (made ? made->body : "no answer");
  const std::string ticket = nlohmann::json::parse(made->body).at("ticket");
  const auto polled = support::get(cluster.http(0), "/v1/tickets/" + ticket, token_of("dan"));
  ASSERT_TRUE(polled && polled->status == 200U) << (polled ? polled->body : "no answer");
  expect_refused(*support::get(cluster.http(0), "/v1/tickets/" + ticket, token), 403,
                 "wrong-ticket");
  expect_clean_stop(cluster);
  const auto log = cluster.master(0).log() + cluster.worker(0).log();
  EXPECT_THAT(log, testing::HasSubstr("reason=wrong-token"));
  for (const auto& secret : {token, wrong, key, invitation, ticket}) {
    const auto last = secret.substr(secret.size() - 20);
    EXPECT_THAT(log, testing::Not(testing::HasSubstr(last)));
    EXPECT_THAT(log, testing::Not(testing::HasSubstr(secret.substr(0, 20))));
  }
}

// Beside the attacks, since only tokens that are right show that others do nothing.
TEST(Leavers, give_their_seat_back_at_any_master) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 1, .boot_ms = 0}};
  cluster.start();
  const auto first = support::ask_for_seat(cluster.http(0), "ann", "eu");
  ASSERT_TRUE(first);
  ASSERT_EQ(first->status, 200U) << first->body;
  const auto seat = *client_sim::parse_match_answer(first->body);
  const auto left = support::remove(cluster.http(1), "/v1/seats/" + seat.seat_token);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->status, 204U) << left->body;
  support::wait_until("the seat is free", [&] { return reserved_seats(cluster, 1) == 0; });
  // The next one gets the only seat of the room, and no room is made.
  const auto next = support::ask_for_seat(cluster.http(1), "bob", "eu");
  ASSERT_TRUE(next);
  ASSERT_EQ(next->status, 200U) << next->body;
  EXPECT_EQ(nlohmann::json::parse(next->body).at("room_id"),
            nlohmann::json::parse(first->body).at("room_id"));
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  EXPECT_THAT(support::join(seat), testing::HasSubstr("REFUSED"));
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::attack
