// The connections that have not identified themselves yet; strangers cannot keep nodes out.
//
// A newcomer that finds no place takes the oldest one's: of its own address if that has its share
// or else of an address with the most. A /64 of IPv6 is one address. An honest handshake takes a
// few round trips. To hold connections is not enough: a stranger has to open them faster than that
// from many addresses.
// Invariants: 1. at most `most` are pending; of one address at most `most_of_address`.
//             2. an address with fewer connections than another loses none to that one.
// Thread rule: one owner. Bounds: `most`; an addition looks at all of them. Errors: none.
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
  // After a partition many nodes behind one address may each dial several times at once.
  explicit PendingHandshakes(std::size_t most)
      : most_(most), most_of_address_(std::max<std::size_t>(most / 2, 1)) {}

  // The one that has to go for it; null: there is a place. It is not pending any more.
  [[nodiscard]] Connection add(Connection connection, const boost::asio::ip::address& from) {
    const auto address = client_network(from);
    std::map<boost::asio::ip::address, std::size_t> counts;
    for (const auto& [known, pending] : pending_) ++counts[known];
    const auto of_address = counts.find(address);
    Connection loser{};
    if (of_address != counts.end() && of_address->second >= most_of_address_) {
      loser = take_oldest_of(address);
    } else if (pending_.size() >= most_) {
      // The oldest of all addresses with the most connections: they are equal in rank.
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
  template <class Visit>
  void each(Visit visit) const {
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
  std::list<std::pair<boost::asio::ip::address, Connection>> pending_;  // the oldest first
};

}  // namespace fixkeep::net
