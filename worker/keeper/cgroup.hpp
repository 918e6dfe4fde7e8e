// The control groups of one room: a folder in each hierarchy of the kernel that is used for it.
//
// A process in them cannot leave by forking, by a session of its own or by its parent's death. They
// thus tell, end and limit the processes of the room. The worker makes the folders and sets the
// limits. The keeper stays outside: no limit ends it. It puts in all that it starts. See
// worker/runner/process/room_cgroups.hpp.
//
// Invariant: no call signals the calling process or a process that the kernel does not name. Fault
// model: a folder may vanish or refuse at any moment. Processes may fork while they are killed. A
// kernel without cgroup.kill (before 5.14 and version 1) kills repeatedly. Thread rule: a value;
// its calls are system calls. Bounds: a handful of folders, `most_read` bytes of a file. Errors:
// errno. Folders that are gone have no members and reached no limit.
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

  // Puts in this process and thus all that it starts later. Returns 0 or errno.
  [[nodiscard]] int enter() const;
  // Works like fork(2) but the child is in the group. Birth in the group (clone3, version 2) costs
  // nothing. A move makes the kernel stop every fork, execve and exit of the machine for
  // milliseconds.
  // REQUIRES: a process without threads.
  struct Fork {
    pid_t pid = -1;
    int error = 0;  // errno. In the child: why it is not in; in the parent: why there is none
  };
  [[nodiscard]] Fork fork() const;
  [[nodiscard]] std::vector<pid_t> members() const;  // ascending order
  void kill_all() const;
  [[nodiscard]] Reached reached() const;
  // True: no folder is left. False: a process still runs or a folder cannot be removed.
  [[nodiscard]] bool remove() const;
  // Kills and removes; blocks meanwhile. False: not done within the limit.
  [[nodiscard]] bool end_within(std::chrono::milliseconds limit) const;

 private:
  [[nodiscard]] int enter_from(std::size_t first) const;

  std::vector<std::string> folders_;
};

// Files of the kernel. The write is taken whole or gives errno. The read gives at most `most_read`
// bytes. It gives an empty text if it fails.
inline constexpr std::size_t most_read = 1U << 20U;
[[nodiscard]] int write_control(const std::string& path, std::string_view text);
[[nodiscard]] std::string read_control(const std::string& path);

// The number after this word in a line of its own. 0: not found.
[[nodiscard]] std::uint64_t count_in(std::string_view text, std::string_view word);

}  // namespace fixkeep::worker::keeper
