#include "common/process/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>

namespace fixkeep::process {
namespace {

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

constexpr mode_t all_modes = 07777;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<void> give(int file, uid_t user, gid_t group) {
  if (user == ::geteuid() && group == ::getegid()) return {};
  if (::fchown(file, user, group) != 0) return last_error();
  return {};
}

// --- the owners of a path ------------------------------------------------------------------------

std::string who_may_change(const std::string& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) return folder + ": " + last_error().message();
  if (found.st_uid != 0 && found.st_uid != ::geteuid()) return folder + " belongs to another user";
  if (S_ISLNK(found.st_mode)) return {};  // a link's mode has no effect
  const bool sticky = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  const bool others = (found.st_mode & S_IWOTH) != 0;
  const bool group =
      (found.st_mode & S_IWGRP) != 0 && found.st_gid != 0 && found.st_gid != ::getegid();
  if (sticky || (!others && !group)) return {};
  return folder + (others ? " can be written to by every user" : " can be written to by its group");
}

// Calls `look` with each folder and each link on the path and on the targets of these links. Stops
// when `look` returns a text or a part is missing. The function follows links itself: realpath()
// does not report a link's owner, and in a sticky folder any user may make links.
std::string walk(const std::string& path, auto look) {
  constexpr int most_links = 40;  // the kernel's limit
  std::error_code failure;
  std::filesystem::path rest = std::filesystem::absolute(path, failure).relative_path();
  std::string here;  // absolute, links resolved; empty: the root
  if (auto said = look("/", false); !said.empty()) return said;
  for (int links = 0; !rest.empty();) {
    const std::string name = rest.begin()->string();
    rest = rest.lexically_relative(*rest.begin());
    if (rest == ".") rest.clear();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      here.resize(here.empty() ? 0 : here.rfind('/'));
      continue;
    }
    const std::string next = here + '/' + name;
    struct stat found {};
    if (::lstat(next.c_str(), &found) != 0) return look(next, false);
    const bool is_link = S_ISLNK(found.st_mode);
    if (auto said = look(next, is_link); !said.empty()) return said;
    if (!is_link) {
      here = next;
      continue;
    }
    const auto target = std::filesystem::read_symlink(next, failure);
    if (failure || ++links > most_links) return next + ": leads nowhere";
    if (target.is_absolute()) here.clear();
    rest = rest.empty() ? target.relative_path() : target.relative_path() / rest;
  }
  return {};
}

// --- access --------------------------------------------------------------------------------------

std::string why_not(const std::string& path, const boost::system::error_code& error) {
  return path + ": " + error.message();
}

// Checks the deepest existing folder above `path`. Returns an empty text if this process can create
// files in it.
std::string why_nothing_is_made(const std::filesystem::path& path, bool with_folders) {
  std::error_code failure;
  auto above = std::filesystem::absolute(path, failure).parent_path();
  struct stat found {};
  while (::stat(above.c_str(), &found) != 0) {
    const auto error = last_error();
    if (!with_folders || !above.has_relative_path() || ::lstat(above.c_str(), &found) == 0) {
      return why_not(above.string(), error);
    }
    above = above.parent_path();
  }
  if (!S_ISDIR(found.st_mode)) return above.string() + " is no folder";
  if (::faccessat(AT_FDCWD, above.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return why_not(above.string(), last_error());
}

std::string why_not_there(const std::filesystem::path& file, int access, bool folder) {
  const auto path = file.string();
  if (auto other = folder ? whose_link_leads_there(path) : who_else_made(path); !other.empty()) {
    return other;
  }
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    const auto error = last_error();
    if (error.value() != ENOENT && error.value() != ENOTDIR) return why_not(path, error);
    if (::lstat(path.c_str(), &found) != 0) return why_nothing_is_made(path, folder);
    if (folder) return why_not(path, error);
    std::error_code failure;  // open() would create the link's target
    return why_not_there(file.parent_path() / std::filesystem::read_symlink(path, failure), access,
                         folder);
  }
  if (S_ISDIR(found.st_mode) != folder) return path + (folder ? " is no folder" : " is a folder");
  if (::faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0) return {};
  return why_not(path, last_error());
}

// --- removal -------------------------------------------------------------------------------------

// While the object lives, its thread accesses files with the rights of the given user only.
class FileUser {
 public:
  FileUser(uid_t user, gid_t group)
      : group_(static_cast<gid_t>(::setfsgid(group))),
        user_(static_cast<uid_t>(::setfsuid(user))) {}
  ~FileUser() {
    ::setfsuid(user_);
    ::setfsgid(group_);
  }
  FileUser(const FileUser&) = delete;
  FileUser& operator=(const FileUser&) = delete;

 private:
  gid_t group_;
  uid_t user_;
};

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

// Calls `each` with each name in the folder.
void each_name(int folder, auto each) {
  const std::unique_ptr<DIR, CloseListing> listing{
      ::fdopendir(::openat(folder, ".", folder_flags))};
  if (!listing) return;
  while (const dirent* const entry = ::readdir(listing.get())) {
    const std::string name{&entry->d_name[0]};
    if (name != "." && name != "..") each(name);
  }
}

// Empties the folder `top`. For each subfolder: deletes the files, moves the folders in it up into
// `top`, and removes the subfolder. Thus a deep tree needs no more descriptors or stack.
class Remover {
 public:
  Remover(int top, dev_t device) : top_(top), device_(device) {}

  void run() {
    do {
      progress_ = false;
      each_name(top_, [this](const std::string& name) { remove(name); });
    } while (progress_ && Clock::now() < until_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void remove(const std::string& name) {
    if (Clock::now() > until_) return;  // someone may create files faster than we remove them
    if (::unlinkat(top_, name.c_str(), 0) == 0 ||
        ::unlinkat(top_, name.c_str(), AT_REMOVEDIR) == 0) {
      progress_ = true;
      return;
    }
    const Descriptor folder{::openat(top_, name.c_str(), folder_flags)};
    struct stat found {};
    if (!folder || ::fstat(folder.get(), &found) != 0 || found.st_dev != device_) return;
    ::fchmod(folder.get(), S_IRWXU);  // the owner may have made the folder read-only
    each_name(folder.get(), [&](const std::string& inner) { lift(folder.get(), inner); });
    if (::unlinkat(top_, name.c_str(), AT_REMOVEDIR) == 0) progress_ = true;
  }

  void lift(int folder, const std::string& name) {
    if (::unlinkat(folder, name.c_str(), 0) == 0) return;
    if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) return;
    const auto free = ".removed-" + std::to_string(next_++);
    ::renameat(folder, name.c_str(), top_, free.c_str());
  }

  int top_;
  dev_t device_;
  Clock::time_point until_ = Clock::now() + removal_limit;
  std::uint64_t next_ = 0;
  bool progress_ = false;
};

}  // namespace

Result<void> write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return last_error();
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<Folder> Folder::open(const std::string& path) {
  Descriptor folder{::open(path.c_str(), folder_flags)};
  if (!folder) return last_error();
  return Folder{std::move(folder)};
}

Result<Folder> Folder::at(const std::string& name) const {
  Descriptor folder{::openat(folder_.get(), name.c_str(), folder_flags)};
  if (!folder) return last_error();
  return Folder{std::move(folder)};
}

Result<Folder> Folder::make(const std::string& name, mode_t mode) const {
  if (::mkdirat(folder_.get(), name.c_str(), mode) != 0) return last_error();
  auto made = at(name);
  struct stat found {};
  if (!made) return made;
  if (::fstat(made->folder_.get(), &found) != 0) return last_error();
  const bool masked = (found.st_mode & all_modes) != mode;  // the umask removed some bits
  if (masked && ::fchmod(made->folder_.get(), mode) != 0) return last_error();
  return made;
}

Result<void> Folder::write_new(const std::string& name, std::string_view text, mode_t mode,
                               uid_t user, gid_t group) const {
  const Descriptor file{::openat(folder_.get(), name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  if (!file) return last_error();
  if (const auto written = write_all(file.get(), text); !written) return written;
  return give(file.get(), user, group);
}

Result<void> Folder::give_to(uid_t user, gid_t group) const {
  return give(folder_.get(), user, group);
}

std::string who_else_may_change(const std::string& path) {
  return walk(path, [](const std::string& part, bool) { return who_may_change(part); });
}

std::string whose_link_leads_there(const std::string& path) {
  return walk(path, [](const std::string& part, bool is_link) {
    return is_link ? who_may_change(part) : std::string{};
  });
}

std::string who_else_made(const std::string& file) {
  if (auto led = whose_link_leads_there(file); !led.empty()) return led;
  struct stat found {};
  struct stat above {};
  if (::stat(file.c_str(), &found) != 0 || found.st_uid == 0 || found.st_uid == ::geteuid()) {
    return {};
  }
  std::error_code failure;
  const auto folder = std::filesystem::canonical(file, failure).parent_path();
  constexpr mode_t as_tmp = S_ISVTX | S_IWOTH;
  const bool of_all = ::stat(folder.c_str(), &above) == 0 && (above.st_mode & as_tmp) == as_tmp;
  return of_all ? file + " belongs to another user" : std::string{};
}

std::string why_no_folder(const std::string& path) {
  return why_not_there(path, W_OK | X_OK, true);
}

std::string why_no_file(const std::string& path) {
  return why_not_there(path, W_OK, false);
}

Result<void> remove_folder(const std::string& path) {
  {
    const Descriptor folder{::open(path.c_str(), folder_flags)};
    if (!folder) {
      if (errno == ENOENT) return {};
      return last_error();
    }
    struct stat found {};
    if (::fstat(folder.get(), &found) != 0) return last_error();
    const FileUser owner{found.st_uid, found.st_gid};
    Remover{folder.get(), found.st_dev}.run();
  }
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) return last_error();
  return {};
}

}  // namespace fixkeep::process
