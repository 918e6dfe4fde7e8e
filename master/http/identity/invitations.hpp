// Invitations: a player with a token agrees to be in the party of another one.
//
// The member asks a master for one, made out to its leader and to a mode, and hands it to the
// leader. The leader sends the invitations of all members with the request. So a player is never
// named by another one.
//
// An invitation counts once, for a minute, for one leader, one mode and one member. It is used up
// when its request has its seats, and given back when the request ends otherwise. With a secret of
// the cluster the key is the same in all masters, and each of them takes an invitation once.
// Without a secret the key is of this run, and a leader has to ask its members' master.
//
// Thread rule: one owner; reads no clock. Bounds: most_used are remembered until they end, at most
// most_of_leader for one leader, so no player keeps others from their parties; further ones are
// refused. Errors: Fault.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/auth/seat_token.hpp"
#include "common/base/ids.hpp"

namespace fixkeep::master {

class Invitations {
 public:
  static constexpr std::chrono::seconds life{60};
  static constexpr std::size_t most_used = 100'000;
  static constexpr std::size_t most_of_leader = 256;  // four full parties

  // too_many: of this leader. full: of all leaders together.
  enum class Fault : std::uint8_t {
    forged,
    of_another,
    of_another_mode,
    ended,
    used,
    too_many,
    full
  };

  // `secret`: the cluster's, or empty.
  explicit Invitations(std::string_view secret);

  struct Party {
    PlayerId leader;
    ModeName mode;
  };
  [[nodiscard]] std::string make(const Party& party, const PlayerId& member, auth::WallTime now);
  // The member that agrees to be in `party`. From now on the invitation is used, until it is given
  // back.
  [[nodiscard]] std::variant<PlayerId, Fault> use(std::string_view invitation, const Party& party,
                                                  auth::WallTime now);
  void give_back(std::string_view invitation, const PlayerId& leader);

 private:
  using OfLeader = std::map<std::string, auth::WallTime, std::less<>>;  // invitation and its end

  // There is a place for one more of `leader`, perhaps since others have ended.
  [[nodiscard]] std::optional<Fault> make_place(const PlayerId& leader, auth::WallTime now);

  auth::HmacKey key_;
  std::map<PlayerId, OfLeader> used_;
  std::size_t count_ = 0;       // sum over all leaders
  auth::WallTime next_look_{};  // a look at all of them takes milliseconds
};

// Says what is wrong, and what to do.
[[nodiscard]] std::string_view detail_of(Invitations::Fault fault);

}  // namespace fixkeep::master
