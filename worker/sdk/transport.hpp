// One way for a game to reach its session: an endpoint of one room.
// Thread rule: the worker's thread makes and ends it, and its session is used on that thread only.
// Bounds: descriptors, those that its line in transports.hpp names. Errors: told to the game.
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

  // Accepts from these sockets as well, which listen at its port.
  virtual void listen(std::vector<process::Descriptor> sockets) = 0;
  // Serves a connection that another one has accepted, and that does not block.
  virtual void serve(process::Descriptor connection) = 0;
  // The game's environment says these of it, by name.
  [[nodiscard]] virtual std::map<std::string, std::string> variables() const = 0;
};

}  // namespace fixkeep::worker
