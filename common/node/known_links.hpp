// The connection to each node, according to the events that the core has handled so far: see
// event_queue.hpp.
//
// Sans-IO. Thread rule: a value with one owner. Bounds: those of the hub. Errors: none.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/net/node.hpp"

namespace fixkeep::node {

struct LinkChange {
  net::Role role = net::Role::master;
  std::string name;
  net::LinkNumber link = net::LinkNumber::none;  // none: disconnected
};

[[nodiscard]] inline LinkChange came_up(const net::Peer& peer) {
  return {peer.role, peer.name, peer.link};
}
[[nodiscard]] inline LinkChange went_down(const net::Peer& peer) {
  return {peer.role, peer.name, net::LinkNumber::none};
}

class KnownLinks {
 public:
  void apply(const LinkChange& change) {
    if (change.link == net::LinkNumber::none) {
      links_.erase({change.role, change.name});
    } else {
      links_.insert_or_assign({change.role, change.name}, change.link);
    }
  }

  // Returns LinkNumber::none if the events handled so far show no connection to the node.
  [[nodiscard]] net::LinkNumber of(net::Role role, const std::string& name) const {
    const auto found = links_.find({role, name});
    return found == links_.end() ? net::LinkNumber::none : found->second;
  }

 private:
  std::map<std::pair<net::Role, std::string>, net::LinkNumber> links_;
};

}  // namespace fixkeep::node
