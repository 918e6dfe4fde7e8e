// Invitations: how a player who has shown a token agrees to be in the party of another one.
//
//   invitation = base64url(claims) "." base64url(HMAC-SHA256(key, base64url(claims)))
//
// The member asks a master for one that is made out to its leader, and hands it to the leader, who
// sends those of all members with the request. So nobody is ever named by somebody else.
//
// An invitation counts for a minute, for one leader and one member, and once: it is used up when
// the request that it came with has its seats, and given back when that ends otherwise. With a
// secret of the cluster the key is the same in all masters, and each of them takes an invitation
// once; without one it is of this run, and a leader has to ask the master that its members asked.
//
// Thread rule: one owner; reads no clock. Bounds: most_used are remembered until they end; beyond
// that none is taken. Errors: Fault.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
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

  enum class Fault : std::uint8_t { forged, of_another, ended, used, too_many };

  // `secret`: the cluster's; empty: there is none.
  explicit Invitations(std::string_view secret);

  [[nodiscard]] std::string make(const PlayerId& leader, const PlayerId& member,
                                 auth::WallTime now);
  // The member who agrees to be with `leader`. From now on it is used, until it is given back.
  [[nodiscard]] std::variant<PlayerId, Fault> use(std::string_view invitation,
                                                  const PlayerId& leader, auth::WallTime now);
  void give_back(std::string_view invitation);

 private:
  auth::Key key_;
  std::map<std::string, auth::WallTime, std::less<>> used_;  // until it ends
};

// Says what is wrong, and what to do.
[[nodiscard]] std::string_view detail_of(Invitations::Fault fault);

}  // namespace fixkeep::master
