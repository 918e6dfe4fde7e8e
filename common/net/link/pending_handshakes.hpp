// The connections that have not identified themselves yet. Strangers cannot keep nodes out.
//
// If there is no place, a newcomer replaces another connection. If the newcomer's address has used
// its share, the oldest connection of this address is replaced. Otherwise the oldest connection of
// an address with the most connections is replaced. A /64 of IPv6 is one address. An honest
// handshake takes a few round trips. To crowd nodes out, a stranger must open connections faster
// than this, from many addresses. It is not enough to keep connections open.
// Invariants: 1. at most `most` connections are pending, and at most half of these (but at least
//                one) are of one address.
//             2. an address with fewer connections than another address loses none to that address.
// Thread rule: one owner. Bounds: `most` connections; an addition reads all pending connections.
// Errors: none.
#pragma once

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <list>
#include <map>
#include <utility>

#include "common/net/client_network.hpp"

namespace fixkeep::net {

template <class Connection>  // a pointer
class PendingHandshakes {
 public:
  // An address may have half of all places: after a partition, many nodes behind one address may
  // dial at the same time, each several times.
  explicit PendingHandshakes(std::size_t most)
      : most_(most), most_of_address_(std::max<std::size_t>(most / 2, 1)) {}

  // Adds the connection. Returns the replaced connection, which is no longer pending. Null: there
  // was a place.
  [[nodiscard]] Connection add(Connection connection, const boost::asio::ip::address& from) {
    const auto address = client_network(from);
    std::map<boost::asio::ip::address, std::size_t> counts;
    for (const auto& [known, pending] : pending_) ++counts[known];
    const auto of_address = counts.find(address);
    Connection loser{};
    if (of_address != counts.end() && of_address->second >= most_of_address_) {
      loser = take_oldest_of(address);
    } else if (pending_.size() >= most_) {
      // If several addresses have the most connections, takes the oldest connection of all these
      // addresses.
      loser = take_oldest_of(
          std::max_element(pending_.begin(), pending_.end(), [&](const auto& a, const auto& b) {
            return counts[a.first] < counts[b.first];
          })->first);
    }
    pending_.emplace_back(address, std::move(connection));
    return loser;
  }
  void remove(const Connection& connection) {
    pending_.remove_if([&](const auto& entry) { return entry.second == connection; });
  }
  void each(auto visit) const {
    for (const auto& [address, connection] : pending_) visit(connection);
  }
  [[nodiscard]] std::size_t size() const { return pending_.size(); }

 private:
  Connection take_oldest_of(boost::asio::ip::address address) {
    const auto oldest = std::find_if(pending_.begin(), pending_.end(),
                                     [&](const auto& entry) { return entry.first == address; });
    Connection taken = std::move(oldest->second);
    pending_.erase(oldest);
    return taken;
  }

  std::size_t most_;
  std::size_t most_of_address_;
  std::list<std::pair<boost::asio::ip::address, Connection>> pending_;  // oldest first
};

}  // namespace fixkeep::net
