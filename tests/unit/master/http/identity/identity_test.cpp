#include "master/http/identity/identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/auth/api_key.hpp"
#include "tests/support/token_issuer.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using support::TokenIssuer;

const std::string claims_of_ann =
    R"({"iss":"studio","aud":"fixkeep","sub":"ann","exp":1800000060})";
const TokenIssuer issuer{auth::TokenAlgorithm::es256, "e1"};
const std::string service_key = auth::make_api_key();
const auto home = boost::asio::ip::make_address("10.0.0.1");
const auto away = boost::asio::ip::make_address("10.0.0.2");
constexpr Identity::Moment present{TimePoint{seconds{1000}},
                                   auth::WallTime{seconds{1'800'000'000}}};

IdentityOptions options() {
  IdentityOptions made;
  made.open = false;
  made.rules = {.issuer = "studio", .audience = "fixkeep", .player_claim = "sub", .leeway = {}};
  made.token_keys = issuer.keys();
  made.keys.push_back(
      {.name = "back-end", .hash = auth::hash_of_api_key(service_key), .modes = {}, .limits = {}});
  return made;
}

// "player ann", "service back-end", "anybody", or the type of the error.
std::string shown(Identity& identity, const std::vector<std::string>& lines,
                  Identity::Moment moment = present,
                  const boost::asio::ip::address& client = home) {
  net::HttpRequest request;
  for (const auto& line : lines) request.insert(net::http::field::authorization, line);
  const auto result = identity.identify(request, client, moment);
  if (const auto* refusal = std::get_if<Identity::Refusal>(&result)) {
    EXPECT_NE(refusal->answer.body.find("urn:fixkeep:error:" + std::string{refusal->type}),
              std::string::npos);
    return std::string{refusal->type};
  }
  const auto& caller = std::get<Caller>(result);
  switch (caller.kind) {
    case Caller::Kind::anybody: return "anybody";
    case Caller::Kind::player: return "player " + caller.player.text();
    case Caller::Kind::service: return "service " + caller.key->name;
  }
  return "";
}

std::string shown(Identity& identity, const std::string& credential,
                  Identity::Moment moment = present) {
  return shown(identity, std::vector{"Bearer " + credential}, moment);
}

TEST(Identity, is_of_a_token_or_of_a_key) {
  Identity identity{options()};
  EXPECT_EQ(shown(identity, issuer.token(claims_of_ann)), "player ann");
  EXPECT_EQ(shown(identity, service_key), "service back-end");
  EXPECT_EQ(shown(identity, std::vector{"bearer " + service_key}), "service back-end");
}

TEST(Identity, of_whoever_shows_nothing_is_not_known) {
  Identity identity{options()};
  EXPECT_EQ(shown(identity, std::vector<std::string>{}), "token-needed");
  EXPECT_EQ(shown(identity, std::vector<std::string>{"Basic YTpi"}), "token-needed");
  EXPECT_EQ(shown(identity, std::vector<std::string>{"Bearer "}), "token-needed");
  const std::string right = "Bearer " + service_key;
  EXPECT_EQ(shown(identity, std::vector{right, right}), "token-needed");
}

TEST(Identity, is_anybodys_where_nothing_is_configured) {
  Identity identity{IdentityOptions{}};
  EXPECT_EQ(shown(identity, std::vector<std::string>{}), "anybody");
  EXPECT_EQ(shown(identity, "whatever"), "anybody");
}

TEST(Identity, that_is_wrong_is_refused_also_where_nothing_need_be_shown) {
  auto open = options();
  open.open = true;
  Identity identity{open};
  EXPECT_EQ(shown(identity, std::vector<std::string>{}), "anybody");
  EXPECT_EQ(shown(identity, issuer.token(claims_of_ann)), "player ann");
  EXPECT_EQ(shown(identity, "fixkeep_guessed"), "wrong-token");
  EXPECT_EQ(shown(identity, std::vector<std::string>{"Basic YTpi"}), "token-needed");
}

TEST(Identity, by_a_key_that_is_not_its_hash) {
  Identity identity{options()};
  EXPECT_EQ(shown(identity, auth::hash_of_api_key(service_key)), "wrong-token");
  EXPECT_EQ(shown(identity, service_key + "A"), "wrong-token");
  EXPECT_EQ(shown(identity, auth::make_api_key()), "wrong-token");
}

TEST(Identity, ends_with_the_token_also_if_it_is_kept) {
  Identity identity{options()};
  const auto token = issuer.token(claims_of_ann);
  const Identity::Moment late{present.now, present.wall + seconds{60}};
  EXPECT_EQ(shown(identity, token), "player ann");
  EXPECT_EQ(identity.tokens_kept(), 1U);
  EXPECT_EQ(shown(identity, token, late), "token-expired");
  EXPECT_EQ(identity.tokens_kept(), 0U);
}

// An expired token may be honest or forged. Its signature is not checked.
TEST(Identity, of_a_token_that_has_ended_costs_its_connection_after_a_few) {
  Identity identity{options()};
  const auto token = issuer.token(claims_of_ann);
  const Identity::Moment late{present.now, present.wall + seconds{60}};
  net::HttpRequest request;
  request.insert(net::http::field::authorization, "Bearer " + token);
  const auto ends_connection = [&](const boost::asio::ip::address& client, Identity::Moment at) {
    auto result = identity.identify(request, client, at);
    const auto& refusal = std::get<Identity::Refusal>(result);
    EXPECT_EQ(refusal.type, "token-expired") << "its client has to get a new one";
    EXPECT_EQ(refusal.answer.status, 401U);
    return refusal.answer.last;
  };
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ends_connection(home, late)) << i;
  EXPECT_TRUE(ends_connection(home, late));
  EXPECT_FALSE(ends_connection(away, late));
  EXPECT_FALSE(ends_connection(home, {late.now + net::WrongTokens::window, late.wall}));
  EXPECT_EQ(shown(identity, service_key + "A"), "wrong-token") << "these count apart";
  EXPECT_EQ(shown(identity, token), "player ann") << "a right one is always heard";
}

TEST(Identity, of_a_wrong_token_is_not_kept) {
  Identity identity{options()};
  const TokenIssuer forger{auth::TokenAlgorithm::es256, "e1"};
  EXPECT_EQ(shown(identity, forger.token(claims_of_ann)), "wrong-token");
  EXPECT_EQ(identity.tokens_kept(), 0U);
}

TEST(Identity, of_tokens_and_keys_that_were_taken_away_counts_no_more) {
  Identity identity{options()};
  const TokenIssuer next{auth::TokenAlgorithm::es256, "e2"};
  const auto token = issuer.token(claims_of_ann);  // each signature is another token
  EXPECT_EQ(shown(identity, token), "player ann");
  auto both = options();
  both.token_keys.push_back(next.keys().front());
  identity.renew(both);
  EXPECT_EQ(shown(identity, token), "player ann");
  EXPECT_EQ(shown(identity, next.token(claims_of_ann)), "player ann");
  auto later = options();
  later.token_keys = next.keys();
  later.keys.clear();
  identity.renew(later);
  EXPECT_EQ(shown(identity, next.token(claims_of_ann)), "player ann");
  EXPECT_EQ(shown(identity, token), "wrong-token");
  EXPECT_EQ(shown(identity, service_key), "wrong-token");
}

TEST(Identity, is_guessed_five_times_a_minute_and_a_right_one_is_heard_meanwhile) {
  Identity identity{options()};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(shown(identity, "guess"), "wrong-token");
  EXPECT_EQ(shown(identity, "guess"), "too-many-wrong-tokens");
  EXPECT_EQ(shown(identity, service_key), "service back-end");
  EXPECT_EQ(shown(identity, std::vector<std::string>{"Bearer guess"}, present, away),
            "wrong-token");
  EXPECT_EQ(identity.wrong_tokens(), 7U);
}

// A flood of names of keys costs no signature, and nothing is kept of it.
TEST(Identity, of_any_number_of_unknown_keys_is_refused_each_time) {
  Identity identity{options()};
  for (int i = 0; i < 10'000; ++i) {
    const std::string head = R"({"alg":"ES256","kid":"k)" + std::to_string(i) + R"("})";
    const auto verdict =
        shown(identity, support::as_token(head, claims_of_ann, std::string(64, 'x')));
    ASSERT_EQ(verdict, i < 5 ? "wrong-token" : "too-many-wrong-tokens");
  }
  EXPECT_EQ(identity.tokens_kept(), 0U);
  EXPECT_EQ(shown(identity, issuer.token(claims_of_ann)), "player ann");
}

// RFC 9110, section 11.4: any number of blanks.
TEST(Identity, stands_behind_bearer_and_any_number_of_blanks) {
  Identity identity{options()};
  EXPECT_EQ(shown(identity, std::vector{"Bearer   " + service_key}), "service back-end");
  EXPECT_EQ(shown(identity, std::vector{"Bearer" + service_key}), "token-needed");
}

std::string body_of(Identity& identity, const std::vector<std::string>& lines) {
  net::HttpRequest request;
  for (const auto& line : lines) request.insert(net::http::field::authorization, line);
  return std::get<Identity::Refusal>(identity.identify(request, home, present)).answer.body;
}

TEST(Identity, that_is_refused_is_told_the_cause_and_counted_by_it) {
  using ::testing::HasSubstr;
  Identity identity{options()};
  EXPECT_THAT(body_of(identity, {}), HasSubstr("send one line"));
  EXPECT_THAT(body_of(identity, {"Bearer a", "Bearer b"}), HasSubstr("there are 2 lines"));
  EXPECT_THAT(body_of(identity, {"Token secret"}), HasSubstr("does not begin with"));
  EXPECT_THAT(body_of(identity, {"Bearer "}), HasSubstr("nothing stands behind"));
  EXPECT_THAT(body_of(identity, {"Bearer guess"}), HasSubstr("no key of identity.keys"));
  const auto foreign =
      "Bearer " + issuer.token(R"({"iss":"other","aud":"fixkeep","exp":1800000060})");
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(body_of(identity, {foreign}),
                HasSubstr(R"(its issuer (iss) is \"other\" and must)"))
        << "also when it is one too many";
  }
  auto counted = identity.refused();
  EXPECT_EQ(counted["nothing-shown"], 1U);
  EXPECT_EQ(counted["not-bearer"], 3U);
  EXPECT_EQ(counted["unknown-service-key"], 1U);
  EXPECT_EQ(counted["wrong-issuer"], 5U);
  EXPECT_EQ(counted.size(), 4 + auth::token_faults);

  auto only_tokens = options();
  only_tokens.keys.clear();
  Identity of_players{only_tokens};
  EXPECT_THAT(body_of(of_players, {"Bearer guess"}), HasSubstr("it is no JSON Web Token"));
}

TEST(Identity, is_answered_without_a_word_of_what_was_shown) {
  Identity identity{options()};
  const auto token = TokenIssuer{auth::TokenAlgorithm::es256, "e1"}.token(claims_of_ann);
  net::HttpRequest request;
  request.set(net::http::field::authorization, "Bearer " + token);
  const auto result = identity.identify(request, home, present);
  const auto& answer = std::get<Identity::Refusal>(result).answer;
  EXPECT_EQ(answer.status, 401U);
  EXPECT_EQ(answer.authenticate.size(), 1U);
  EXPECT_EQ(answer.body.find(token.substr(0, 20)), std::string::npos);
  EXPECT_EQ(answer.body.find("ann"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::master
