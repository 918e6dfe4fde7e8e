// What the tests of single machines share: a joined mesh, messages, and machines stepped one by
// one. Thread rule: values and free functions.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "common/lock/lock_machine.hpp"

namespace fixkeep::lock {

inline MasterId id_of(std::size_t number) {
  return MasterId{static_cast<std::uint16_t>(number)};
}

inline MeshView joined_mesh(std::size_t self, std::size_t masters) {
  MeshView mesh;
  mesh.self = id_of(self);
  for (std::size_t other = 1; other <= masters; ++other) {
    if (other != self) mesh.configured.push_back(id_of(other));
  }
  mesh.connected = mesh.up = mesh.configured;
  mesh.met = mesh.joined = true;
  return mesh;
}

template <class Kind>
LockMessage message(Kind kind, std::uint64_t round) {
  LockMessage made;
  made.kind = static_cast<std::uint8_t>(kind);
  made.round = round;
  return made;
}

// Steps a machine, and says what it did: "Request(1)>2", "granted", "granted fence", "timer".
template <class Machine>
std::vector<std::string> step(Machine& machine, const LockEvent& event, TimePoint now = {}) {
  LockActions actions;
  machine.step(event, now, actions);
  std::vector<std::string> done;
  for (const auto& action : actions) {
    if (const auto* send = std::get_if<Send>(&action)) {
      done.push_back(std::string{Machine::kind_name(send->message.kind)} + "(" +
                     std::to_string(send->message.round) + ")>" +
                     std::to_string(send->to.number()));
    } else if (const auto* granted = std::get_if<Granted>(&action)) {
      done.emplace_back(granted->needs_fence ? "granted fence" : "granted");
    } else if (const auto* timer = std::get_if<SetTimer>(&action)) {
      done.emplace_back(timer->at == TimePoint::max() ? "no timer" : "timer");
    } else {
      done.emplace_back("?");
    }
  }
  return done;
}

// Any two of them are equal exactly if their bytes are; all of them differ.
template <class Machine>
[[nodiscard]] bool all_distinct(const std::vector<Machine>& machines) {
  for (const auto& one : machines) {
    for (const auto& other : machines) {
      std::string bytes_of_one;
      std::string bytes_of_other;
      one.append_bytes(bytes_of_one);
      other.append_bytes(bytes_of_other);
      if ((one == other) != (&one == &other) || (one == other) != (bytes_of_one == bytes_of_other))
        return false;
    }
  }
  return true;
}

inline constexpr std::uint64_t without_measure = std::numeric_limits<std::uint64_t>::max();

}  // namespace fixkeep::lock
