// Codes of private rooms: players with the same code play with each other and with no others.
//
//   code = 8 characters of number, 4 of proof: "7K3M-QX2P-9TRW", in Crockford's Base32
//   number = HMAC-SHA256(key, group, player, word), proof = HMAC-SHA256(key, number, group)
//
// A code is a group of its own beside its players' group without a code. By the proof every master
// with the cluster's secret recognises a code that it has never seen. A wrong code costs nothing. A
// right one makes its room if it is missing: no answer tells whether there is one. A guess needs 60
// bits to hit a code in use and 20 to hit any code. The number depends on the player that makes the
// code and on a word of its own. A repeated request thus makes the same code.
//
// Thread rule: one owner; reads no clock. Bounds: it keeps nothing. Errors: null for a text that is
// no code of the group.
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

  // `secret`: the cluster's. REQUIRES: modes that have codes have one.
  explicit RoomCodes(std::string_view secret);

  // `group`: of the mode and the attributes that have to be equal.
  [[nodiscard]] std::string make(const GroupKey& group, const PlayerId& player,
                                 std::string_view word);
  // The code as make() writes it; null: no code of this group. Accepted are small letters, other
  // marks between the characters and look-alikes (O for 0, I and L for 1).
  [[nodiscard]] std::optional<std::string> read(const GroupKey& group, std::string_view text);
  // The group of the code's players. REQUIRES: the code was made or read for `group`.
  [[nodiscard]] static GroupKey group_of(const GroupKey& group, std::string_view code);
  // Whether a group is one of those that group_of() makes.
  [[nodiscard]] static bool is_private(const GroupKey& group);

 private:
  [[nodiscard]] std::string proof_of(std::string_view number, const GroupKey& group);

  auth::HmacKey key_;
};

}  // namespace fixkeep::master
