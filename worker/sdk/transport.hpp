// One way for a game to reach its session: an endpoint of one room.
// Thread rule: the worker's thread makes and ends it. Its session is used on that thread only.
// Bounds: the descriptors in its line of transports.hpp. Errors: told to the game.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;  // closes the endpoint and every connection to it
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Accepts from these sockets as well. They listen at its port.
  virtual void listen(std::vector<process::Descriptor> sockets) = 0;
  // Serves a non-blocking connection that another acceptor has accepted.
  virtual void serve(process::Descriptor connection) = 0;
  // Variables about it by name for the game's environment.
  [[nodiscard]] virtual std::map<std::string, std::string> variables() const = 0;
};

}  // namespace fixkeep::worker
