// The games of servers that stand in for pods: the script of a server's annotations, a process.
// Thread rule: one owner. Bounds: none. Errors: of fork(), thrown.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/net/kubernetes/core/json.hpp"

namespace fixkeep::test {

class FleetGames {
 public:
  FleetGames() = default;
  ~FleetGames();
  FleetGames(const FleetGames&) = delete;
  FleetGames& operator=(const FleetGames&) = delete;

  // Runs `fixkeep/env.SCRIPT` once for each server; nothing happens without one. Its environment
  // has what annotations say, as a game would read them by Agones' SDK, and the server's PORT.
  void run(const std::string& uid, const std::string& name, const kubernetes::Json& annotations,
           std::int64_t port);
  // False: none runs. It is killed after the grace.
  bool ask_to_end(const std::string& uid, std::chrono::milliseconds grace);
  // Returns the names of the servers whose games have ended since the last call.
  std::vector<std::string> ended();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t pid = 0;
    std::string name;  // of its server
    std::optional<Clock::time_point> kill_at;
  };
  std::map<std::string, Running> running_;  // by the uid of its server
  std::set<std::string> ran_;
};

}  // namespace fixkeep::test
