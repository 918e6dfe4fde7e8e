#include "common/auth/seat_token.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "common/auth/hmac.hpp"
#include "common/base/assert.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::auth {
namespace {

// "1\n<expiry in ms since 1970>\n<room>\n<player>": the player comes last and may hold anything. A
// line break in the room would give the rest of the room to the player. No configured worker has
// one in its name, but the name is the peer's word. It becomes a '?', which no name has either; the
// token then opens no room.
std::string claims_text(const SeatClaims& claims) {
  FIXKEEP_ASSERT(!claims.player.empty(), claims.room);
  std::string text = "1\n";
  text += std::to_string(claims.expires_at.time_since_epoch().count());
  text += '\n';
  const auto room = text.insert(text.end(), claims.room.begin(), claims.room.end());
  std::replace(room, text.end(), '\n', '?');
  text += '\n';
  text += claims.player.text();
  return text;
}

std::optional<std::string_view> next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos) return {};
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::optional<SeatClaims> parse_claims(std::string_view text) {
  const auto version = next_line(text);
  const auto expiry = next_line(text);
  const auto room = next_line(text);
  if (!version || *version != "1" || !expiry || !room || text.empty()) return {};
  std::int64_t milliseconds = 0;
  const auto [end, error] =
      std::from_chars(expiry->data(), expiry->data() + expiry->size(), milliseconds);
  if (error != std::errc{} || end != expiry->data() + expiry->size()) return {};
  return SeatClaims{std::string{*room}, PlayerId{std::string{text}},
                    WallTime{std::chrono::milliseconds{milliseconds}}};
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

std::string SeatSigner::sign(const SeatClaims& claims) {
  std::string token;
  token.reserve(256);
  append_base64url(claims_text(claims), token);
  const auto signature = key_.sha256(token);
  token += '.';
  append_base64url(view_of(signature), token);
  return token;
}

std::string sign_seat(const Key& room_key, const SeatClaims& claims) {
  return SeatSigner{room_key}.sign(claims);
}

std::optional<SeatClaims> unverified_claims(std::string_view token) {
  const auto text = from_base64url(token.substr(0, std::min(token.find('.'), token.size())));
  return text ? parse_claims(*text) : std::nullopt;
}

Result<SeatClaims> verify_seat(const Key& room_key, std::string_view room, std::string_view token,
                               WallTime now) {
  const auto dot = token.find('.');
  if (dot == std::string_view::npos) return Errc::token_malformed;
  const auto signature = from_base64url(token.substr(dot + 1));
  if (!signature) return Errc::token_malformed;
  const auto signed_part = token.substr(0, dot);
  if (!equal_in_constant_time(*signature, view_of(hmac_sha256(view_of(room_key), signed_part)))) {
    return Errc::token_forged;
  }
  const auto claims = unverified_claims(signed_part);
  if (!claims) return Errc::token_malformed;
  if (claims->room != room) return Errc::token_wrong_room;
  if (claims->expires_at <= now) return Errc::token_expired;
  return *claims;
}

}  // namespace fixkeep::auth
