#include "common/auth/jwt/token_verifier.hpp"

#include <algorithm>
#include <optional>

#include "common/auth/jwt/json_object.hpp"
#include "common/base/base64.hpp"
#include "common/base/printable.hpp"

namespace fixkeep::auth {
namespace {

using nlohmann::json;
using Fault = TokenFault;
using Refused = TokenRefusal;

struct Parts {
  std::string_view head;
  std::string_view claims;
  std::string_view signature;
  std::string_view signed_text;  // head and claims, encoded
};

std::optional<Parts> parts_of(std::string_view token) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  if (first == std::string_view::npos || last == first) return {};
  if (token.find('.', first + 1) != last) return {};
  return Parts{token.substr(0, first), token.substr(first + 1, last - first - 1),
               token.substr(last + 1), token.substr(0, last)};
}

std::variant<json, Refused> object_in(std::string_view part, const std::string& name) {
  const auto bytes = from_base64url(part);
  if (!bytes) {
    return Refused{Fault::unreadable, "its " + name + " is no base64url without padding"};
  }
  auto object = strict_object(*bytes);
  if (!object) {
    return Refused{Fault::unreadable, "its " + name + " is no JSON object, or has a name twice"};
  }
  return *std::move(object);
}

// Makes foreign text safe to quote in a sentence.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 100;
  return '"' + printable(text.substr(0, most)) + (text.size() > most ? "…\"" : "\"");
}

// Describes a member in a sentence: its text or number, otherwise its type.
std::string said(const json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return in_quotes(*text);
  return value.is_number() ? value.dump() : std::string{"of type "} + value.type_name();
}

bool same_but_for_case(std::string_view text, std::string_view small) {
  return text.size() == small.size() &&
         std::equal(text.begin(), text.end(), small.begin(), [](char one, char other) {
           return (one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one) == other;
         });
}

// Refuses a token that was signed for another purpose: its `typ` is neither JWT nor at+jwt. Both
// names may have the prefix "application/" (RFC 7515 section 4.1.9, RFC 9068 section 4). A token
// without `typ` is accepted.
std::optional<Refused> wrong_type(const json& head) {
  const auto found = head.find("typ");
  if (found == head.end()) return {};
  constexpr std::string_view media = "application/";
  if (const auto* text = text_at(head, "typ")) {
    std::string_view type = *text;
    if (same_but_for_case(type.substr(0, media.size()), media)) type.remove_prefix(media.size());
    if (same_but_for_case(type, "jwt") || same_but_for_case(type, "at+jwt")) return {};
  }
  return Refused{Fault::wrong_type,
                 "its type (typ) is " + said(*found) + " and must be JWT or at+jwt"};
}

std::string algorithms_of(const TokenKeys& keys) {
  std::string all;
  for (const auto each : {TokenAlgorithm::rs256, TokenAlgorithm::es256, TokenAlgorithm::eddsa,
                          TokenAlgorithm::hs256}) {
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const TokenKey& key) { return key.algorithm() == each; })) {
      continue;
    }
    if (!all.empty()) all += " or ";
    all += to_string(each);
  }
  return all;
}

Refused no_candidate(const TokenKeys& keys, const std::string& id, std::string_view algorithm) {
  const auto other =
      std::find_if(keys.begin(), keys.end(), [&](const TokenKey& key) { return key.id() == id; });
  std::string detail = "no key here has its kid " + in_quotes(id) + "; ask for a new token";
  if (other != keys.end()) {
    detail = "its algorithm (alg) is " + std::string{algorithm} + ", and its key (kid " +
             in_quotes(id) + ") is of " + std::string{to_string(other->algorithm())};
  }
  return {Fault::unknown_key, std::move(detail)};
}

// The keys with which the token was possibly signed.
std::variant<std::vector<const TokenKey*>, Refused> candidates(const TokenKeys& keys,
                                                               const json& head) {
  const auto* name = text_at(head, "alg");
  const auto algorithm = name == nullptr ? std::nullopt : parse_token_algorithm(*name);
  const auto* id = text_at(head, "kid");
  if (head.contains("kid") && id == nullptr) {
    return Refused{Fault::unreadable, "its key (kid) is no text"};
  }
  std::vector<const TokenKey*> named;
  std::vector<const TokenKey*> nameless;
  bool known = false;
  for (const TokenKey& key : keys) {
    if (key.algorithm() != algorithm) continue;
    known = true;
    if (id == nullptr || key.id() == *id) {
      named.push_back(&key);
    } else if (key.id().empty()) {
      nameless.push_back(&key);
    }
  }
  if (!known) {
    return Refused{Fault::wrong_algorithm,
                   (head.contains("alg") ? "its algorithm (alg) is " + said(head["alg"])
                                         : std::string{"it names no algorithm (alg)"}) +
                       ", and the keys here are of " + algorithms_of(keys)};
  }
  auto& chosen = named.empty() ? nameless : named;
  if (chosen.empty()) return no_candidate(keys, *id, *name);
  if (chosen.size() > TokenVerifier::keys_tried) {
    return Refused{Fault::too_many_keys,
                   std::to_string(chosen.size()) +
                       " keys here may be its "
                       "own, and at most 16 are tried: let it name one (kid)"};
  }
  return std::move(chosen);
}

// Reads a time in seconds since 1970, perhaps with a fraction.
std::variant<WallTime, Refused> time_at(const json& claims, const std::string& name, Fault fault) {
  constexpr double year_10000 = 253402300800;
  const json& value = claims.at(name);
  if (!value.is_number()) return Refused{fault, name + " is " + said(value) + " and no number"};
  const double seconds = value.get<double>();
  if (!(seconds >= 0 && seconds < year_10000)) {
    const bool milliseconds = seconds >= year_10000 && seconds < 1000 * year_10000;
    return Refused{fault, name + " is " + said(value) + " and must be seconds since 1970" +
                              (milliseconds ? ": it seems to be milliseconds" : "")};
  }
  return WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)}};
}

std::optional<Refused> wrong_issuer(const json& claims, const TokenRules& rules) {
  const auto found = claims.find("iss");
  const std::string wanted = in_quotes(rules.issuer);
  if (found == claims.end()) {
    return Refused{Fault::no_issuer, "it names no issuer (iss), which must be " + wanted};
  }
  if (*found == rules.issuer) return {};
  return Refused{Fault::wrong_issuer,
                 "its issuer (iss) is " + said(*found) + " and must be " + wanted};
}

std::optional<Refused> wrong_audience(const json& claims, const TokenRules& rules) {
  const auto found = claims.find("aud");
  const std::string wanted = in_quotes(rules.audience);
  if (found == claims.end()) {
    return Refused{Fault::no_audience, "it names no audience (aud), which must be " + wanted};
  }
  if (*found == rules.audience) return {};
  if (!found->is_array()) {
    return Refused{Fault::wrong_audience,
                   "its audience (aud) is " + said(*found) + " and must be " + wanted};
  }
  if (std::find(found->begin(), found->end(), rules.audience) != found->end()) return {};
  return Refused{Fault::wrong_audience,
                 "none of its " + std::to_string(found->size()) + " audiences (aud) is " + wanted};
}

// Reads the player's id from a text or a whole number, because account ids often are numbers.
std::variant<PlayerId, Refused> player_of(const json& claims, const TokenRules& rules) {
  const std::string& name = rules.player_claim;
  const auto found = claims.find(name);
  if (found == claims.end()) {
    return Refused{Fault::no_player, "it has no " + in_quotes(name) + ", which names the player"};
  }
  std::string player;
  if (const auto* text = found->get_ptr<const std::string*>()) {
    player = *text;
  } else if (found->is_number_integer()) {
    player = found->dump();
  } else {
    return Refused{Fault::wrong_player, "its player (" + printable(name) + ") is " + said(*found) +
                                            " and no text or whole number"};
  }
  if (player.empty() || player.size() > TokenVerifier::player_bytes || !is_printable(player)) {
    return Refused{Fault::wrong_player, "its player (" + printable(name) +
                                            ") must have 1 to 128 bytes, which can be printed"};
  }
  return PlayerId{std::move(player)};
}

std::variant<PlayerToken, Refused> judge(const json& claims, const TokenRules& rules,
                                         WallTime now) {
  using std::chrono::ceil;
  using std::chrono::seconds;
  if (auto wrong = wrong_issuer(claims, rules)) return *std::move(wrong);
  if (auto wrong = wrong_audience(claims, rules)) return *std::move(wrong);
  if (!claims.contains("exp")) {
    return Refused{Fault::no_expiry, "it does not say when it ends (exp)"};
  }
  const auto expiry = time_at(claims, "exp", Fault::wrong_expiry);
  if (const auto* wrong = std::get_if<Refused>(&expiry)) return *wrong;
  const WallTime ends = std::get<WallTime>(expiry) + rules.leeway;
  if (now >= ends) {
    const auto ago = ceil<seconds>(now - std::get<WallTime>(expiry)).count();
    return Refused{Fault::expired,
                   "it ended " + std::to_string(ago) + " s ago (exp); ask for a new one"};
  }
  if (claims.contains("nbf")) {
    const auto begins = time_at(claims, "nbf", Fault::wrong_begin);
    if (const auto* wrong = std::get_if<Refused>(&begins)) return *wrong;
    const auto ahead = std::get<WallTime>(begins) - now;
    if (ahead > rules.leeway) {
      return Refused{Fault::not_yet,
                     "it begins in " + std::to_string(ceil<seconds>(ahead).count()) +
                         " s (nbf): the clocks of its issuer and of this master differ"};
    }
  }
  auto player = player_of(claims, rules);
  if (auto* wrong = std::get_if<Refused>(&player)) return std::move(*wrong);
  return PlayerToken{std::get<PlayerId>(std::move(player)), ends};
}

}  // namespace

std::string_view to_string(TokenFault fault) {
  switch (fault) {
    case Fault::no_token: return "no-token";
    case Fault::unreadable: return "unreadable";
    case Fault::too_long: return "too-long";
    case Fault::wrong_type: return "wrong-type";
    case Fault::wrong_algorithm: return "wrong-algorithm";
    case Fault::critical_header: return "critical-header";
    case Fault::unknown_key: return "unknown-key";
    case Fault::too_many_keys: return "too-many-keys";
    case Fault::bad_signature: return "bad-signature";
    case Fault::no_issuer: return "no-issuer";
    case Fault::wrong_issuer: return "wrong-issuer";
    case Fault::no_audience: return "no-audience";
    case Fault::wrong_audience: return "wrong-audience";
    case Fault::no_expiry: return "no-expiry";
    case Fault::wrong_expiry: return "wrong-expiry";
    case Fault::expired: return "expired";
    case Fault::wrong_begin: return "wrong-begin";
    case Fault::not_yet: return "not-yet";
    case Fault::no_player: return "no-player";
    case Fault::wrong_player: return "wrong-player";
  }
  return "";
}

std::variant<PlayerToken, TokenRefusal> TokenVerifier::verify(std::string_view token,
                                                              WallTime now) const {
  if (token.size() > token_bytes) return Refused{Fault::too_long, "it has more than 8 KiB"};
  const auto parts = parts_of(token);
  if (!parts) {
    return Refused{Fault::no_token, "it is no JSON Web Token: that has three parts, and two dots"};
  }
  const auto head_read = object_in(parts->head, "head");
  if (const auto* refused = std::get_if<Refused>(&head_read)) return *refused;
  const json& head = std::get<json>(head_read);
  if (auto refused = wrong_type(head)) return *std::move(refused);
  if (head.contains("crit")) {
    return Refused{Fault::critical_header, "its head has crit, of which nothing is understood"};
  }
  const auto chosen = candidates(keys_, head);
  if (const auto* refused = std::get_if<Refused>(&chosen)) return *refused;
  const auto claims = object_in(parts->claims, "claims");
  if (const auto* refused = std::get_if<Refused>(&claims)) return *refused;
  auto verdict = judge(std::get<json>(claims), rules_, now);
  // Clients often repeat expired tokens. These are refused before the check of the signature, which
  // costs more.
  if (const auto* refused = std::get_if<Refused>(&verdict);
      refused != nullptr && refused->fault == Fault::expired) {
    return verdict;
  }
  const auto signature = from_base64url(parts->signature);
  if (!signature) {
    return Refused{Fault::unreadable, "its signature is no base64url without padding"};
  }
  const auto& keys = std::get<std::vector<const TokenKey*>>(chosen);
  if (std::none_of(keys.begin(), keys.end(), [&](const TokenKey* key) {
        return key->verify(parts->signed_text, *signature);
      })) {
    return Refused{Fault::bad_signature, head.contains("kid")
                                             ? "its signature does not fit its key (kid)"
                                             : "its signature fits no key of this master"};
  }
  return verdict;
}

}  // namespace fixkeep::auth
