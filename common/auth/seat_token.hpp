// Seat tokens prove to the room that a player has a seat.
//
//   token = lines that are signed with the room key (signed_lines.hpp)
//   room key = HMAC-SHA256(seat root of the room's worker, "fixkeep seat 2 " + room id)
//
// A master signs. The game process verifies with the room key from its environment
// (FIXKEEP_SEAT_KEY). A hijacked game process can forge tokens for its own room only. A hijacked
// worker can for its own rooms only. No secret of the cluster is in any key. The expiry is
// wall-clock time as with every bearer token. The worker's own reservation (steady clock) says
// whether the seat is still free.
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

// Tells the SDK which room's game asks: HMAC-SHA256(seat root, "fixkeep sdk 1 " + room id). The
// worker's next run derives the same key.
[[nodiscard]] Key derive_sdk_key(const SeatRoot& root, const RoomId& room);

// The form in which a key stands in the environment of a game process: 64 hexadecimal digits.
[[nodiscard]] std::string to_text(const Key& key);
[[nodiscard]] Result<Key> parse_key(std::string_view text);

struct SeatClaims {
  std::string room;  // to_string(RoomId)
  PlayerId player;
  WallTime expires_at;

  friend bool operator==(const SeatClaims&, const SeatClaims&) = default;
};

// Signs for one room with a prepared key.
class SeatSigner {
 public:
  explicit SeatSigner(const Key& room_key) : key_(view_of(room_key)) {}

  [[nodiscard]] std::string sign(const SeatClaims& claims);

 private:
  HmacKey key_;
};

// Once; for many seats of a room there is SeatSigner.
[[nodiscard]] std::string sign_seat(const Key& room_key, const SeatClaims& claims);

// Reads the claims of a token to find the key that verifies it. No value: it is no token. REQUIRES:
// the caller does not trust them before verification.
[[nodiscard]] std::optional<SeatClaims> unverified_claims(std::string_view token);

// Checks signature, room and expiry in this order before it trusts a field.
[[nodiscard]] Result<SeatClaims> verify_seat(const Key& room_key, std::string_view room,
                                             std::string_view token, WallTime now);

}  // namespace fixkeep::auth
