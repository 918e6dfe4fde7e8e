// Codes of private rooms: players with the same code play only with each other.
//
//   code = 8 characters of number, 4 of proof: "7K3M-QX2P-9TRW", in Crockford's Base32
//   number = HMAC-SHA256(key, group, player, word), proof = HMAC-SHA256(key, number, group)
//
// A code has its own group, separate from its players' group without a code. Thanks to the proof,
// every master with the cluster's secret recognises a code that it has never seen. A wrong code
// costs nothing. A correct code makes its room if the room is missing, so no answer shows whether a
// room exists. To guess a code that is in use, a client must guess 60 bits; to guess any correct
// code, 20 bits. The number depends on the player that makes the code and on the player's word. A
// repeated request thus makes the same code.
//
// Thread rule: one owner; reads no clock. Bounds: no stored data. Errors: null for a text that is
// no code for the group.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/auth/hmac.hpp"
#include "common/base/ids.hpp"

namespace fixkeep::master {

class RoomCodes {
 public:
  // Bytes that a code adds to the key of its group.
  static constexpr std::size_t key_bytes = 15;

  // `secret`: the cluster's secret. REQUIRES: not empty if a mode has codes.
  explicit RoomCodes(std::string_view secret);

  // `group`: the group by mode and equal attributes.
  [[nodiscard]] std::string make(const GroupKey& group, const PlayerId& player,
                                 std::string_view word);
  // Returns the code as make() writes it; null: no code for this group. Accepts small letters,
  // other marks between the characters and similar characters (O for 0, I and L for 1).
  [[nodiscard]] std::optional<std::string> read(const GroupKey& group, std::string_view text);
  // Returns the group of the code's players. REQUIRES: the code was made or read for `group`.
  [[nodiscard]] static GroupKey group_of(const GroupKey& group, std::string_view code);
  // Returns whether group_of() has made this group.
  [[nodiscard]] static bool is_private(const GroupKey& group);

 private:
  [[nodiscard]] std::string proof_of(std::string_view number, const GroupKey& group);

  auth::HmacKey key_;
};

}  // namespace fixkeep::master
