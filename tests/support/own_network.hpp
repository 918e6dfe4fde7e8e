// A process in a network of its own, where names have the addresses that a test gives them.
//
// It needs the right to make such a network: that of root, or namespaces of users.
// Thread rule: a process of one thread, such as one that was just forked. Errors: false, with
// `errno`.
#pragma once

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::test {

// The calling process, for good. Its loopback device is up, and there is no other one.
[[nodiscard]] inline bool move_to_a_network_of_its_own() {
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  if (::unshare(users | CLONE_NEWNS | CLONE_NEWNET) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
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

// REQUIRES: move_to_a_network_of_its_own() was true.
class OwnNames {
 public:
  explicit OwnNames(const Names& names)
      : in_place_(put("hosts", names.hosts) && put("resolv.conf", names.name_servers) &&
                  put("nsswitch.conf", "hosts: files dns\n")) {}

  [[nodiscard]] bool in_place() const { return in_place_; }

 private:
  bool put(const std::string& file, const std::string& text) {
    const auto ours = folder_ / file;
    std::ofstream{ours} << text;
    const auto theirs = "/etc/" + file;
    return ::mount(ours.c_str(), theirs.c_str(), nullptr, MS_BIND, nullptr) == 0;
  }

  TemporaryFolder folder_;
  bool in_place_;
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
