#include "worker/runner/state_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "common/process/folder.hpp"
#include "common/process/proc.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

// Games of other users must pass through this folder to their own folders.
constexpr mode_t folder_mode = 0711;
constexpr mode_t lock_mode = 0600;
const std::string advice = "; name a folder that only this user can change in worker.state_folder";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool belongs_to_us(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

// Returns the folder for programs' state: of the machine or of a user (XDG Base Directory). For a
// user without a home, it is among the temporary files.
std::string base_folder() {
  if (::geteuid() == 0) return "/var/lib/fixkeep";
  if (const auto state = variable("XDG_STATE_HOME"); !state.empty()) return state + "/fixkeep";
  if (const auto home = variable("HOME"); belongs_to_us(home))
    return home + "/.local/state/fixkeep";
  std::error_code error;
  const auto temporary = fs::temp_directory_path(error);
  return (error ? "/tmp" : temporary.string()) + "/fixkeep-" + std::to_string(::geteuid());
}

std::string default_folder(const RunnerOptions& options) {
  const auto given = variable("STATE_DIRECTORY");  // a list if the systemd unit names several
  if (!given.empty()) return given.substr(0, given.find(':'));
  return base_folder() + "/" + options.cluster + "/" + options.worker.text();
}

// Makes the missing folders of the path. Refuses a place where other users could redirect the path.
// Returns the error; empty: none.
std::string make_folders(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (!path.has_relative_path()) return "the folder does not exist";
    if (auto wrong = make_folders(path.parent_path()); !wrong.empty()) return wrong;
    if (::mkdir(path.c_str(), folder_mode) != 0 && errno != EEXIST) {
      return path.string() + ": " + std::strerror(errno);
    }
  }
  return process::who_else_may_change(path.string());
}

}  // namespace

std::string state_folder_of(const RunnerOptions& options) {
  const auto folder = options.state_folder.empty() ? default_folder(options) : options.state_folder;
  std::error_code error;
  const auto whole = fs::absolute(folder, error);
  return error ? folder : whole.string();
}

StateFolder::~StateFolder() {
  if (lock_ >= 0) ::close(lock_);
}

std::string StateFolder::take(bool upgrade) {
  const auto refused = [this](const std::string& why) {
    return "cannot use the state folder " + path_ + ": " + why;
  };
  if (const auto wrong = refusal(); !wrong.empty()) return refused(wrong);
  if (const auto wrong = make_folders(path_); !wrong.empty()) return refused(wrong + advice);
  if (::chmod(path_.c_str(), folder_mode) != 0) return refused(std::strerror(errno));
  const auto lock = path_ + "/lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, lock_mode);
  if (lock_ < 0) return refused(std::strerror(errno));
  if (const auto problem = lock_it(upgrade); !problem.empty()) return refused(problem);
  write_pid();
  return {};
}

std::string StateFolder::refusal() const {
  std::error_code error;
  fs::path there = path_;
  while (!fs::exists(fs::symlink_status(there, error)) && there.has_relative_path()) {
    there = there.parent_path();
  }
  auto wrong = process::who_else_may_change(there.string());
  if (wrong.empty()) wrong = process::why_no_folder(path_);
  if (!wrong.empty()) return wrong + advice;
  if (!fs::exists(path_, error)) return {};
  if (!belongs_to_us(path_)) return "it belongs to another user" + advice;
  for (const std::string& old : {path_ + "/journal", rooms()}) {
    if (!fs::exists(fs::symlink_status(old, error))) continue;
    wrong = process::who_else_may_change(old);
    if (!wrong.empty()) return wrong + "; it is not the worker's: remove it";
  }
  // Refuses a named pipe: opening it would wait for a writer.
  const auto journal = fs::status(path_ + "/journal", error);
  if (fs::exists(journal) && !fs::is_regular_file(journal)) {
    return path_ + "/journal is no regular file: take it away";
  }
  return {};
}

bool StateFolder::locked() const {
  return ::flock(lock_, LOCK_EX | LOCK_NB) == 0;
}

// Locks the folder. Waits even if the worker with the lock is dead: if a worker was killed while it
// started a program, a copy of the worker remains. The copy keeps the worker's descriptors (this
// lock and the ports) until it executes the program.
std::string StateFolder::lock_it(bool upgrade) const {
  if (locked()) return {};
  std::array<char, 16> text{};
  (void)::pread(lock_, text.data(), text.size() - 1, 0);
  const pid_t other = std::atoi(text.data());
  const bool runs = other <= 0 || process::alive(other);
  if (runs && !upgrade) {
    return "another worker runs with it; give each its own worker.id or worker.state_folder, or "
           "replace the other with --upgrade";
  }
  // A worker of an older version does not write its process number into the file, and does not know
  // the signal below.
  if (other <= 0) return "the worker that runs with it is too old to be asked to leave: end it";
  if (runs && ::kill(other, SIGUSR2) != 0 && errno != ESRCH) {
    return "cannot ask the worker that runs with it to leave: " + std::string{std::strerror(errno)};
  }
  const auto until = std::chrono::steady_clock::now() + leave_limit;
  while (!locked()) {
    if (std::chrono::steady_clock::now() > until) {
      return "the worker that runs with it (process " + std::to_string(other) +
             ") does not leave; its log says why";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return {};
}

// Writes our process number for the next worker.
void StateFolder::write_pid() const {
  const auto text = std::to_string(::getpid()) + "\n";
  (void)::ftruncate(lock_, 0);
  (void)::pwrite(lock_, text.data(), text.size(), 0);
}

}  // namespace fixkeep::worker
