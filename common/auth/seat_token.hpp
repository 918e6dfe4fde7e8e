// A seat token proves to a room that a player has a seat.
//
//   token = lines, signed with the room key (signed_lines.hpp)
//   lines = version, expiry in ms since 1970, room and player. Version 2 has the facts of the seat
//           before the player; a token without facts has version 1, for games with older doors.
//   room key = HMAC-SHA256(seat root of the room's worker, "fixkeep seat 2 " + room id)
//
// A master signs. The game process verifies with the room key from its environment
// (FIXKEEP_SEAT_KEY). A hijacked game process can forge tokens only for its own room. A hijacked
// worker can forge tokens only for its own rooms. No key contains a secret of the cluster. The
// expiry is wall-clock time, as in every bearer token. The worker's reservation (steady clock)
// decides whether the seat is still reserved.
//
// Thread rule: values and free functions; a SeatSigner has one owner. Errors: Errc::token_*.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/auth/hmac.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"

namespace fixkeep::auth {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
using Key = std::array<unsigned char, 32>;

[[nodiscard]] Key derive_room_key(const SeatRoot& root, const RoomId& room);

// Derives the key that a game sends to the worker's SDK server to name its room: HMAC-SHA256(seat
// root, "fixkeep sdk 1 " + room id). The worker's next run derives an equal key.
[[nodiscard]] Key derive_sdk_key(const SeatRoot& root, const RoomId& room);

// Returns a key as a game's environment contains it: 64 hexadecimal digits.
[[nodiscard]] std::string to_text(const Key& key);
[[nodiscard]] Result<Key> parse_key(std::string_view text);

struct SeatClaims {
  std::string room;  // to_string(RoomId)
  PlayerId player;
  WallTime expires_at;
  std::string facts{};  // see seat_facts(); empty: none

  friend bool operator==(const SeatClaims&, const SeatClaims&) = default;
};

// Returns what a token says about the seat besides its player: a JSON object in one line, for
// example {"team":"red","match_id":"final"}. Empty arguments are left out; empty: nothing is left.
// Readers ignore members that they do not know. With ids of wire::limits::id_bytes, a token has at
// most 1500 bytes.
[[nodiscard]] std::string seat_facts(std::string_view team, std::string_view match_id);

// Signs many seats of one room. The room's key is hashed only one time.
class SeatSigner {
 public:
  explicit SeatSigner(const Key& room_key) : key_(view_of(room_key)) {}

  [[nodiscard]] std::string sign(const SeatClaims& claims);

 private:
  HmacKey key_;
};

// Signs one seat. For many seats of a room use SeatSigner.
[[nodiscard]] std::string sign_seat(const Key& room_key, const SeatClaims& claims);

// Reads the claims of a token. The caller needs the claims to find the key that verifies the token.
// No value if the text is not a token. REQUIRES: the caller does not trust the claims before
// verification.
[[nodiscard]] std::optional<SeatClaims> unverified_claims(std::string_view token);

// Checks signature, room and expiry, in this order. Returns the claims if all three are valid.
[[nodiscard]] Result<SeatClaims> verify_seat(const Key& room_key, std::string_view room,
                                             std::string_view token, WallTime now);

}  // namespace fixkeep::auth
