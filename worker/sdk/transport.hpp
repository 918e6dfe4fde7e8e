// A transport is one endpoint of a room, by which a game reaches its session.
// Thread rule: the worker's thread makes and ends a transport, and uses its session only on this
// thread.
// Bounds: the number of descriptors that transports.hpp states for the transport. Errors: sent to
// the game as answers.
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

  // Also accepts connections from these sockets. They listen at this transport's port.
  virtual void listen(std::vector<process::Descriptor> sockets) = 0;
  // Serves a non-blocking connection that another acceptor has accepted.
  virtual void serve(process::Descriptor connection) = 0;
  // Returns the transport's variables by name, for the game's environment.
  [[nodiscard]] virtual std::map<std::string, std::string> variables() const = 0;
};

}  // namespace fixkeep::worker
