#include "worker/backend/process/state_folder.hpp"

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

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

// Games of other users pass through it to their own folders.
constexpr mode_t folder_mode = 0711;
constexpr mode_t lock_mode = 0600;

std::string default_folder(const BackendOptions& options) {
  if (const char* state = std::getenv("STATE_DIRECTORY"); state != nullptr && *state != '\0') {
    return state;
  }
  std::error_code error;
  const auto temporary = fs::temp_directory_path(error);
  const auto base = error ? std::string{"/tmp"} : temporary.string();
  return base + "/fixkeep-" + std::to_string(::geteuid()) + "/" + options.cluster + "/" +
         options.worker.text();
}

bool belongs_to_us(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

std::string state_folder_of(const BackendOptions& options) {
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
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return refused(error.message());
  // In a folder to which every user may write, such as /tmp, another may have been there first.
  if (!belongs_to_us(path_)) return refused("it belongs to another user");
  if (::chmod(path_.c_str(), folder_mode) != 0) return refused(std::strerror(errno));
  const auto lock = path_ + "/lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, lock_mode);
  if (lock_ < 0) return refused(std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (!upgrade) {
      return refused(
          "another worker runs with it; give each a worker.id, or a worker.state_folder, of its "
          "own, or take its place with --upgrade");
    }
    if (const auto problem = take_over(); !problem.empty()) return refused(problem);
  }
  write_pid();
  return {};
}

std::string StateFolder::take_over() const {
  std::array<char, 16> text{};
  (void)::pread(lock_, text.data(), text.size() - 1, 0);
  const pid_t other = std::atoi(text.data());
  // One of an older version does not say who it is, and would not know the signal.
  if (other <= 0) return "the worker that runs with it is too old to be asked to leave: end it";
  if (::kill(other, SIGUSR2) != 0) {
    return "cannot ask the worker that runs with it to leave: " + std::string{std::strerror(errno)};
  }
  const auto until = std::chrono::steady_clock::now() + leave_limit;
  while (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > until) {
      return "the worker that runs with it (process " + std::to_string(other) +
             ") does not leave; its log says why";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return {};
}

// For the one that takes our place.
void StateFolder::write_pid() const {
  const auto text = std::to_string(::getpid()) + "\n";
  (void)::ftruncate(lock_, 0);
  (void)::pwrite(lock_, text.data(), text.size(), 0);
}

}  // namespace fixkeep::worker
