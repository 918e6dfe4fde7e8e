// Writes limits to the kernel's files, which differ between the two versions of control groups.
#include "worker/keeper/room_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>

namespace fixkeep::worker {
namespace {

using keeper::read_control;
using keeper::write_control;

constexpr std::uint64_t mebibyte = 1U << 20U;

struct Control {
  const char* file;
  const char* usual;  // the file's text without a limit; empty: version 1, whose limits stay set
  std::uint64_t value;
};

class Setter {
 public:
  Setter(const keeper::Cgroup& cgroup, bool only_lost) : cgroup_(cgroup), only_lost_(only_lost) {}

  // Writes the limit to each of its files that exists. Adds to problem() if no write succeeds.
  void set(const std::string& what, std::initializer_list<Control> controls) {
    int error = ENOENT;
    for (const auto& folder : cgroup_.folders()) {
      for (const Control& control : controls) {
        error = std::min(error, put(folder, control), by_success);
      }
    }
    if (error == 0) return;
    if (!problem_.empty()) problem_ += ", ";
    problem_ += what + ": " + std::strerror(error);
  }
  // Sets the limit if its file exists: a kernel that does not count swap lacks the file.
  void set_if_there(const Control& control) const {
    for (const auto& folder : cgroup_.folders()) (void)put(folder, control);
  }
  [[nodiscard]] std::string problem() const { return problem_; }

 private:
  // Ranks results: success first, then the error of an existing file, then a missing file.
  static bool by_success(int left, int right) {
    const auto rank = [](int error) { return error == 0 ? 0 : error == ENOENT ? 2 : 1; };
    return rank(left) < rank(right);
  }
  [[nodiscard]] int put(const std::string& folder, const Control& control) const {
    const auto path = folder + "/" + control.file;
    if (only_lost_) {
      const auto text = read_control(path);
      if (text.empty()) return ENOENT;
      const std::string usual = control.usual;
      if (usual.empty() || text.substr(0, text.find('\n')) != usual) return 0;
    }
    return write_control(path, std::to_string(control.value));
  }

  const keeper::Cgroup& cgroup_;
  bool only_lost_;
  std::string problem_;
};

}  // namespace

std::string set_limits(const keeper::Cgroup& cgroup, const RoomLimits& limits, bool only_lost) {
  Setter setter{cgroup, only_lost};
  if (limits.memory_mib != 0) {
    const auto bytes = limits.memory_mib * mebibyte;
    setter.set("memory", {{"memory.max", "max", bytes}, {"memory.limit_in_bytes", "", bytes}});
    // Forbids swap: a game in swap would run slowly and slow down all other games. Version 1 limits
    // the sum of memory and swap. It refuses a sum below the memory limit, so the memory limit was
    // set first.
    setter.set_if_there({"memory.swap.max", "max", 0});
    setter.set_if_there({"memory.memsw.limit_in_bytes", "", bytes});
  }
  if (limits.processes != 0) setter.set("processes", {{"pids.max", "max", limits.processes}});
  return setter.problem();
}

}  // namespace fixkeep::worker
