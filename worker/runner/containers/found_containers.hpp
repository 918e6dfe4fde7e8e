// The containers that a starting worker finds from its earlier runs.
//
// Thread rule: one owner. Bounds: the containers of one worker; each request has a time limit, and
// no request begins after `longest_wait`. Errors: described in words. A container that cannot be
// read has no listeners.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/process/descriptor.hpp"
#include "worker/runner/containers/container_order.hpp"
#include "worker/runner/containers/dialect.hpp"

namespace fixkeep::worker::containers {

class FoundContainers {
 public:
  static constexpr std::chrono::seconds look_limit{5};
  static constexpr std::chrono::seconds longest_wait{15};
  static constexpr std::chrono::milliseconds between_looks{200};

  FoundContainers(EnginePlace engine, Owner owner)
      : engine_(std::move(engine)), owner_(std::move(owner)) {}

  // Waits for the engine and lists the containers. Returns the error; empty: none.
  [[nodiscard]] std::string look();

  [[nodiscard]] const Container* of_room(const std::string& room) const;  // null: not found
  [[nodiscard]] std::vector<std::string> names() const;
  // Listens again at the SDK ports that a running container's environment names. Nullopt: the
  // container has ended, or the ports cannot be opened.
  [[nodiscard]] std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& room) const;

 private:
  EnginePlace engine_;
  Owner owner_;
  std::map<std::string, Container> rooms_;
  std::vector<std::string> names_;
};

}  // namespace fixkeep::worker::containers
