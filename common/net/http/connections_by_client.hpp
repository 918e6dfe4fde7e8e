// The connections of a server by the client that has them, and which of them has to go when a
// newcomer finds no place.
//
// A connection is busy while its client waits for an answer, or has shown that it is one for whom
// others are sent away. Every other one is quiet: a client that means no harm can have it anew, so
// whoever only holds places loses them. The one that goes is the one that has been quiet for
// longest, of the newcomer's own client if that has its share, else of the client that has the most
// quiet ones: so a pile of connections that do nothing keeps nobody out, however many addresses it
// comes from, and costs those who have few of their own nothing.
//
// Invariants: 1. a busy connection never goes for another.
//             2. a client with fewer quiet connections than another loses none for a newcomer of
//                somebody else.
// Thread rule: one owner. Bounds: its owner's; each function takes constant time but for the
// look-up of a client. Errors: none.
#pragma once

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <list>
#include <map>
#include <vector>

#include "common/net/client_network.hpp"

namespace fixkeep::net {

template <class Connection>  // a pointer
class ConnectionsByClient {
  struct Client {
    std::list<Connection> quiet;  // for longest first
    std::list<Connection> busy;
    typename std::list<Client*>::iterator rank;  // in by_quiet_[quiet.size()]
  };
  using Clients = std::map<boost::asio::ip::address, Client>;  // by client_network()

 public:
  // Where a connection is. REQUIRES: it is not used after remove().
  class Place {
    friend class ConnectionsByClient;
    typename Clients::iterator client_;
    typename std::list<Connection>::iterator at_;
    bool quiet_ = true;
  };

  // It is quiet.
  [[nodiscard]] Place add(const boost::asio::ip::address& address, Connection connection) {
    const auto [found, is_new] = clients_.try_emplace(client_network(address));
    Client& client = found->second;
    if (is_new) client.rank = by_quiet_[0].insert(by_quiet_[0].end(), &client);
    Place place;
    place.client_ = found;
    place.at_ = client.quiet.insert(client.quiet.end(), connection);
    rank(client, client.quiet.size() - 1);
    return place;
  }
  void remove(Place& place) {
    Client& client = place.client_->second;
    const auto before = client.quiet.size();
    (place.quiet_ ? client.quiet : client.busy).erase(place.at_);
    rank(client, before);
    if (!client.quiet.empty() || !client.busy.empty()) return;
    by_quiet_[0].erase(client.rank);
    clients_.erase(place.client_);
  }

  void become_busy(Place& place) {
    if (!place.quiet_) return;
    Client& client = place.client_->second;
    client.busy.splice(client.busy.end(), client.quiet, place.at_);
    place.quiet_ = false;
    rank(client, client.quiet.size() + 1);
  }
  // From now on, also if it is already.
  void become_quiet(Place& place) {
    Client& client = place.client_->second;
    const auto before = client.quiet.size();
    client.quiet.splice(client.quiet.end(), place.quiet_ ? client.quiet : client.busy, place.at_);
    place.quiet_ = true;
    rank(client, before);
  }

  [[nodiscard]] std::size_t of(const boost::asio::ip::address& address) const {
    const auto found = clients_.find(client_network(address));
    if (found == clients_.end()) return 0;
    return found->second.quiet.size() + found->second.busy.size();
  }
  // Null: it has none that is quiet.
  [[nodiscard]] Connection first_to_go_of(const boost::asio::ip::address& address) const {
    const auto found = clients_.find(client_network(address));
    if (found == clients_.end() || found->second.quiet.empty()) return {};
    return found->second.quiet.front();
  }
  // Null: all are busy.
  [[nodiscard]] Connection first_to_go() const {
    return most_quiet_ == 0 ? Connection{} : by_quiet_[most_quiet_].front()->quiet.front();
  }

 private:
  // Behind those who have as many already: of clients with one each, the one whose is quiet for
  // longest is first.
  void rank(Client& client, std::size_t before) {
    const auto now = client.quiet.size();
    if (now == before) return;
    if (now >= by_quiet_.size()) by_quiet_.resize(now + 1);
    by_quiet_[now].splice(by_quiet_[now].end(), by_quiet_[before], client.rank);
    most_quiet_ = std::max(most_quiet_, now);
    if (by_quiet_[most_quiet_].empty()) --most_quiet_;  // the client is there, with one less
  }

  Clients clients_;
  std::vector<std::list<Client*>> by_quiet_ = std::vector<std::list<Client*>>(1);
  std::size_t most_quiet_ = 0;  // the last of by_quiet_ that is not empty, 0 if none has any
};

}  // namespace fixkeep::net
