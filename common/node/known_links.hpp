// Which connection of each node an event was about, for a shell that steps events later.
//
// A hub reports what happens as it happens; a shell gathers the events, steps them through its core
// a batch at a time, and performs the actions, which name nodes. Meanwhile a node may have gone and
// come back: what its core says of the older connection must not go out on the newer one, whose
// other end knows nothing of it. So the events of links carry a LinkChange; the shell applies it
// when it steps the event, and sends on of(): the link as the core knows it just then. The hub
// drops what is not for the link of the moment.
//
// The rejected alternatives: to end a batch at each change of a link does not help, since the hub
// is ahead of the batch; to step each event at once costs the natural batches.
//
// REQUIRES: actions are performed before the next event is stepped.
// Sans-IO. Thread rule: a value, one owner. Bounds: those of the hub. Errors: none.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/net/link/node.hpp"

namespace fixkeep::net {

struct LinkChange {
  Role role = Role::master;
  std::string name;
  LinkNumber link = LinkNumber::none;  // none: it went down
};

[[nodiscard]] inline LinkChange came_up(const Peer& peer) {
  return {peer.role, peer.name, peer.link};
}
[[nodiscard]] inline LinkChange went_down(const Peer& peer) {
  return {peer.role, peer.name, LinkNumber::none};
}

class KnownLinks {
 public:
  void apply(const LinkChange& change) {
    if (change.link == LinkNumber::none) {
      links_.erase({change.role, change.name});
    } else {
      links_.insert_or_assign({change.role, change.name}, change.link);
    }
  }

  // None: as far as the events that were stepped tell, there is no link to the node.
  [[nodiscard]] LinkNumber of(Role role, const std::string& name) const {
    const auto found = links_.find({role, name});
    return found == links_.end() ? LinkNumber::none : found->second;
  }

 private:
  std::map<std::pair<Role, std::string>, LinkNumber> links_;
};

}  // namespace fixkeep::net
