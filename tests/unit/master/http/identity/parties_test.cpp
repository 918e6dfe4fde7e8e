// Parties of players with tokens, over a real HTTP server.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "master/http/match/desk.hpp"
#include "tests/support/token_issuer.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

using support::TokenIssuer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PartiesTest : public ::testing::Test {
 protected:
  static TimePoint now() { return TimePoint{std::chrono::hours{1}}; }

  [[nodiscard]] std::string token_of(const std::string& player) const {
    return studio_.token(R"({"iss":"studio","aud":"fixkeep","exp":4000000000,"sub":")" + player +
                         R"("})");
  }
  void send(const std::string& path, const std::string& body, const std::string& credential) {
    client_.emplace(server_.port());
    const std::string shown =
        credential.empty() ? "" : "Authorization: Bearer " + credential + "\r\n";
    client_->send("POST " + path + " HTTP/1.1\r\nHost: h\r\n" + shown +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string answer_to_invitation(const std::string& body, const std::string& credential) {
    send("/v1/invitations", body, credential);
    return client_->read_answer();
  }
  std::string invitation(const std::string& leader, const std::string& member) {
    const auto answer = answer_to_invitation(
        nlohmann::json{{"leader", leader}, {"mode", "duel"}}.dump(), token_of(member));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n"))).at("invitation");
  }
  // Returns the one that has arrived at the core; its client waits.
  MatchRequested ask(const std::string& leader, const std::vector<std::string>& invitations) {
    server_.on_thread([&] { matches_.clear(); });
    send("/v1/match", nlohmann::json{{"mode", "duel"}, {"invitations", invitations}}.dump(),
         token_of(leader));
    std::optional<MatchRequested> arrived;
    EXPECT_TRUE(net::test::eventually([&] {
      server_.on_thread([&] {
        if (!matches_.empty()) arrived = matches_.front();
      });
      return arrived.has_value();
    }));
    return arrived.value();
  }
  std::string refusal_of(const std::string& leader, const std::vector<std::string>& invitations) {
    send("/v1/match", nlohmann::json{{"mode", "duel"}, {"invitations", invitations}}.dump(),
         token_of(leader));
    return client_->read_answer();
  }
  void refuse(TicketId ticket) {
    server_.on_thread([&] {
      desk_.answer(Refused{ticket, Refusal::queue_full, {}}, now(), directory_);
    });
    EXPECT_THAT(client_->read_answer(), StartsWith("HTTP/1.1 429 "));
  }
  void seat(const MatchRequested& match) {
    Seated seated;
    seated.ticket = match.ticket;
    seated.room = {WorkerId{"w1"}, Incarnation{1}, RoomNumber{3}};
    seated.group = GroupKey{"duel"};
    seated.place = {"127.0.0.1", {{"default", 20'000}}};
    seated.players = {match.claim.player};
    server_.on_thread([&] { desk_.answer(seated, now(), auth::WallTime{}); });
    EXPECT_THAT(client_->read_answer(), StartsWith("HTTP/1.1 200 "));
  }

  std::vector<MatchRequested> matches_;
  Directory directory_{Placement::roomiest};
  TokenIssuer studio_ = TokenIssuer::of_secret("a secret of thirty-two bytes, at least");
  MatchDesk desk_{{.self = MasterId{1},
                   .incarnation = Incarnation{7},
                   .intake = {.modes = {{.name = ModeName{"duel"}, .capacity = 4}},
                              .identity = {.open = false,
                                           .rules = {.issuer = "studio", .audience = "fixkeep"},
                                           .token_keys = studio_.keys()},
                              .secret = "of the cluster"}},
                  [this](Event&& event) {
                    if (auto* match = std::get_if<MatchRequested>(&event))
                      matches_.push_back(*match);
                  }};
  net::test::RunningServer server_{
      [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
        if (request.target() == "/v1/invitations") {
          return responder.answer(desk_.intake().invite(request, responder.client(), now()));
        }
        desk_.request(request, responder, now());
      }};
  std::optional<net::test::Client> client_;
};

TEST_F(PartiesTest, are_of_the_leader_and_those_who_agreed) {
  const auto match = ask("ann", {invitation("ann", "bob"), invitation("ann", "cid")});
  EXPECT_EQ(match.claim.player, PlayerId{"ann"});
  EXPECT_EQ(match.claim.party, (std::vector{PlayerId{"bob"}, PlayerId{"cid"}}));
}

TEST_F(PartiesTest, may_be_tried_again_after_a_refusal_and_not_after_a_seat) {
  const auto from_bob = invitation("ann", "bob");
  refuse(ask("ann", {from_bob}).ticket);
  const auto again = ask("ann", {from_bob});
  EXPECT_EQ(again.claim.party, std::vector{PlayerId{"bob"}});
  seat(again);
  EXPECT_THAT(refusal_of("ann", {from_bob}), HasSubstr("urn:fixkeep:error:wrong-invitation"));
}

TEST_F(PartiesTest, take_nobody_twice_and_an_invitation_that_was_in_vain_counts_again) {
  const auto from_bob = invitation("ann", "bob");
  const auto other = invitation("ann", "bob");
  EXPECT_THAT(refusal_of("ann", {from_bob, other}),
              HasSubstr("two invitations are of the same member"));
  EXPECT_THAT(refusal_of("ann", {from_bob, "rubbish"}), HasSubstr("not one of this master"));
  EXPECT_THAT(refusal_of("ann", {from_bob, from_bob}),
              HasSubstr("was used before, or is there twice"));
  EXPECT_EQ(ask("ann", {from_bob}).claim.party, std::vector{PlayerId{"bob"}});
}

TEST_F(PartiesTest, are_not_of_whoever_shows_no_token) {
  EXPECT_THAT(answer_to_invitation(R"({"leader":"ann","mode":"duel"})", ""),
              HasSubstr("urn:fixkeep:error:token-needed"));
  for (const std::string body :
       {"", "[]", "{}", R"({"leader":1,"mode":"duel"})", R"({"leader":"","mode":"duel"})",
        R"({"leader":"a\nb","mode":"duel"})", R"({"leader":"bob","mode":"duel"})",
        R"({"leader":"ann"})", R"({"leader":"ann","member":"cid"})",
        R"({"leader":"ann","mode":"chess"})", R"({"leader":"ann","mode":"duel","a":1})"}) {
    EXPECT_THAT(answer_to_invitation(body, token_of("bob")),
                HasSubstr("urn:fixkeep:error:invalid-request"))
        << body;
  }
}

}  // namespace
}  // namespace fixkeep::master
