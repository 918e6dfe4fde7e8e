// A process in a network of its own, or where names have the addresses that a test gives them.
//
// It needs the right to make such a network: that of root, or namespaces of users. A container as
// Docker makes it has neither, so scripts/test.sh leaves out the suites named *InOwnNetwork there,
// and says so. The machine need not have the files of names (/etc/hosts is missing in some
// containers).
// Thread rule: a process of one thread, such as one that was just forked. Errors: false, with
// `errno`.
#pragma once

#include <gtest/gtest.h>
#include <net/if.h>
#include <netdb.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::test {

// The calling process, for good: what it mounts is nobody else's. `also`: of unshare().
[[nodiscard]] inline bool move_to_mounts_of_its_own(int also = 0) {
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  if (::unshare(users | CLONE_NEWNS | also) != 0) return false;
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// The calling process, for good. Its loopback device is up, and there is no other one.
[[nodiscard]] inline bool move_to_a_network_of_its_own() {
  if (!move_to_mounts_of_its_own(CLONE_NEWNET)) return false;
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq loopback{};
  loopback.ifr_name[0] = 'l';
  loopback.ifr_name[1] = 'o';
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool up = socket >= 0 && ::ioctl(socket, SIOCSIFFLAGS, &loopback) == 0;
  ::close(socket);
  return up;
}

struct Names {
  std::string hosts;         // /etc/hosts
  std::string name_servers;  // /etc/resolv.conf
};

// REQUIRES: move_to_a_network_of_its_own() or move_to_mounts_of_its_own() was true.
class OwnNames {
 public:
  explicit OwnNames(const Names& names)
      : files_{{"hosts", names.hosts},
               {"resolv.conf", names.name_servers},
               {"nsswitch.conf", "hosts: files dns\n"}},
        in_place_(all_are_there() ? put_over_each() : put_over_all()) {}

  [[nodiscard]] bool in_place() const { return in_place_; }

 private:
  [[nodiscard]] bool all_are_there() const {
    return std::all_of(files_.begin(), files_.end(), [](const auto& file) {
      return ::access(("/etc/" + file.first).c_str(), F_OK) == 0;
    });
  }
  static bool cover(const std::filesystem::path& theirs, const std::filesystem::path& ours) {
    return ::mount(ours.c_str(), theirs.c_str(), nullptr, MS_BIND, nullptr) == 0;
  }
  bool put_over_each() {
    return std::all_of(files_.begin(), files_.end(), [&](const auto& file) {
      const auto ours = folder_ / file.first;
      std::ofstream{ours} << file.second;
      return cover("/etc/" + file.first, ours);
    });
  }
  // Nothing can be mounted over a file that is not there: a copy of the folder has it.
  bool put_over_all() {
    namespace fs = std::filesystem;
    const auto ours = folder_ / "etc";
    std::error_code ignored;  // what we may not read, tests do not need
    fs::create_directory(ours, ignored);
    const auto each = fs::directory_options::skip_permission_denied;
    for (const auto& entry : fs::recursive_directory_iterator{"/etc", each, ignored}) {
      const auto copy = ours / entry.path().lexically_relative("/etc");
      if (entry.is_symlink(ignored)) {
        fs::copy_symlink(entry.path(), copy, ignored);
      } else if (entry.is_directory(ignored)) {
        fs::create_directory(copy, entry.path(), ignored);
      } else if (entry.is_regular_file(ignored)) {
        fs::copy_file(entry.path(), copy, ignored);
      }
    }
    for (const auto& [name, text] : files_) {
      fs::remove(ours / name, ignored);  // it may be a link
      std::ofstream{ours / name} << text;
    }
    return cover("/etc", ours);
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> files_;
  bool in_place_;
};

// Of a test program with tests that need the name "localhost": where the machine does not know it,
// the program brings its own. Where it may not, the tests of a suite …AtLocalhost are left out by
// name (scripts/lib.sh) or fail. REQUIRES: the program has one thread yet.
class NameOfThisMachine : public ::testing::Environment {
 public:
  void SetUp() override {
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo("localhost", nullptr, nullptr, &found);
    if (failed == 0) return ::freeaddrinfo(found);
    if (!move_to_mounts_of_its_own()) return;
    names_.emplace(Names{.hosts = "127.0.0.1 localhost\n::1 localhost\n", .name_servers = ""});
  }
  void TearDown() override { names_.reset(); }

 private:
  std::optional<OwnNames> names_;
};

// The body of a death test, in a network of its own: it exits with 0 if `body` failed in nothing.
template <class Body>
[[noreturn]] void exit_after(Body body) {
  if (!move_to_a_network_of_its_own()) {
    std::perror("no network of its own");
    std::exit(1);
  }
  body();
  std::exit(::testing::Test::HasFailure() ? 2 : 0);
}

}  // namespace fixkeep::test
