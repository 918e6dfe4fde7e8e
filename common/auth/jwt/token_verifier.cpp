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

struct Parts {
  std::string_view head;
  std::string_view claims;
  std::string_view signature;
  std::string_view signed_text;  // head and claims, as they stand
};

std::optional<Parts> parts_of(std::string_view token) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  if (first == std::string_view::npos || last == first) return {};
  if (token.find('.', first + 1) != last) return {};
  return Parts{token.substr(0, first), token.substr(first + 1, last - first - 1),
               token.substr(last + 1), token.substr(0, last)};
}

std::optional<json> object_in(std::string_view part) {
  const auto bytes = from_base64url(part);
  if (!bytes) return {};
  return strict_object(*bytes);
}

bool same_but_for_case(std::string_view text, std::string_view small) {
  return text.size() == small.size() &&
         std::equal(text.begin(), text.end(), small.begin(), [](char one, char other) {
           return (one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one) == other;
         });
}

// A text that was signed for another purpose is no token of a player.
bool is_token(const json& head) {
  if (!head.contains("typ")) return true;
  const auto* type = text_at(head, "typ");
  return type != nullptr && (same_but_for_case(*type, "jwt") || same_but_for_case(*type, "at+jwt"));
}

// The keys that may have signed it.
std::variant<std::vector<const TokenKey*>, Fault> candidates(const TokenKeys& keys,
                                                             const json& head) {
  const auto* name = text_at(head, "alg");
  const auto algorithm = name == nullptr ? std::nullopt : parse_token_algorithm(*name);
  if (!algorithm) return Fault::wrong_algorithm;
  if (head.contains("kid") && text_at(head, "kid") == nullptr) return Fault::malformed;
  const auto* id = text_at(head, "kid");
  std::vector<const TokenKey*> named;
  std::vector<const TokenKey*> nameless;
  bool known = false;
  for (const TokenKey& key : keys) {
    if (key.algorithm() != *algorithm) continue;
    known = true;
    if (id == nullptr || key.id() == *id) {
      named.push_back(&key);
    } else if (key.id().empty()) {
      nameless.push_back(&key);
    }
  }
  if (!known) return Fault::wrong_algorithm;
  auto& chosen = named.empty() ? nameless : named;
  if (chosen.empty() || chosen.size() > TokenVerifier::keys_tried) return Fault::unknown_key;
  return std::move(chosen);
}

// A time that JSON says as seconds since 1970, with a fraction or without.
std::optional<WallTime> time_at(const json& claims, std::string_view name) {
  constexpr double year_10000 = 253402300800;
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number()) return {};
  const double seconds = found->get<double>();
  if (!(seconds >= 0 && seconds < year_10000)) return {};
  return WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)}};
}

bool is_for(const json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  if (found->is_string()) return *found == audience;
  return found->is_array() && std::find(found->begin(), found->end(), audience) != found->end();
}

std::variant<PlayerToken, Fault> judge(const json& claims, const TokenRules& rules, WallTime now) {
  const auto* issuer = text_at(claims, "iss");
  if (issuer == nullptr || *issuer != rules.issuer) return Fault::wrong_issuer;
  if (!is_for(claims, rules.audience)) return Fault::wrong_audience;
  const auto expiry = time_at(claims, "exp");
  if (!expiry) return Fault::no_expiry;
  const WallTime ends = *expiry + rules.leeway;
  if (now >= ends) return Fault::expired;
  if (claims.contains("nbf")) {
    const auto begins = time_at(claims, "nbf");
    if (!begins) return Fault::malformed;
    if (now < *begins - rules.leeway) return Fault::not_yet;
  }
  const auto* player = text_at(claims, rules.player_claim);
  if (player == nullptr || player->empty() || player->size() > TokenVerifier::player_bytes ||
      !is_printable(*player)) {
    return Fault::no_player;
  }
  return PlayerToken{PlayerId{*player}, ends};
}

}  // namespace

std::string_view detail_of(TokenFault fault) {
  switch (fault) {
    case Fault::malformed: return "it is no JSON Web Token of three parts";
    case Fault::too_long: return "it has more than 8 KiB";
    case Fault::wrong_algorithm:
      return "its algorithm (alg) is none of RS256, ES256, EdDSA and HS256 of which there is a key";
    case Fault::critical_header: return "its head has crit, of which nothing is understood";
    case Fault::unknown_key: return "its key (kid) is not known; ask for a new token";
    case Fault::bad_signature: return "its signature is not that of its key";
    case Fault::wrong_issuer: return "its issuer (iss) is another one";
    case Fault::wrong_audience: return "it is for another audience (aud)";
    case Fault::no_expiry: return "it does not say when it ends (exp)";
    case Fault::expired: return "it has ended (exp); ask for a new one";
    case Fault::not_yet: return "it has not begun (nbf)";
    case Fault::no_player: return "it names no player of 1 to 128 bytes";
  }
  return "";
}

std::variant<PlayerToken, TokenFault> TokenVerifier::verify(std::string_view token,
                                                            WallTime now) const {
  if (token.size() > token_bytes) return Fault::too_long;
  const auto parts = parts_of(token);
  if (!parts) return Fault::malformed;
  const auto head = object_in(parts->head);
  const auto signature = from_base64url(parts->signature);
  if (!head || !signature || !is_token(*head)) return Fault::malformed;
  if (head->contains("crit")) return Fault::critical_header;
  const auto chosen = candidates(keys_, *head);
  if (const auto* fault = std::get_if<Fault>(&chosen)) return *fault;
  const auto& keys = std::get<std::vector<const TokenKey*>>(chosen);
  if (std::none_of(keys.begin(), keys.end(), [&](const TokenKey* key) {
        return key->verify(parts->signed_text, *signature);
      })) {
    return Fault::bad_signature;
  }
  const auto claims = object_in(parts->claims);
  if (!claims) return Fault::malformed;
  return judge(*claims, rules_, now);
}

}  // namespace fixkeep::auth
