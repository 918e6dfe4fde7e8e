// The control groups of one room: one folder in each of the kernel's hierarchies that the room
// uses.
//
// A process cannot leave its control groups: it remains in them if it forks, makes its own session
// or loses its parent. The groups can therefore list, end and limit all processes of the room. The
// worker names the folders. The keeper makes them and sets the limits (place.hpp). The keeper
// starts every process in the groups. It stays outside the groups itself, so no limit ends the
// keeper. See worker/runner/process/room_cgroups.hpp.
//
// Invariant: no call signals the calling process or a process whose number the kernel does not
// report. Fault model: a folder may vanish or refuse a write at any moment. Processes may fork
// while they are killed. If the kernel has no cgroup.kill (before 5.14, and version 1), kills are
// repeated.
// Thread rule: a value; its calls are system calls. Bounds: a handful of folders, `most_read` bytes
// of a file.
// Errors: returned as errno. A missing folder has no members and reached no limit.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixkeep::worker::keeper {

class Cgroup {
 public:
  // The limit that explains why a process of the room ended or failed.
  enum class Reached : std::uint8_t { none, memory, processes };

  Cgroup() = default;  // a group without folders
  explicit Cgroup(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }
  [[nodiscard]] bool exists() const { return !folders_.empty(); }

  // Moves this process into the group. Processes that it starts later are in the group too. Returns
  // 0 or errno.
  [[nodiscard]] int enter() const;
  // Works like fork(2), but the child is in the group. If the child is created in the group
  // (clone3, version 2), this costs nothing. If a running child is moved, the kernel stops every
  // fork, execve and exit on the machine for milliseconds. REQUIRES: a process without threads.
  struct Fork {
    pid_t pid = -1;
    int error = 0;  // errno of entering the group (in the child) or of the fork (in the parent)
  };
  [[nodiscard]] Fork fork() const;
  [[nodiscard]] std::vector<pid_t> members() const;  // ascending order
  void kill_all() const;
  [[nodiscard]] Reached reached() const;
  // Removes the folders. Returns false if a folder is left, for example because a process runs.
  [[nodiscard]] bool remove() const;
  // Kills all processes and removes the folders. Returns false if this takes longer than `limit`.
  [[nodiscard]] bool end_within(std::chrono::milliseconds limit) const;

 private:
  [[nodiscard]] int enter_from(std::size_t first) const;

  std::vector<std::string> folders_;
};

// Accesses files of the kernel. A write either writes the whole text or returns errno. A read
// returns at most `most_read` bytes, or an empty text if it fails.
inline constexpr std::size_t most_read = 1U << 20U;
[[nodiscard]] int write_control(const std::string& path, std::string_view text);
[[nodiscard]] std::string read_control(const std::string& path);

// Returns the number that follows `word` in the line that begins with `word`. 0: not found.
[[nodiscard]] std::uint64_t count_in(std::string_view text, std::string_view word);

}  // namespace fixkeep::worker::keeper
