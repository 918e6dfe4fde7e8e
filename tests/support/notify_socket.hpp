// Stands for a service manager: a datagram socket that NOTIFY_SOCKET leads to, and a watchdog.
// Thread rule: one thread, since it changes the environment. Errors: failures of the test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fixkeep::test {

class NotifySocket {
 public:
  // Without a watchdog if `watchdog` is 0.
  explicit NotifySocket(std::chrono::microseconds watchdog = std::chrono::microseconds{0}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_ = testing::TempDir() + "notify-" + std::to_string(::getpid());
    ::unlink(path_.c_str());
    std::strncpy(&address.sun_path[0], path_.c_str(), sizeof(address.sun_path) - 1);
    const void* const generic = &address;
    EXPECT_EQ(::bind(socket_, static_cast<const sockaddr*>(generic), sizeof(address)), 0);
    ::setenv("NOTIFY_SOCKET", path_.c_str(), 1);
    if (watchdog.count() == 0) return;
    ::setenv("WATCHDOG_USEC", std::to_string(watchdog.count()).c_str(), 1);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  }
  ~NotifySocket() {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
    ::close(socket_);
    ::unlink(path_.c_str());
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // Empty: nothing has been told within `limit`.
  [[nodiscard]] std::string told(std::chrono::milliseconds limit = std::chrono::milliseconds{0}) {
    pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, static_cast<int>(limit.count())) <= 0) return {};
    std::array<char, 4096> text{};
    const ssize_t size = ::recv(socket_, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
  }

 private:
  int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  std::string path_;
};

}  // namespace fixkeep::test
