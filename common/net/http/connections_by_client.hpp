// Groups the connections of a server by client. Chooses the connection to close when a newcomer
// finds no place.
//
// A connection is busy while its client waits for an answer. A connection is kept if its client has
// identified itself. Any other connection is quiet: an honest client can open it again. To make
// room, one client loses the connection that was quiet longest. If the newcomer's client has used
// its share, this client loses a connection. Otherwise the client with the most quiet connections
// loses a connection. Exception: a *young* connection may still be in its handshake. It is closed
// only if its client has more connections than the newcomer's client. If no connection may be
// closed, the client with the most busy connections may lose its latest busy connection. Condition:
// this client has more busy connections than the newcomer's client has connections, the new
// connection included. Therefore an attacker cannot keep a client out with many connections, even
// from many addresses. A client with few connections loses none.
//
// Invariants: 1. a kept connection is never closed for another connection.
//             2. a client with fewer quiet connections than another client loses none of its quiet
//                connections to other clients. The same is true for busy connections.
//             3. a young connection is never closed for a client with more connections.
// Thread rule: one owner. Bounds: the owner limits the connections; each function takes constant
// time, except the lookup of a client. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "common/net/client_network.hpp"

namespace fixkeep::net {

enum class ConnectionUse : std::uint8_t { quiet, busy, kept };

template <class Connection>  // a pointer
class ConnectionsByClient {
  static constexpr std::size_t ranked = 2;  // number of uses whose connections may be closed
  struct Client {
    std::array<std::list<Connection>, ranked + 1> with;              // by use, earliest first
    std::array<typename std::list<Client*>::iterator, ranked> rank;  // see Ranks
  };
  // For one use (quiet or busy): `having[n]` lists the clients that have n connections with this
  // use. The client that reached this number first is first.
  struct Ranks {
    std::vector<std::list<Client*>> having = std::vector<std::list<Client*>>(1);
    std::size_t most = 0;  // last index that is not empty; 0: no client has a connection
  };
  using Clients = std::map<boost::asio::ip::address, Client>;  // keyed by client_network()

 public:
  // The place of a connection. After remove(), the place is invalid.
  class Place {
    friend class ConnectionsByClient;
    typename Clients::iterator client_;
    typename std::list<Connection>::iterator at_;
    std::size_t use_ = 0;
  };

  // Adds a quiet connection.
  [[nodiscard]] Place add(const boost::asio::ip::address& address, Connection connection) {
    const auto [found, is_new] = clients_.try_emplace(client_network(address));
    Client& client = found->second;
    for (std::size_t use = 0; is_new && use < ranked; ++use) {
      auto& none = ranks_[use].having[0];
      client.rank[use] = none.insert(none.end(), &client);
    }
    Place place;
    place.client_ = found;
    place.at_ = client.with[0].insert(client.with[0].end(), connection);
    count(client, 0, client.with[0].size() - 1);
    return place;
  }
  void remove(Place& place) {
    Client& client = place.client_->second;
    auto& with = client.with[place.use_];
    with.erase(place.at_);
    count(client, place.use_, with.size() + 1);
    for (const auto& connections : client.with) {
      if (!connections.empty()) return;
    }
    for (std::size_t use = 0; use < ranked; ++use) ranks_[use].having[0].erase(client.rank[use]);
    clients_.erase(place.client_);
  }

  // Sets the connection's use. The connection becomes the newest with this use, even if it had this
  // use before.
  void become(Place& place, ConnectionUse use) {
    Client& client = place.client_->second;
    const auto before = place.use_;
    place.use_ = static_cast<std::size_t>(use);
    auto& with = client.with[place.use_];
    with.splice(with.end(), client.with[before], place.at_);
    if (before == place.use_) return;
    count(client, before, client.with[before].size() + 1);
    count(client, place.use_, with.size() - 1);
  }

  [[nodiscard]] std::size_t of(const boost::asio::ip::address& address) const {
    return count_of(find(address));
  }
  // Returns the client's connection that was quiet longest. Null: the client has no quiet
  // connection.
  [[nodiscard]] Connection first_to_go_of(const boost::asio::ip::address& address) const {
    const Client* const client = find(address);
    return client == nullptr || client->with[0].empty() ? Connection{} : client->with[0].front();
  }
  // Returns the connection to close so that `newcomer` can have one more. Null: each quiet
  // connection is young and of a client with few, and no client has enough busy connections.
  // `is_young`: says whether a quiet connection may still be in its handshake.
  template <class IsYoung>
  [[nodiscard]] Connection first_to_go_for(const boost::asio::ip::address& newcomer,
                                           IsYoung is_young) const {
    const auto& [quiet, busy] = ranks_;
    const Client* const own = find(newcomer);
    if (quiet.most > 0) {
      const Client* const other = quiet.having[quiet.most].front();
      const Connection first = other->with[0].front();
      if (!is_young(first) || other == own || count_of(other) > count_of(own)) return first;
      if (own != nullptr && !own->with[0].empty()) return own->with[0].front();
    }
    return busy.most > count_of(own) + 1 ? busy.having[busy.most].front()->with[1].back()
                                         : Connection{};
  }
  [[nodiscard]] Connection first_to_go_for(const boost::asio::ip::address& newcomer) const {
    return first_to_go_for(newcomer, [](Connection) { return false; });
  }

 private:
  // Null: the client has no connection.
  [[nodiscard]] const Client* find(const boost::asio::ip::address& address) const {
    const auto found = clients_.find(client_network(address));
    return found == clients_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] static std::size_t count_of(const Client* client) {
    std::size_t sum = 0;
    if (client == nullptr) return sum;
    for (const auto& connections : client->with) sum += connections.size();
    return sum;
  }
  // Moves the client to its new rank. `before`: its earlier number of connections with this use.
  void count(Client& client, std::size_t use, std::size_t before) {
    if (use >= ranked) return;
    auto& [having, most] = ranks_[use];
    const auto now = client.with[use].size();
    if (now >= having.size()) having.resize(now + 1);
    having[now].splice(having[now].end(), having[before], client.rank[use]);
    most = std::max(most, now);
    if (having[most].empty()) --most;  // no client has this many any more
  }

  Clients clients_;
  std::array<Ranks, ranked> ranks_;
};

}  // namespace fixkeep::net
