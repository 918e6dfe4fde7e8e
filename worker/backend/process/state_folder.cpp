#include "worker/backend/process/state_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

std::string StateFolder::take() {
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
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return {};
  return refused(
      "another worker runs with it; give each a worker.id, or a worker.state_folder, of "
      "its own");
}

}  // namespace fixkeep::worker
