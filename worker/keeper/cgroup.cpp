#include "worker/keeper/cgroup.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>

namespace fixkeep::worker::keeper {
namespace {

constexpr std::chrono::milliseconds look_again{1};

void each_line(std::string_view text, auto take) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Works like fork(2), but makes the child in this group. The C library has no function for it.
pid_t clone_into(const std::string& folder) {
  const int group = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) return -1;
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<std::uint64_t>(group);
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  ::close(group);
  return pid;
}

void pause() {
  const timespec time{0, std::chrono::nanoseconds{look_again}.count()};
  ::nanosleep(&time, nullptr);
}

std::uint64_t number_of(const std::string& folder, const char* file) {
  return number_in<std::uint64_t>(read_control(folder + "/" + file));
}

// Returns whether a process was killed because of the room's own memory limit, not because of the
// limit of a parent group or of the machine. Version 1 reports only the kill, not the limit that
// was reached. If the room's peak was near the room's own limit, this limit counts as the cause.
bool ended_by_memory(const std::string& folder) {
  const auto events = read_control(folder + "/memory.events");
  if (count_in(events, "oom_kill") > 0) return count_in(events, "oom") > 0;
  if (count_in(read_control(folder + "/memory.oom_control"), "oom_kill") == 0) return false;
  const auto limit = number_of(folder, "memory.limit_in_bytes");
  return number_of(folder, "memory.max_usage_in_bytes") >= limit - limit / 16;
}

}  // namespace

int Cgroup::enter() const {
  return enter_from(0);
}

int Cgroup::enter_from(std::size_t first) const {
  for (std::size_t i = first; i < folders_.size(); ++i) {
    // 0 means this process.
    if (const int error = write_control(folders_[i] + "/cgroup.procs", "0"); error != 0)
      return error;
  }
  return 0;
}

// If there is a folder of version 2, it is the first folder, and the child is created in it. A
// kernel before 5.7, a filter of system calls or a limit of processes may refuse clone_into(). In
// this case the child is moved.
Cgroup::Fork Cgroup::fork() const {
  std::size_t born_in = 0;
  pid_t pid = -1;
  if (exists()) {
    pid = clone_into(folders_.front());
    if (pid >= 0) born_in = 1;
  }
  if (pid < 0) pid = ::fork();
  if (pid < 0) return {pid, errno};
  return {pid, pid == 0 ? enter_from(born_in) : 0};
}

std::vector<pid_t> Cgroup::members() const {
  std::vector<pid_t> found;
  for (const std::string& folder : folders_) {
    each_line(read_control(folder + "/cgroup.procs"), [&](std::string_view line) {
      const auto process = number_in<pid_t>(line);
      // The kernel shows a process of another namespace as 0. As the target of a signal, 0 would
      // mean our own process group.
      if (process > 0 && process != ::getpid()) found.push_back(process);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Cgroup::kill_all() const {
  bool killed = false;
  for (const std::string& folder : folders_) {
    killed = write_control(folder + "/cgroup.kill", "1") == 0 || killed;
  }
  if (killed) return;
  for (const pid_t process : members()) ::kill(process, SIGKILL);
}

Cgroup::Reached Cgroup::reached() const {
  auto reached = Reached::none;
  for (const std::string& folder : folders_) {
    if (ended_by_memory(folder)) return Reached::memory;
    if (count_in(read_control(folder + "/pids.events"), "max") > 0) reached = Reached::processes;
  }
  return reached;
}

bool Cgroup::remove() const {
  bool gone = true;
  for (const std::string& folder : folders_) {
    gone = (::rmdir(folder.c_str()) == 0 || errno == ENOENT) && gone;
  }
  return gone;
}

bool Cgroup::end_within(std::chrono::milliseconds limit) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + limit;
  while (!remove()) {
    if (Clock::now() >= until) return false;
    kill_all();
    pause();
  }
  return true;
}

int write_control(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t count = ::write(file, text.data(), text.size());
  const int error = count < 0 ? errno : 0;
  ::close(file);
  return error;
}

std::string read_control(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> buffer{};
  while (text.size() < most_read) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(file);
  return text;
}

std::uint64_t count_in(std::string_view text, std::string_view word) {
  std::uint64_t count = 0;
  each_line(text, [&](std::string_view line) {
    if (line.size() <= word.size() || !line.starts_with(word) || line[word.size()] != ' ') return;
    count = number_in<std::uint64_t>(line.substr(word.size() + 1));
  });
  return count;
}

}  // namespace fixkeep::worker::keeper
