// Which session the calls of a connection are for, by the name that gRPC gives the connection.
//
// Thread rule: one thread. Bounds: the connections of all rooms. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

class SessionsByPeer {
 public:
  using Entry = std::uint64_t;

  // The name meant another connection before, which gRPC has closed.
  [[nodiscard]] Entry add(const std::string& peer, const std::shared_ptr<Session>& session) {
    sessions_[peer] = {++last_entry_, session};
    return last_entry_;
  }
  void remove(const std::string& peer, Entry entry) {
    const auto found = sessions_.find(peer);
    if (found != sessions_.end() && found->second.first == entry) sessions_.erase(found);
  }
  [[nodiscard]] std::shared_ptr<Session> find(const std::string& peer) const {
    const auto found = sessions_.find(peer);
    return found == sessions_.end() ? nullptr : found->second.second.lock();
  }

 private:
  std::map<std::string, std::pair<Entry, std::weak_ptr<Session>>> sessions_;
  Entry last_entry_ = 0;
};

}  // namespace fixkeep::worker
