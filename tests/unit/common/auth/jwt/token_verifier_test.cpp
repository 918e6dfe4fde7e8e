#include "common/auth/jwt/token_verifier.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "common/base/base64.hpp"
#include "tests/support/token_issuer.hpp"

namespace fixkeep::auth {
namespace {

using support::as_token;
using support::TokenIssuer;
using Algorithm = TokenAlgorithm;
using Fault = TokenFault;

constexpr WallTime now{std::chrono::seconds{1'800'000'000}};
const TokenRules rules{.issuer = "https://accounts.example", .audience = "fixkeep"};
const std::string claims =
    R"({"iss":"https://accounts.example","aud":"fixkeep","sub":"ann","exp":1800000060})";
const TokenIssuer rsa{Algorithm::rs256, "r1"};
const TokenIssuer curve{Algorithm::es256, "e1"};
const TokenIssuer edwards{Algorithm::eddsa, "d1"};
const TokenIssuer secret = TokenIssuer::of_secret("a secret of thirty-two bytes, at least", "s1");

TokenKeys keys_of(std::initializer_list<const TokenIssuer*> issuers) {
  TokenKeys keys;
  for (const auto* issuer : issuers) {
    for (auto& key : issuer->keys()) keys.push_back(std::move(key));
  }
  return keys;
}

// "ann", or the name of nobody and the fault.
struct Said {
  std::string player;
  std::optional<Fault> fault;
  std::string detail{};
};
bool operator==(const Said& one, const Said& other) {
  return one.player == other.player && one.fault == other.fault;
}
std::ostream& operator<<(std::ostream& out, const Said& said) {
  return out << said.player << (said.fault ? to_string(*said.fault) : "") << ' ' << said.detail;
}

Said said_of(const TokenVerifier& verifier, std::string_view token, WallTime when = now) {
  const auto result = verifier.verify(token, when);
  if (const auto* refused = std::get_if<TokenRefusal>(&result)) {
    return {"", refused->fault, refused->detail};
  }
  return {std::get<PlayerToken>(result).player.text(), {}};
}

Said said_of(std::string_view token, WallTime when = now) {
  static const TokenVerifier all{rules, keys_of({&rsa, &curve, &edwards, &secret})};
  return said_of(all, token, when);
}

const Said ann{"ann", {}};

std::string with(std::string text, std::string_view part, std::string_view instead) {
  text.replace(text.find(part), part.size(), instead);
  return text;
}

TEST(PlayerToken, of_each_algorithm_names_its_player) {
  for (const auto* issuer : {&rsa, &curve, &edwards, &secret}) {
    EXPECT_EQ(said_of(issuer->token(claims)), ann);
  }
}

TEST(PlayerToken, of_no_algorithm_is_refused) {
  for (const std::string none : {"none", "None", "NONE", "nOnE", ""}) {
    EXPECT_EQ(said_of(as_token(R"({"alg":")" + none + R"("})", claims, "")),
              (Said{"", Fault::wrong_algorithm}));
  }
  EXPECT_EQ(said_of(as_token("{}", claims, "")), (Said{"", Fault::wrong_algorithm}));
}

TEST(PlayerToken, signed_with_a_public_key_as_the_secret_is_refused) {
  for (const auto& published : {rsa.public_pem(), rsa.jwk(), rsa.jwk_set()}) {
    const auto forger = TokenIssuer::of_secret(published);
    const TokenVerifier only_rsa{rules, rsa.keys()};
    EXPECT_EQ(said_of(only_rsa, forger.token(R"({"alg":"HS256","kid":"r1"})", claims)),
              (Said{"", Fault::wrong_algorithm}));
    EXPECT_EQ(said_of(forger.token(R"({"alg":"HS256","kid":"r1"})", claims)),
              (Said{"", Fault::unknown_key}));
  }
}

TEST(PlayerToken, does_not_choose_the_algorithm_by_its_head) {
  EXPECT_EQ(said_of(rsa.token(R"({"alg":"ES256","kid":"r1"})", claims)),
            (Said{"", Fault::unknown_key}));
  EXPECT_EQ(said_of(rsa.token(R"({"alg":"RS512","kid":"r1"})", claims)),
            (Said{"", Fault::wrong_algorithm}));
  EXPECT_EQ(said_of(secret.token(R"({"alg":"RS256","kid":"s1"})", claims)),
            (Said{"", Fault::unknown_key}));
  EXPECT_EQ(said_of(rsa.token(R"({"alg":["RS256"],"kid":"r1"})", claims)),
            (Said{"", Fault::wrong_algorithm}));
}

TEST(PlayerToken, names_a_key_and_no_path) {
  const auto forger = TokenIssuer::of_secret("");
  for (const std::string path : {"/dev/null", "../../../dev/null", "file:///etc/passwd",
                                 "r1' OR '1'='1", "https://evil.example/keys"}) {
    EXPECT_EQ(said_of(forger.token(R"({"alg":"HS256","kid":")" + path + R"("})", claims)),
              (Said{"", Fault::unknown_key}));
  }
  EXPECT_EQ(said_of(rsa.token(R"({"alg":"RS256","kid":1})", claims)),
            (Said{"", Fault::unreadable}));
}

TEST(PlayerToken, brings_no_key_of_its_own) {
  const TokenIssuer forger{Algorithm::rs256};
  for (const std::string& brought :
       {R"("jwk":)" + forger.jwk(), std::string{R"("jku":"https://evil.example/keys.json")"},
        std::string{R"("x5u":"https://evil.example/cert.pem")"},
        std::string{R"("x5c":["AAAA"])"}}) {
    const std::string head = R"({"alg":"RS256","kid":"r1",)" + brought + '}';
    EXPECT_EQ(said_of(forger.token(head, claims)), (Said{"", Fault::bad_signature}));
    EXPECT_EQ(said_of(rsa.token(head, claims)), ann);
  }
}

TEST(PlayerToken, with_anything_critical_is_refused) {
  for (const std::string crit : {R"(["b64"])", R"(["exp"])", "[]", "null"}) {
    EXPECT_EQ(
        said_of(rsa.token(R"({"alg":"RS256","kid":"r1","b64":true,"crit":)" + crit + '}', claims)),
        (Said{"", Fault::critical_header}));
  }
}

TEST(PlayerToken, of_another_purpose_is_refused) {
  const auto of_type = [](const std::string& type) {
    return said_of(rsa.token(R"({"alg":"RS256","kid":"r1","typ":)" + type + '}', claims));
  };
  EXPECT_EQ(of_type(R"("JWT")"), ann);
  EXPECT_EQ(of_type(R"("at+jwt")"), ann);
  EXPECT_EQ(of_type(R"("application/at+jwt")"), ann);  // RFC 9068, section 4
  EXPECT_EQ(of_type(R"("Application/JWT")"), ann);
  EXPECT_EQ(of_type(R"("application/")"), (Said{"", Fault::wrong_type}));
  EXPECT_EQ(of_type(R"("logout+jwt")"), (Said{"", Fault::wrong_type}));
  EXPECT_EQ(of_type("1"), (Said{"", Fault::wrong_type}));
}

TEST(PlayerToken, without_an_end_is_refused) {
  EXPECT_EQ(said_of(rsa.token(with(claims, R"(,"exp":1800000060)", ""))),
            (Said{"", Fault::no_expiry}));
  for (const std::string no_time : {"null", R"("1800000060")", "-1", "1e300", "true", "[]"}) {
    EXPECT_EQ(said_of(rsa.token(with(claims, "1800000060", no_time))),
              (Said{"", Fault::wrong_expiry}))
        << no_time;
  }
}

TEST(PlayerToken, of_another_issuer_is_refused) {
  EXPECT_EQ(said_of(rsa.token(with(claims, "accounts", "accountz"))),
            (Said{"", Fault::wrong_issuer}));
  EXPECT_EQ(said_of(rsa.token(with(claims, R"("iss":"https://accounts.example",)", ""))),
            (Said{"", Fault::no_issuer}));
}

TEST(PlayerToken, for_another_audience_is_refused) {
  const auto for_whom = [](const std::string& audience) {
    return said_of(rsa.token(with(claims, R"("fixkeep")", audience)));
  };
  EXPECT_EQ(for_whom(R"(["chat","fixkeep"])"), ann);
  EXPECT_EQ(for_whom(R"("fixkeep2")"), (Said{"", Fault::wrong_audience}));
  EXPECT_EQ(for_whom(R"(["chat"])"), (Said{"", Fault::wrong_audience}));
  EXPECT_EQ(for_whom(R"({"a":"fixkeep"})"), (Said{"", Fault::wrong_audience}));
  EXPECT_EQ(said_of(rsa.token(with(claims, R"("aud":"fixkeep",)", ""))),
            (Said{"", Fault::no_audience}));
}

TEST(PlayerToken, counts_until_its_end_and_the_leeway) {
  using std::chrono::milliseconds;
  const auto token = edwards.token(claims);
  EXPECT_EQ(said_of(token, now + milliseconds{89'999}), ann);
  EXPECT_EQ(said_of(token, now + milliseconds{90'000}), (Said{"", Fault::expired}));
  const auto later = edwards.token(with(claims, R"("exp")", R"("nbf":1800000040,"exp")"));
  EXPECT_EQ(said_of(later, now + milliseconds{9'999}), (Said{"", Fault::not_yet}));
  EXPECT_EQ(said_of(later, now + milliseconds{10'000}), ann);
}

TEST(PlayerToken, with_a_name_twice_is_refused) {
  EXPECT_EQ(said_of(rsa.token(with(claims, R"("sub":"ann")", R"("sub":"bob","sub":"ann")"))),
            (Said{"", Fault::unreadable}));
  EXPECT_EQ(said_of(rsa.token(with(claims, R"("sub")", R"("x":{"y":1,"\u0079":2},"sub")"))),
            (Said{"", Fault::unreadable}));
  EXPECT_EQ(said_of(rsa.token(R"({"alg":"none","alg":"RS256","kid":"r1"})", claims)),
            (Said{"", Fault::unreadable}));
}

TEST(PlayerToken, that_is_not_written_as_its_issuer_wrote_it_is_refused) {
  const auto token = edwards.token(claims);
  EXPECT_EQ(said_of(token + "="), (Said{"", Fault::unreadable}));
  EXPECT_EQ(said_of(token + "\n"), (Said{"", Fault::unreadable}));
  // 64 bytes end with a digit of which two bits count.
  for (const char last : {'A', 'Q', 'g', 'w'}) {
    if (token.back() != last) continue;
    for (int more = 1; more < 4; ++more) {
      auto other = token;
      other.back() = static_cast<char>(last + more);
      EXPECT_EQ(said_of(other), (Said{"", Fault::unreadable}));
    }
  }
}

TEST(PlayerToken, of_two_or_four_parts_is_refused) {
  const auto token = rsa.token(claims);
  EXPECT_EQ(said_of(token.substr(0, token.rfind('.'))), (Said{"", Fault::no_token}));
  EXPECT_EQ(said_of(token + "."), (Said{"", Fault::no_token}));
  EXPECT_EQ(said_of(""), (Said{"", Fault::no_token}));
  EXPECT_EQ(said_of(".."), (Said{"", Fault::unreadable}));
}

TEST(PlayerToken, with_a_signature_of_another_length_is_refused) {
  for (const auto* issuer : {&rsa, &curve, &edwards, &secret}) {
    const auto token = issuer->token(claims);
    const auto cut = token.rfind('.') + 1;
    const auto signature = from_base64url(token.substr(cut)).value();
    const std::string longer = signature + '\0';
    for (const auto& other :
         {std::string{}, signature.substr(1), signature.substr(0, signature.size() - 1), longer}) {
      std::string text = token.substr(0, cut);
      append_base64url(other, text);
      EXPECT_EQ(said_of(text), (Said{"", Fault::bad_signature}));
    }
  }
}

TEST(PlayerToken, with_a_signature_of_zeros_is_refused) {
  const std::string one = std::string(31, '\0') + '\x01';
  const std::string zero(32, '\0');
  for (const auto& signature : {zero + zero, zero + one, one + zero}) {
    EXPECT_EQ(said_of(as_token(R"({"alg":"ES256","kid":"e1"})", claims, signature)),
              (Said{"", Fault::bad_signature}));
  }
  EXPECT_EQ(said_of(as_token(R"({"alg":"EdDSA","kid":"d1"})", claims, zero + zero)),
            (Said{"", Fault::bad_signature}));
}

TEST(PlayerToken, of_either_key_counts_while_keys_change) {
  const TokenIssuer next{Algorithm::es256, "e2"};
  const TokenVerifier both{rules, keys_of({&curve, &next})};
  EXPECT_EQ(said_of(both, curve.token(claims)), ann);
  EXPECT_EQ(said_of(both, next.token(claims)), ann);
  const TokenVerifier after{rules, next.keys()};
  EXPECT_EQ(said_of(after, curve.token(claims)), (Said{"", Fault::unknown_key}));
  EXPECT_EQ(said_of(after, next.token(claims)), ann);
}

TEST(PlayerToken, without_a_name_of_its_key_is_tried_with_a_few) {
  const TokenIssuer nameless{Algorithm::eddsa};
  TokenKeys keys = nameless.keys();
  for (int i = 1; i < 16; ++i) keys.push_back(TokenIssuer{Algorithm::eddsa}.keys().front());
  EXPECT_EQ(said_of(TokenVerifier{rules, keys}, nameless.token(claims)), ann);
  keys.push_back(TokenIssuer{Algorithm::eddsa}.keys().front());
  EXPECT_EQ(said_of(TokenVerifier{rules, keys}, nameless.token(claims)),
            (Said{"", Fault::too_many_keys}));
}

// RFC 7515, 4.1.4: the kid is a hint, which an issuer may leave out though its keys have one.
TEST(PlayerToken, without_a_name_of_its_key_is_tried_with_keys_that_have_names) {
  const TokenIssuer issuer{Algorithm::eddsa, "k5"};
  TokenKeys keys;
  for (const char* name : {"k1", "k2", "k3", "k4"}) {
    keys.push_back(TokenIssuer{Algorithm::eddsa, name}.keys().front());
  }
  const std::string token = issuer.token(R"({"alg":"EdDSA"})", claims);
  EXPECT_EQ(said_of(TokenVerifier{rules, keys}, token), (Said{"", Fault::bad_signature}));
  keys.push_back(issuer.keys().front());
  EXPECT_EQ(said_of(TokenVerifier{rules, keys}, token), ann);
}

// What was wanted and what was found, so that the one who reads it knows what to change.
TEST(PlayerToken, that_is_refused_is_told_what_is_there_and_what_is_wanted) {
  const auto claimed = [](std::string_view part, std::string_view instead) {
    return said_of(rsa.token(with(claims, part, instead))).detail;
  };
  EXPECT_EQ(claimed(R"("iss":"https://accounts.example",)", ""),
            R"(it names no issuer (iss), which must be "https://accounts.example")");
  EXPECT_EQ(claimed("example", "example/"),
            R"(its issuer (iss) is "https://accounts.example/" and must be )"
            R"("https://accounts.example")");
  EXPECT_EQ(claimed(R"("fixkeep")", R"(["a","b"])"),
            R"(none of its 2 audiences (aud) is "fixkeep")");
  EXPECT_EQ(claimed(R"("fixkeep")", "7"), R"(its audience (aud) is 7 and must be "fixkeep")");
  EXPECT_EQ(claimed("1800000060", "1800000060000"),
            "exp is 1800000060000 and must be seconds since 1970: it seems to be milliseconds");
  EXPECT_EQ(claimed("1800000060", "null"), "exp is of type null and no number");
  EXPECT_EQ(claimed("1800000060", "1799999000"), "it ended 1000 s ago (exp); ask for a new one");
  EXPECT_EQ(claimed(R"("sub":"ann")", R"("nbf":1800000050,"sub":"ann")"),
            "it begins in 50 s (nbf): the clocks of its issuer and of this master differ");
  EXPECT_EQ(claimed(R"("ann")", "true"),
            "its player (sub) is of type boolean and no text or whole number");

  const auto headed = [](const std::string& head) {
    return said_of(rsa.token(head, claims)).detail;
  };
  EXPECT_EQ(headed(R"({"alg":"ES256","kid":"r1"})"),
            R"(its algorithm (alg) is ES256, and its key (kid "r1") is of RS256)");
  EXPECT_EQ(headed(R"({"alg":"RS256","kid":"r\u0007"})"),
            R"(no key here has its kid "r\u0007"; ask for a new token)");
  EXPECT_EQ(headed(R"({"alg":"none"})"),
            R"(its algorithm (alg) is "none", and the keys here are of RS256 or ES256 or )"
            "EdDSA or HS256");
  EXPECT_EQ(headed(R"({"alg":"RS256","typ":"dpop+jwt"})"),
            R"(its type (typ) is "dpop+jwt" and must be JWT or at+jwt)");
}

// Clients show them again and again.
TEST(PlayerToken, that_has_ended_costs_no_signature) {
  const auto token = rsa.token(with(claims, "1800000060", "1700000000"));
  const auto unsigned_one = token.substr(0, token.rfind('.') + 1) + "AAAA";
  EXPECT_EQ(said_of(unsigned_one), (Said{"", Fault::expired}));
}

TEST(PlayerToken, of_eight_kibibytes_and_more_is_refused) {
  const auto padded = [](std::size_t bytes) {
    return secret.token(
        with(claims, R"("sub")", R"("pad":")" + std::string(bytes, 'x') + R"(","sub")"));
  };
  EXPECT_EQ(said_of(padded(5'900)), ann);
  EXPECT_EQ(said_of(padded(6'100)), (Said{"", Fault::too_long}));
  EXPECT_EQ(said_of(padded(1'000'000)), (Said{"", Fault::too_long}));
}

TEST(PlayerToken, names_a_player_as_a_request_may) {
  const auto named = [](const std::string& player) {
    return said_of(secret.token(with(claims, R"("ann")", player)));
  };
  EXPECT_EQ(named('"' + std::string(128, 'p') + '"'), (Said{std::string(128, 'p'), {}}));
  for (const std::string& none :
       {'"' + std::string(129, 'p') + '"', std::string{R"("")"}, std::string{"7.5"},
        std::string{R"("a\nb")"}, std::string{"null"}}) {
    EXPECT_EQ(named(none), (Said{"", Fault::wrong_player}));
  }
  EXPECT_EQ(named("76561197960287930"), (Said{"76561197960287930", {}}));
  EXPECT_EQ(said_of(secret.token(with(claims, R"("sub":"ann",)", ""))),
            (Said{"", Fault::no_player}));
  const TokenVerifier by_name{
      {.issuer = rules.issuer, .audience = "fixkeep", .player_claim = "pid"}, secret.keys()};
  EXPECT_EQ(said_of(by_name, secret.token(with(claims, R"("sub")", R"("pid":"bob","sub")"))),
            (Said{"bob", {}}));
}

}  // namespace
}  // namespace fixkeep::auth
