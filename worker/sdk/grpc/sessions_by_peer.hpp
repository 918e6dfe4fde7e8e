// Finds the session for a call by the name that gRPC gives the call's connection.
//
// Thread rule: one thread. Bounds: the connections of all rooms. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

class SessionsByPeer {
 public:
  using Entry = std::uint64_t;

  // Adds a connection. gRPC has closed any earlier connection with this name. `known` is called
  // once, when the first call of the connection was accepted.
  [[nodiscard]] Entry add(const std::string& peer, const std::shared_ptr<Session>& session,
                          std::function<void()> known = {}) {
    sessions_[peer] = {++last_entry_, session, std::move(known)};
    return last_entry_;
  }
  void remove(const std::string& peer, Entry entry) {
    const auto found = sessions_.find(peer);
    if (found != sessions_.end() && found->second.entry == entry) sessions_.erase(found);
  }
  [[nodiscard]] std::shared_ptr<Session> find(const std::string& peer) const {
    const auto found = sessions_.find(peer);
    return found == sessions_.end() ? nullptr : found->second.session.lock();
  }
  void let_in(const std::string& peer) {
    const auto found = sessions_.find(peer);
    if (found == sessions_.end()) return;
    if (const auto known = std::exchange(found->second.known, {})) known();
  }

 private:
  struct Known {
    Entry entry = 0;
    std::weak_ptr<Session> session;
    std::function<void()> known;
  };
  std::map<std::string, Known> sessions_;
  Entry last_entry_ = 0;
};

}  // namespace fixkeep::worker
