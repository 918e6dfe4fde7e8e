#include "worker/runner/process/room_users.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "common/base/assert.hpp"
#include "common/obs/log.hpp"
#include "common/process/proc.hpp"
#include "common/process/self.hpp"
#include "worker/runner/game_user.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Workers lock their range of user numbers in this file: one byte for each number.
constexpr auto lock_file = "/run/fixkeep-room-users";
constexpr mode_t users_lock_mode = 0600;
constexpr mode_t left_folder_mode = 0700;
constexpr auto lock_limit = 1s;

std::optional<uid_t> owner_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  return found.st_uid;
}

std::string text_of(const UserRange& range) {
  return std::to_string(range.first) + " to " + std::to_string(range.last);
}

// Returns the name of a user of this machine in the range (the last user found). Empty: no such
// user.
std::string known_user_in(const UserRange& range) {
  std::string name;
  ::setpwent();
  while (const passwd* const entry = ::getpwent()) {
    if (range.contains(entry->pw_uid)) name = entry->pw_name;
  }
  ::endpwent();
  return name;
}

bool lock(int file, const UserRange& range) {
  struct flock part {};
  part.l_type = F_WRLCK;
  part.l_whence = SEEK_SET;
  part.l_start = range.first;
  part.l_len = static_cast<off_t>(range.last) - range.first + 1;
  return ::fcntl(file, F_OFD_SETLK, &part) == 0;
}

}  // namespace

std::string RoomUsers::open() {
  if (!range_.any()) return {};
  const auto refused = [this](const std::string& why) {
    return "cannot run rooms as users " + text_of(range_) + " (rooms.users): " + why;
  };
  if (::geteuid() != 0) return refused(std::string{"this "} + needs_root);
  if (const auto name = known_user_in(range_); !name.empty()) {
    return refused("\"" + name + "\" is a user of this machine: give a range without users");
  }
  lock_ = process::Descriptor{
      ::open(lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, users_lock_mode)};
  if (!lock_) return refused(std::string{lock_file} + ": " + std::strerror(errno));
  const auto until = std::chrono::steady_clock::now() + lock_limit;
  while (!lock(lock_.get(), range_)) {
    if (std::chrono::steady_clock::now() > until) {
      return refused("another worker of this machine has some of them: give each its own");
    }
    std::this_thread::sleep_for(5ms);
  }
  look_at_own_rights();
  return {};
}

void RoomUsers::look_at_own_rights() {
  if (std::exchange(looked_at_rights_, true) || process::sees_processes_of_others()) return;
  obs::log_warning("games of other users are neither answered by the SDK nor found ready by a port",
                   {{"reason",
                     "the worker needs CAP_SYS_PTRACE to see the owner of a socket: in Docker, "
                     "--cap-add SYS_PTRACE"}});
}

std::variant<std::optional<keeper::Plan::User>, std::string> RoomUsers::user_for(
    const Launch& launch) {
  if (!range_.any()) {
    auto found = find_user(launch.user, launch.group);
    const auto* const user = std::get_if<std::optional<keeper::Plan::User>>(&found);
    if (user != nullptr && *user && (*user)->user != ::geteuid()) look_at_own_rights();
    return found;
  }
  const auto own = take(launch.name);
  if (!own) return "each user of rooms.users has a room, or processes that do not end";
  return own_user(*own, launch.group);
}

std::optional<uid_t> RoomUsers::take(const std::string& room) {
  FIXKEEP_ASSERT(range_.any() && !by_room_.contains(room), room);
  const std::uint64_t count = std::uint64_t{range_.last} - range_.first + 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    const uid_t user = next_;
    next_ = next_ == range_.last ? range_.first : next_ + 1;
    if (taken_.contains(user) || !usable(user)) continue;
    taken_.insert(user);
    by_room_.emplace(room, user);
    return user;
  }
  return std::nullopt;
}

void RoomUsers::hold(const std::string& room, const RoomFiles& files) {
  const auto owner = owner_of(files.game());
  if (!owner || !range_.contains(*owner)) return;
  taken_.insert(*owner);
  by_room_.emplace(room, *owner);
}

void RoomUsers::reclaim(const std::string& rooms) {
  if (!range_.any()) return;
  std::error_code error;
  for (fs::directory_iterator next{rooms, error}, end; !error && next != end;
       next.increment(error)) {
    const RoomFiles files{next->path().string()};
    if (by_room_.contains(next->path().filename().string())) continue;
    // If the keeper's socket exists, the room may still run, so its folder is left alone. The loop
    // over processes below finds the room's user.
    if (!fs::exists(files.control())) take_folder(files);
  }
  for (const pid_t process : process::all()) {
    const auto user = process::user_of(process);
    if (user && range_.contains(*user) && !taken_.contains(*user)) doubtful_.insert(*user);
  }
  if (doubtful_.empty()) return;
  obs::log_warning("processes of users of rooms run outside of rooms: these users are not given",
                   {{"users", doubtful_.size()}, {"first", *doubtful_.begin()}});
}

void RoomUsers::give_back(const std::string& room, const RoomFiles& files, bool killed) {
  const auto node = by_room_.extract(room);
  if (node.empty()) return;
  const uid_t user = node.mapped();
  if (killed) {
    for (const pid_t process : process::all()) {
      if (process::user_of(process) == user) ::kill(process, SIGKILL);
    }
    doubtful_.insert(user);
  }
  take_folder(files);
  taken_.erase(user);
}

// Says whether a room can get the number now. A killed process may need a moment to end, and may
// have forked before. A zombie counts as a process, because its other threads may be running.
bool RoomUsers::usable(uid_t user) {
  if (!doubtful_.contains(user)) return true;
  const auto all = process::all();
  const bool runs = std::any_of(
      all.begin(), all.end(), [user](pid_t process) { return process::user_of(process) == user; });
  if (!runs) doubtful_.erase(user);
  return !runs;
}

void RoomUsers::take_folder(const RoomFiles& files) const {
  const auto owner = owner_of(files.game());
  if (!owner || !range_.contains(*owner)) return;
  // Only the folder gets a new owner. Its content can keep the old owner, because the folder is
  // closed to other users. The path cannot be a link: we have made the folder.
  if (::lchown(files.game().c_str(), ::geteuid(), ::getegid()) == 0 &&
      ::chmod(files.game().c_str(), left_folder_mode) == 0) {
    return;
  }
  obs::log_warning("cannot take the folder that a room has left",
                   {{"folder", files.game()}, {"reason", std::strerror(errno)}});
}

}  // namespace fixkeep::worker
