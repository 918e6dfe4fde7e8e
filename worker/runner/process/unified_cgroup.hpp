// The control group of version 2 in which the worker was started. It is the parent of the rooms'
// groups.
//
// The kernel enables controllers for child groups only if the parent group itself has no processes.
// If a limit needs a controller, the worker and its keepers therefore move into the child group
// `leaf`. Otherwise the worker does not move. With DelegateSubgroup=fixkeep-worker, systemd starts
// a worker in that leaf. systemd can then restart the worker while rooms of an earlier run have
// limits.
// Fault model: the group may contain other processes, which we must not move. The controllers then
// remain disabled, and the worker moves back.
// Thread rule: one owner; enable() calls `keepers`.
// Bounds: a few system calls for each keeper. Errors: described in words.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace fixkeep::worker {

class UnifiedCgroup {
 public:
  static constexpr auto leaf = "fixkeep-worker";
  using Keepers =
      std::function<std::vector<pid_t>()>;  // keepers of rooms: they move with the worker
  UnifiedCgroup(std::string own, Keepers keepers);

  [[nodiscard]] const std::string& folder() const { return folder_; }

  // Enables this controller for the groups below. Returns the error; empty: enabled.
  [[nodiscard]] std::string enable(const std::string& controller) const;

 private:
  [[nodiscard]] bool move_to(const std::string& folder) const;
  [[nodiscard]] bool move_to_leaf() const;
  void move_back() const;

  std::string folder_;
  bool began_in_leaf_ = false;
  Keepers keepers_;
};

}  // namespace fixkeep::worker
