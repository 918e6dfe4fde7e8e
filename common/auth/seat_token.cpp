#include "common/auth/seat_token.hpp"

#include <algorithm>
#include <charconv>

#include "common/auth/signed_lines.hpp"
#include "common/base/assert.hpp"
#include "common/base/json_text.hpp"

namespace fixkeep::auth {
namespace {

constexpr std::string_view without_facts = "1";
constexpr std::string_view with_facts = "2";

// The player's id is the last line, because an id may contain any character.
std::optional<SeatClaims> parse_claims(std::string_view text) {
  const auto lines = lines_of<4>(text);
  if (!lines) return {};
  auto [version, expiry, room, player] = *lines;
  std::string_view facts;
  if (version == with_facts) {
    const auto both = lines_of<2>(player);
    if (!both || both->front().empty()) return {};
    facts = both->front();
    player = both->back();
  } else if (version != without_facts) {
    return {};
  }
  if (player.empty()) return {};
  std::int64_t milliseconds = 0;
  const auto [end, error] =
      std::from_chars(expiry.data(), expiry.data() + expiry.size(), milliseconds);
  if (error != std::errc{} || end != expiry.data() + expiry.size()) return {};
  return SeatClaims{std::string{room}, PlayerId{std::string{player}},
                    WallTime{std::chrono::milliseconds{milliseconds}}, std::string{facts}};
}

}  // namespace

Key derive_room_key(const SeatRoot& root, const RoomId& room) {
  return hmac_sha256(view_of(root), "fixkeep seat 2 " + to_string(room));
}

Key derive_sdk_key(const SeatRoot& root, const RoomId& room) {
  return hmac_sha256(view_of(root), "fixkeep sdk 1 " + to_string(room));
}

std::string to_text(const Key& key) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : key) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

Result<Key> parse_key(std::string_view text) {
  Key key{};
  if (text.size() != key.size() * 2) return Errc::token_malformed;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto* const pair = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(pair, pair + 2, key[i], 16);
    if (error != std::errc{} || end != pair + 2) return Errc::token_malformed;
  }
  return key;
}

std::string seat_facts(std::string_view team, std::string_view match_id) {
  std::string facts;
  const auto add = [&facts](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    facts += facts.empty() ? '{' : ',';
    append_json_text(name, facts);
    facts += ':';
    append_json_text(value, facts);
  };
  add("team", team);
  add("match_id", match_id);
  if (!facts.empty()) facts += '}';
  return facts;
}

std::string SeatSigner::sign(const SeatClaims& claims) {
  FIXKEEP_ASSERT(!claims.player.empty(), claims.room);
  // A line break inside the room's text would end the room's line, and the rest would become the
  // player's line. Our configurations allow no line break in a worker's name, but a peer might send
  // one. '?' replaces it: no worker's name contains '?', so such a token is valid for no room.
  std::string room = claims.room;
  std::replace(room.begin(), room.end(), '\n', '?');
  const auto expiry = std::to_string(claims.expires_at.time_since_epoch().count());
  const std::string& player = claims.player.text();
  if (claims.facts.empty()) return sign_lines(key_, {without_facts, expiry, room, player});
  FIXKEEP_ASSERT(claims.facts.find('\n') == std::string::npos, claims.facts);
  return sign_lines(key_, {with_facts, expiry, room, claims.facts, player});
}

std::string sign_seat(const Key& room_key, const SeatClaims& claims) {
  return SeatSigner{room_key}.sign(claims);
}

std::optional<SeatClaims> unverified_claims(std::string_view token) {
  const auto text = claims_of(token);
  return text ? parse_claims(*text) : std::nullopt;
}

Result<SeatClaims> verify_seat(const Key& room_key, std::string_view room, std::string_view token,
                               WallTime now) {
  HmacKey key{view_of(room_key)};
  const auto text = verified_claims(key, token);
  if (!text) return text.error();
  auto claims = parse_claims(*text);
  if (!claims) return Errc::token_malformed;
  if (claims->room != room) return Errc::token_wrong_room;
  if (claims->expires_at <= now) return Errc::token_expired;
  return *std::move(claims);
}

}  // namespace fixkeep::auth
