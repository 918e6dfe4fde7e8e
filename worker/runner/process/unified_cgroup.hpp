// The control group of version 2 above the rooms' groups: the worker was started in it.
//
// Only a group without processes of its own can hand a controller down. If a limit needs one, the
// worker moves with its keepers into the leaf `leaf`. Otherwise it stays where it is. systemd
// starts a worker in that leaf with DelegateSubgroup=fixkeep-worker. It can thus start it again
// while rooms of an earlier run have limits. Fault model: the group may have other processes. We
// must not move them: it then has no controllers and the worker goes back.
// Thread rule: one owner; `keepers` is called from within enable(). Bounds: a few system calls for
// each keeper. Errors: in words.
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
      std::function<std::vector<pid_t>()>;  // the rooms' keepers: they move with the worker
  UnifiedCgroup(std::string own, Keepers keepers);

  [[nodiscard]] const std::string& folder() const { return folder_; }

  // Groups below it have this controller from now on. The text says why not; empty: they have.
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
