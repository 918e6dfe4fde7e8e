#include "worker/backend/process/room_files.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "common/process/descriptor.hpp"
#include "common/process/process_group.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using User = std::optional<keeper::Plan::User>;

// Other users may pass through, to a game's own folder, but not look around.
constexpr mode_t passage_mode = 0711;
constexpr mode_t own_mode = 0700;
constexpr mode_t file_mode = 0600;
constexpr std::size_t lookup_bytes = 65536;
constexpr int most_groups = 256;

std::string problem(const std::string& what, const std::string& path) {
  return "cannot " + what + " " + path + ": " + std::strerror(errno);
}

bool give_to(const std::string& path, const User& user) {
  return !user || ::lchown(path.c_str(), user->user, user->group) == 0;
}

bool make_folder(const std::string& path, mode_t mode) {
  // Once more for what the umask has taken away.
  return (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) && ::chmod(path.c_str(), mode) == 0;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string write_file(const std::string& path, const std::string& text, const User& user) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode);
  if (file < 0) return problem("write", path);
  const bool whole = write_all(file, text) && give_to(path, user);
  const auto failed = whole ? "" : problem("write", path);
  ::close(file);
  return failed;
}

// The folders of a file below `root`, one by one.
std::string make_parents(const std::string& root, const fs::path& file, const User& user) {
  fs::path folder{root};
  for (const auto& step : file.parent_path()) {
    folder /= step;
    if (!make_folder(folder.string(), own_mode) || !give_to(folder.string(), user)) {
      return problem("make the folder", folder.string());
    }
  }
  return {};
}

struct Address {
  explicit Address(const RoomFiles& files)
      : folder(::open(files.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    name.sun_family = AF_UNIX;
    const auto path = "/proc/self/fd/" + std::to_string(folder) + "/control";
    path.copy(name.sun_path, sizeof name.sun_path - 1);
  }
  ~Address() {
    if (folder >= 0) ::close(folder);
  }
  Address(const Address&) = delete;
  Address& operator=(const Address&) = delete;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }

  int folder;
  sockaddr_un name{};
};

template <class Call>
Result<int> open_socket(const RoomFiles& files, Call call) {
  const Address address{files};
  if (address.folder < 0) return process::last_error();
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return process::last_error();
  if (call(socket, address.get(), static_cast<socklen_t>(sizeof address.name))) return socket;
  const auto error = process::last_error();
  ::close(socket);
  return error;
}

}  // namespace

std::string make_room_files(const RoomFiles& files, const Launch& launch, const User& user) {
  std::error_code error;
  fs::create_directories(fs::path{files.folder}.parent_path(), error);
  const auto parent = fs::path{files.folder}.parent_path().string();
  if (!make_folder(parent, passage_mode)) return problem("make the folder", parent);
  if (!make_folder(files.folder, passage_mode)) return problem("make the folder", files.folder);
  if (!make_folder(files.game(), own_mode) || !give_to(files.game(), user)) {
    return problem("make the folder", files.game());
  }
  for (const Launch::File& file : launch.files) {
    if (auto wrong = make_parents(files.game(), file.path, user); !wrong.empty()) return wrong;
    auto wrong = write_file(files.game() + "/" + file.path, file.text, user);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

void remove_room_files(const RoomFiles& files) {
  ::unlink(files.control().c_str());
  ::unlink(files.record().c_str());
  ::unlink(files.note().c_str());
  ::unlink(files.cgroups().c_str());
  ::rmdir(files.game().c_str());  // fails, as it should, if something is kept in it
  ::rmdir(files.folder.c_str());
}

Result<void> write_whole(const std::string& path, std::string_view text) {
  const auto next = path + ".new";
  const process::Descriptor file{
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, file_mode)};
  if (file.get() < 0) return process::last_error();
  if (write_all(file.get(), text) && ::rename(next.c_str(), path.c_str()) == 0) return {};
  const auto error = process::last_error();
  ::unlink(next.c_str());
  return error;
}

std::optional<std::string> read_note(const RoomFiles& files) {
  std::ifstream file{files.note(), std::ios::binary | std::ios::ate};
  const auto size = static_cast<std::streamoff>(file.tellg());
  if (!file || size < 0 || size > static_cast<std::streamoff>(longest_note)) return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(text.data(), size)) return std::nullopt;
  return text;
}

Result<int> listen_at(const RoomFiles& files) {
  return open_socket(files, [&](int socket, const sockaddr* address, socklen_t size) {
    ::unlink(files.control().c_str());
    return ::bind(socket, address, size) == 0 && ::chmod(files.control().c_str(), file_mode) == 0 &&
           ::listen(socket, 4) == 0;
  });
}

Result<int> connect_to(const RoomFiles& files) {
  return open_socket(files, [](int socket, const sockaddr* address, socklen_t size) {
    return ::connect(socket, address, size) == 0;
  });
}

namespace {

// A name that is all digits is a number.
std::optional<std::uint32_t> number_of(const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// The text says what is wrong with the name.
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

}  // namespace fixkeep::worker
