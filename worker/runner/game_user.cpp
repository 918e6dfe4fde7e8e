#include "worker/runner/game_user.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

namespace fixkeep::worker {
namespace {

constexpr std::size_t lookup_bytes = 65536;
constexpr int most_groups = 256;
using User = std::optional<keeper::Plan::User>;

// Returns the number if the name consists of digits.
std::optional<std::uint32_t> number_of(const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// Finds a group by its name or number. A returned text is the error.
std::variant<gid_t, std::string> find_group(const std::string& name) {
  if (const auto number = number_of(name)) return *number;
  std::vector<char> buffer(lookup_bytes);
  ::group entry{};
  ::group* result = nullptr;
  ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &result);
  if (result == nullptr) return "there is no group \"" + name + "\" on this machine";
  return entry.gr_gid;
}

std::variant<keeper::Plan::User, std::string> find_user_alone(const std::string& name) {
  std::vector<char> buffer(lookup_bytes);
  passwd entry{};
  passwd* result = nullptr;
  const auto number = number_of(name);
  if (number) {
    ::getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &result);
  } else {
    ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &result);
  }
  if (result == nullptr && !number) return "there is no user \"" + name + "\" on this machine";
  const uid_t user = number ? *number : entry.pw_uid;
  if (::geteuid() != 0 && ::geteuid() != user) {
    return "only root can run a game as another user (\"" + name + "\")";
  }
  keeper::Plan::User found{user, user, {}};
  if (result == nullptr) return found;
  found.group = entry.pw_gid;
  std::array<gid_t, most_groups> groups{};
  int count = most_groups;
  if (::getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0) count = most_groups;
  found.groups.assign(groups.begin(), groups.begin() + count);
  return found;
}

std::variant<User, std::string> in_group(keeper::Plan::User user, const std::string& name) {
  if (!name.empty()) {
    const auto group = find_group(name);
    if (const auto* const unknown = std::get_if<std::string>(&group)) return *unknown;
    user.group = std::get<0>(group);
  }
  return User{std::move(user)};
}

}  // namespace

std::variant<User, std::string> find_user(const std::string& user, const std::string& group) {
  if (user.empty() && group.empty()) return User{};
  if (user.empty()) return in_group({::geteuid(), ::getegid(), {}}, group);
  auto found = find_user_alone(user);
  if (auto* const unknown = std::get_if<std::string>(&found)) return std::move(*unknown);
  return in_group(std::get<0>(std::move(found)), group);
}

std::variant<User, std::string> own_user(uid_t user, const std::string& group) {
  return in_group({user, user, {}}, group);
}

std::string why_no_entry(const keeper::Plan::User& user, const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {  // only direct system calls: another thread may have held any lock
    const bool is_user = ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
                         ::syscall(SYS_setresgid, user.group, user.group, user.group) == 0 &&
                         ::syscall(SYS_setresuid, user.user, user.user, user.user) == 0;
    ::_exit(!is_user || ::access(path.c_str(), X_OK) == 0 ? 0 : errno);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 0) return {};
  return std::string{std::strerror(WEXITSTATUS(status))} + " for user " + std::to_string(user.user);
}

}  // namespace fixkeep::worker
