#include "common/process/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <thread>
#include <utility>

#include "common/process/proc.hpp"
#include "common/process/process_group.hpp"

namespace fixkeep::process {

namespace {

constexpr int exit_not_executable = 127;
constexpr std::chrono::milliseconds wait_poll{5};

// The children that ChildProcess objects have started and not reaped yet.
std::set<pid_t>& started() {
  // Never destroyed: a ChildProcess with static lifetime may use it very late.
  static auto* const pids = new std::set<pid_t>;  // NOLINT(cppcoreguidelines-owning-memory)
  return *pids;
}

// Runs between fork and exec, so it makes only system calls.
[[noreturn]] void become(char* const* arguments, int log, ChildStreams streams, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(exit_not_executable);  // the parent died before prctl()
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(streams.input < 0 ? null : streams.input, STDIN_FILENO);
  ::dup2(streams.output < 0 ? log : streams.output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  // The child must not keep our connections open after we close them.
  ::closefrom(STDERR_FILENO + 1);
  // A child in its own session gets no Ctrl-C from our terminal: this process ends its children
  // itself, in order.
  ::setsid();
  ::execv(arguments[0], arguments);
  ::_exit(exit_not_executable);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments,
                                         const std::filesystem::path& log, ChildStreams streams) {
  std::vector<std::string> copies = arguments;  // execv needs writable texts
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (auto& copy : copies) pointers.push_back(copy.data());
  pointers.push_back(nullptr);
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return last_error();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(pointers.data(), file, streams, parent);
  const auto error = last_error();
  ::close(file);
  if (pid < 0) return error;
  started().insert(pid);
  return ChildProcess{pid};
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0 || !running()) return;
  signal(SIGKILL);
  reap(pid_);
  started().erase(pid_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

bool ChildProcess::running() {
  if (pid_ == 0 || status_) return false;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) {
    status_ = status;
    started().erase(pid_);
  }
  return ended == 0;
}

void ChildProcess::signal(int number) {
  // A child that is not reaped keeps its number, so the signal cannot reach another process.
  if (running()) ::kill(pid_, number);
}

bool ChildProcess::wait(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(wait_poll);
  }
  return true;
}

std::string ChildProcess::how_it_ended() {
  if (running() || !status_) return {};
  if (WIFSIGNALED(*status_)) return "signal " + std::to_string(WTERMSIG(*status_));
  return process::how_it_ended(*status_);
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

namespace {

std::vector<pid_t> running_orphans() {
  std::vector<pid_t> orphans;
  for (const pid_t child : children_of(::getpid())) {
    if (started().contains(child)) continue;
    // waitpid() reaps a child that has ended, and returns 0 for a child that runs.
    if (::waitpid(child, nullptr, WNOHANG) == 0) orphans.push_back(child);
  }
  return orphans;
}

}  // namespace

std::size_t end_orphans(std::chrono::milliseconds grace) {
  const auto until = std::chrono::steady_clock::now() + grace;
  auto orphans = running_orphans();
  while (!orphans.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(wait_poll);
    orphans = running_orphans();
  }
  for (const pid_t orphan : orphans) {
    ::kill(orphan, SIGKILL);
    reap(orphan);
  }
  return orphans.size();
}

}  // namespace fixkeep::process
