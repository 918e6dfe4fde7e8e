#include "worker/keeper/place.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "common/process/folder.hpp"
#include "worker/keeper/cgroup.hpp"
#include "worker/keeper/room_files.hpp"
#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::keeper {
namespace {

// The room's folder: other users may pass through it to the game's own folder, but cannot list it.
constexpr mode_t passage_mode = 0711;
constexpr mode_t own_mode = 0700;
constexpr mode_t file_mode = 0600;
constexpr mode_t cgroup_mode = 0755;
constexpr int waiting_workers = 4;  // enough, because only the newest worker counts

using process::Folder;

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

std::pair<std::string, std::string> split(const std::string& path) {
  const auto slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

struct Owner {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
};

Owner owner_of(const Plan& plan) {
  return plan.user ? Owner{plan.user->user, plan.user->group} : Owner{};
}

Result<Folder> open_or_make(const Folder& parent, const std::string& name, const Owner& owner) {
  if (auto there = parent.at(name)) return there;
  auto made = parent.make(name, own_mode);
  if (!made) return made;
  if (const auto given = made->give_to(owner.user, owner.group); !given) return given.error();
  return made;
}

// Writes a file below the folder, and makes the folders above the file.
Result<void> write_below(const Folder& folder, std::string_view path, const std::string& text,
                         const Owner& owner) {
  const auto slash = path.find('/');
  const std::string name{path.substr(0, slash)};
  if (slash == std::string_view::npos) {
    return folder.write_new(name, text, file_mode, owner.user, owner.group);
  }
  const auto inner = open_or_make(folder, name, owner);
  if (!inner) return inner.error();
  return write_below(*inner, path.substr(slash + 1), text, owner);
}

struct Address {
  explicit Address(const std::string& path)
      : folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    name.sun_family = AF_UNIX;
    const auto through = "/proc/self/fd/" + std::to_string(folder) + "/control";
    through.copy(name.sun_path, sizeof name.sun_path - 1);
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

Result<int> open_socket(const std::string& folder, auto call) {
  const Address address{folder};
  if (address.folder < 0) return last_error();
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return last_error();
  if (call(socket, address.get(), static_cast<socklen_t>(sizeof address.name))) return socket;
  const auto error = last_error();
  ::close(socket);
  return error;
}

}  // namespace

// The game becomes the owner of its folder last. Until then, no other user can reach the files in
// it.
std::string make_place(const Plan& plan) {
  const RoomFiles files{plan.place};
  const auto cannot = [](const char* what, const std::string& path, const auto& failed) {
    return std::string{"cannot "} + what + " " + path + ": " + failed.error().message();
  };
  const auto [above, name] = split(files.folder);
  const auto rooms = Folder::open(above);
  if (!rooms) return cannot("make the folder", files.folder, rooms);
  const auto place = rooms->make(name, passage_mode);
  if (!place) return cannot("make the folder", files.folder, place);
  const auto game = place->make(split(files.game()).second, own_mode);
  if (!game) return cannot("make the folder", files.game(), game);
  const Owner owner = owner_of(plan);
  for (const GameFile& file : plan.game.files) {
    const auto written = write_below(*game, file.path, file.text, owner);
    if (!written) return cannot("write", files.game() + "/" + file.path, written);
  }
  const auto given = game->give_to(owner.user, owner.group);
  return given ? "" : cannot("give away the folder", files.game(), given);
}

void remove_own_folder(const Plan& plan) {
  (void)process::remove_folder(plan.own_folder);
}

bool remove_place(const std::string& folder) {
  return process::remove_folder(RoomFiles{folder}.game()) && process::remove_folder(folder);
}

Result<int> listen_in(const std::string& folder) {
  return open_socket(folder, [&](int socket, const sockaddr* address, socklen_t size) {
    const auto control = RoomFiles{folder}.control();
    ::unlink(control.c_str());
    return ::bind(socket, address, size) == 0 && ::chmod(control.c_str(), file_mode) == 0 &&
           ::listen(socket, waiting_workers) == 0;
  });
}

Result<int> connect_in(const std::string& folder) {
  return open_socket(folder, [](int socket, const sockaddr* address, socklen_t size) {
    return ::connect(socket, address, size) == 0;
  });
}

void write_record(const std::string& path, const std::string& bytes) {
  const auto [folder, name] = split(path);
  const auto place = Folder::open(folder);
  if (place) (void)place->write_new(name, bytes, file_mode, ::geteuid(), ::getegid());
}

void make_cgroup(Plan& plan, const Complain& complain) {
  if (plan.cgroup.empty()) return;
  std::erase_if(plan.cgroup, [&](const std::string& folder) {
    if (::mkdir(folder.c_str(), cgroup_mode) == 0 || errno == EEXIST) return false;
    complain("cannot make the control group of a room", folder, std::strerror(errno));
    return true;
  });
  const auto wrong = set_limits(Cgroup{plan.cgroup}, plan.game.limits);
  if (!wrong.empty()) complain("limits of a game do not hold", plan.place, wrong);
}

Result<void> write_whole(const std::string& path, std::string_view text) {
  const auto next = path + ".new";
  const int file =
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, file_mode);
  if (file < 0) return last_error();
  const bool whole = process::write_all(file, text) && ::rename(next.c_str(), path.c_str()) == 0;
  const auto error = last_error();
  ::close(file);
  if (whole) return {};
  ::unlink(next.c_str());
  return error;
}

}  // namespace fixkeep::worker::keeper
