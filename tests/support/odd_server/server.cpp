#include "tests/support/odd_server/server.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace fixkeep::odd {
namespace {

using namespace std::string_view_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int exit_failed = 1;
constexpr int ports_to_try = 16;
constexpr int packets_lost = 3;
constexpr milliseconds rest{5};  // between two looks at the time
constexpr auto a2s_question = "\xff\xff\xff\xffTSource Engine Query\0"sv;
constexpr auto a2s_challenge = "\x01\x02\x03\x04"sv;

volatile std::sig_atomic_t told_to_begin = 0;  // with what it does on SIGUSR1

void say(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

bool home_is_writable() {
  const char* const home = std::getenv("HOME");
  std::string file = std::string{home == nullptr ? "" : home} + "/odd-server-XXXXXX";
  const int descriptor = ::mkstemp(file.data());
  if (descriptor < 0) return false;
  ::close(descriptor);
  ::unlink(file.c_str());
  return true;
}

// What was written to is memory, what was only asked for is not.
void hoard() {
  constexpr std::size_t piece = 1U << 20U;
  for (;;) {
    auto* const taken = static_cast<char*>(std::malloc(piece));
    if (taken != nullptr) std::fill_n(const_cast<volatile char*>(taken), piece, 'x');
  }
}

bool try_port(int socket, std::uint16_t port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_ANY);
  where.sin_port = htons(port);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0;
}

std::string a2s_info(const Options& options) {
  std::string info{"\xff\xff\xff\xffI\x11Odd server\0map\0folder\0game\0\x00\x00"sv};
  for (const int number : {options.players + options.bots, 32, static_cast<int>(options.bots)}) {
    info += static_cast<char>(number);
  }
  info += "dl\0\0\x31\0"sv;
  return info;
}

}  // namespace

int Server::run() {
  if (options_.has(Habit::ignore_sigterm)) std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGUSR1, [](int) { told_to_begin = 1; });
  if (options_.has(Habit::needs_home) && !home_is_writable()) {
    say("fatal: cannot write to $HOME");
    return exit_failed;
  }
  if (options_.has(Habit::fork_and_leave)) {
    if (::fork() != 0) return 0;
    ::setsid();
  }
  if (options_.has(Habit::ready_before_bind)) say("Server started");
  if (!bind_port()) {
    say("fatal: cannot bind");
    return exit_failed;
  }
  if (!options_.has(Habit::ready_before_bind)) say("Server started");
  serve();
  return 0;
}

bool Server::bind_port() {
  socket_ = ::socket(AF_INET, options_.tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
  const int yes = 1;
  if (options_.tcp) ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const int tries = options_.has(Habit::next_port) ? ports_to_try : 1;
  for (int i = 0; i < tries; ++i) {
    const auto port = static_cast<std::uint16_t>(options_.port + i);
    if (!try_port(socket_, port)) continue;
    if (!options_.tcp || ::listen(socket_, 16) == 0) return true;
  }
  return false;
}

bool Server::hangs() const {
  if (!options_.has(Habit::hang)) return false;
  const bool in_time = options_.after.count() > 0 && Clock::now() - begun_ >= options_.after;
  return told_to_begin != 0 || in_time;
}

void Server::serve() {
  const std::string noise(4096, 'x');
  for (;;) {
    if (options_.has(Habit::flood)) say(noise.c_str());
    if (options_.has(Habit::hoard) && told_to_begin != 0) hoard();
    pollfd watched{.fd = hangs() ? -1 : socket_, .events = POLLIN, .revents = 0};
    const int wait = options_.has(Habit::flood) ? 0 : static_cast<int>(rest.count());
    const bool readable = ::poll(&watched, 1, wait) > 0;
    if (options_.tcp) {
      hear_connections();
      if (readable) connections_.push_back(::accept(socket_, nullptr, nullptr));
    } else {
      if (readable) hear_packet();
      send_what_is_due();
    }
  }
}

void Server::hear_connections() {
  std::erase_if(connections_, [](int connection) {
    char byte = 0;
    const ssize_t got = ::recv(connection, &byte, 1, MSG_DONTWAIT);
    const bool open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    if (!open) ::close(connection);
    return !open;
  });
}

void Server::hear_packet() {
  std::array<char, 2048> buffer{};
  sockaddr_in from{};
  socklen_t size = sizeof(from);
  const ssize_t got = ::recvfrom(socket_, buffer.data(), buffer.size(), 0,
                                 reinterpret_cast<sockaddr*>(&from), &size);
  if (got < 0) return;
  if (++packets_ <= packets_lost && options_.has(Habit::deaf_at_first)) return;
  const auto now = Clock::now();
  const auto last = std::exchange(last_[from.sin_addr.s_addr], now);
  if (options_.has(Habit::once_a_second) && now - last < seconds{1}) return;
  const std::string_view question{buffer.data(), static_cast<std::size_t>(got)};
  auto answer = answer_to(question, from.sin_port);
  if (answer.empty()) return;
  const auto delay = options_.has(Habit::late) ? options_.after : milliseconds{0};
  answers_.push_back({now + delay, from, std::move(answer)});
}

std::string Server::answer_to(std::string_view question, std::uint16_t port) {
  if (question == "ping") {
    said_ping_.insert(port);
    return "pong";
  }
  if (question == "info") {
    if (options_.has(Habit::small_first) && !said_ping_.contains(port)) return {};
    return "info players=" + std::to_string(options_.players) +
           " bots=" + std::to_string(options_.bots);
  }
  if (!options_.has(Habit::a2s) || !question.starts_with(a2s_question)) return {};
  if (question.substr(a2s_question.size()) == a2s_challenge) return a2s_info(options_);
  return std::string{"\xff\xff\xff\xff\x41"sv} + std::string{a2s_challenge};
}

void Server::send_what_is_due() {
  while (!answers_.empty() && answers_.front().at <= Clock::now()) {
    const Answer& answer = answers_.front();
    ::sendto(socket_, answer.bytes.data(), answer.bytes.size(), 0,
             reinterpret_cast<const sockaddr*>(&answer.to), sizeof(answer.to));
    answers_.pop_front();
  }
}

}  // namespace fixkeep::odd
