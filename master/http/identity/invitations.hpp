// An invitation proves that a player with a token agrees to be in another player's party.
//
// The member requests an invitation from a master, for one leader and one mode, and sends it to the
// leader. The leader's match request contains the invitations of all members. Thus no player can
// name another player without consent.
//
// An invitation is valid once, for a minute, for one leader, one mode and one member. If the match
// request gets seats, the invitation stays used. If the request gets no seats, the invitation is
// valid again. With a cluster secret all masters have the same key, and each master accepts an
// invitation once. Without a secret the key belongs to this run, and a leader must use the master
// that its members used.
//
// Thread rule: one owner; reads no clock. Bounds: at most `most_used` used invitations are stored
// until they expire, and at most `most_of_leader` of one leader. Further invitations are refused.
// Thus no player can block other players' parties. Errors: Fault.
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

  // too_many: this leader has reached its limit. full: all leaders together have reached the limit.
  enum class Fault : std::uint8_t {
    forged,
    of_another,
    of_another_mode,
    ended,
    used,
    too_many,
    full
  };

  // `secret`: the cluster's secret, or empty.
  explicit Invitations(std::string_view secret);

  struct Party {
    PlayerId leader;
    ModeName mode;
  };
  [[nodiscard]] std::string make(const Party& party, const PlayerId& member, auth::WallTime now);
  // Returns the member that agrees to be in `party`. Marks the invitation as used until
  // give_back().
  [[nodiscard]] std::variant<PlayerId, Fault> use(std::string_view invitation, const Party& party,
                                                  auth::WallTime now);
  void give_back(std::string_view invitation, const PlayerId& leader);

 private:
  using OfLeader = std::map<std::string, auth::WallTime, std::less<>>;  // invitation, expiry

  // Makes place for one more invitation of `leader`. Removes expired invitations if necessary.
  [[nodiscard]] std::optional<Fault> make_place(const PlayerId& leader, auth::WallTime now);

  auth::HmacKey key_;
  std::map<PlayerId, OfLeader> used_;
  std::size_t count_ = 0;       // number of used invitations of all leaders
  auth::WallTime next_look_{};  // time of the next sweep; a sweep takes milliseconds
};

// Returns a text that explains the fault and what to do.
[[nodiscard]] std::string_view detail_of(Invitations::Fault fault);

}  // namespace fixkeep::master
