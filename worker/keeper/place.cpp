#include "worker/keeper/place.hpp"

#include <fcntl.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "worker/keeper/cgroup.hpp"
#include "worker/keeper/room_files.hpp"
#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::keeper {
namespace {

using User = std::optional<Plan::User>;

// Other users may pass through, to a game's own folder, but not look around.
constexpr mode_t passage_mode = 0711;
constexpr mode_t own_mode = 0700;
constexpr mode_t file_mode = 0600;
constexpr mode_t cgroup_mode = 0755;
constexpr int most_open_folders = 16;
constexpr int waiting_workers = 4;  // the newest one is the one that counts

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

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
std::string make_parents(const std::string& root, const std::string& file, const User& user) {
  for (auto end = file.find('/'); end != std::string::npos; end = file.find('/', end + 1)) {
    const auto folder = root + "/" + file.substr(0, end);
    if (!make_folder(folder, own_mode) || !give_to(folder, user)) {
      return problem("make the folder", folder);
    }
  }
  return {};
}

int remove_entry(const char* path, const struct stat*, int, FTW*) {
  ::remove(path);
  return 0;  // goes on with the others
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

template <class Call>
Result<int> open_socket(const std::string& folder, Call call) {
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

std::string make_place(const Plan& plan) {
  const RoomFiles files{plan.place};
  if (!make_folder(files.folder, passage_mode)) return problem("make the folder", files.folder);
  if (!make_folder(files.game(), own_mode) || !give_to(files.game(), plan.user)) {
    return problem("make the folder", files.game());
  }
  for (const Plan::File& file : plan.files) {
    if (auto wrong = make_parents(files.game(), file.path, plan.user); !wrong.empty()) return wrong;
    auto wrong = write_file(files.game() + "/" + file.path, file.text, plan.user);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

void remove_place(const Plan& plan) {
  remove_folder(plan.place);
}

// Nothing of the room runs any more, so nobody swaps a folder for a link meanwhile.
void remove_folder(const std::string& folder) {
  ::nftw(folder.c_str(), remove_entry, most_open_folders, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
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
  (void)write_file(path, bytes, {});
}

void make_cgroup(Plan& plan, const Complain& complain) {
  if (plan.cgroup.empty()) return;
  std::erase_if(plan.cgroup, [&](const std::string& folder) {
    if (::mkdir(folder.c_str(), cgroup_mode) == 0 || errno == EEXIST) return false;
    complain("cannot make the control group of a room", folder, std::strerror(errno));
    return true;
  });
  const auto wrong = set_limits(Cgroup{plan.cgroup}, plan.limits);
  if (!wrong.empty()) complain("limits of a game do not hold", plan.place, wrong);
}

Result<void> write_whole(const std::string& path, std::string_view text) {
  const auto next = path + ".new";
  const int file =
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, file_mode);
  if (file < 0) return last_error();
  const bool whole = write_all(file, text) && ::rename(next.c_str(), path.c_str()) == 0;
  const auto error = last_error();
  ::close(file);
  if (whole) return {};
  ::unlink(next.c_str());
  return error;
}

}  // namespace fixkeep::worker::keeper
