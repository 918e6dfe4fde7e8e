// The control groups of one room: a folder in each hierarchy of the kernel that is used for it.
//
// A process that is in them cannot leave by forking, by a session of its own or by its parent's
// death, so they say what belongs to the room, end it, and limit it. The worker makes the folders
// and sets the limits; the keeper stays outside, so that no limit ends it, and puts in what it
// starts. See worker/runner/process/room_cgroups.hpp.
//
// Invariant: no call signals the process that makes it, nor one that the kernel does not name.
// Fault model: a folder may vanish, and be refused, at any moment; what runs in it may fork while
// it is killed, so on a kernel without cgroup.kill (before 5.14, and version 1) killing is
// repeated. Thread rule: a value; its calls are system calls. Bounds: a handful of folders,
// `most_read` of a file. Errors: errno; folders that are gone have no members and reached no limit.
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
  // The limit that explains why something of the room ended or failed.
  enum class Reached : std::uint8_t { none, memory, processes };

  Cgroup() = default;  // none
  explicit Cgroup(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }
  [[nodiscard]] bool exists() const { return !folders_.empty(); }

  // Puts this process in; what it starts from then on is in as well. 0, or errno.
  [[nodiscard]] int enter() const;
  // It works like fork(2), but the child is in the group. To be born there (clone3, version 2)
  // costs nothing; to be moved there makes the kernel stop every fork, execve and exit of the
  // machine, for milliseconds.
  // REQUIRES: a process without threads.
  struct Fork {
    pid_t pid = -1;
    int error = 0;  // errno. In the child: why it is not in; in the parent: why there is none
  };
  [[nodiscard]] Fork fork() const;
  [[nodiscard]] std::vector<pid_t> members() const;  // in ascending order
  void kill_all() const;
  [[nodiscard]] Reached reached() const;
  // True: no folder is left. False: something in one still runs, or it cannot be removed.
  [[nodiscard]] bool remove() const;
  // Kills and removes; blocks until that is done. False: it is not done within the limit.
  [[nodiscard]] bool end_within(std::chrono::milliseconds limit) const;

 private:
  [[nodiscard]] int enter_from(std::size_t first) const;

  std::vector<std::string> folders_;
};

// Files of the kernel: one write that is taken whole, or errno; at most `most_read` bytes, nothing
// if it cannot be read.
inline constexpr std::size_t most_read = 1U << 20U;
[[nodiscard]] int write_control(const std::string& path, std::string_view text);
[[nodiscard]] std::string read_control(const std::string& path);

// The number that stands after this word in a line of its own; 0: there is none.
[[nodiscard]] std::uint64_t count_in(std::string_view text, std::string_view word);

}  // namespace fixkeep::worker::keeper
