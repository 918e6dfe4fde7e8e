#include "client-sim/game/room.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace fixkeep::game {
namespace {

constexpr std::chrono::seconds time_to_join{5};
constexpr std::chrono::seconds time_to_leave{1};
constexpr std::chrono::milliseconds glance{250};  // a deadline is noticed at most this late

// Values of epoll_event.data that are not connection numbers. Connection numbers start at
// first_number.
constexpr std::uint64_t mark_listener = 0;
constexpr std::uint64_t mark_sdk = 1;
constexpr std::uint64_t first_number = 2;

void watch(int loop, int operation, int descriptor, std::uint32_t events, std::uint64_t mark) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = mark;
  epoll_ctl(loop, operation, descriptor, &event);
}

auth::WallTime wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

Room::Room(const Options& options)
    : options_(options),
      sdk_(options.sdk),
      loop_(epoll_create1(EPOLL_CLOEXEC)),
      most_connections_(options.capacity == 0 ? 1024 : (2 * std::size_t{options.capacity}) + 64),
      last_number_(first_number),
      next_health_(Clock::now()) {}

Room::~Room() {
  for (const auto& [number, socket] : sockets_) close(socket);
  if (listener_ >= 0) close(listener_);
  close(loop_);
}

// By default the room listens on IPv4 and IPv6. If the machine has no IPv6, the room listens only
// on IPv4.
bool Room::listen_for_players() {
  const bool chosen = !options_.address.empty();
  int failed = listen_at(chosen ? options_.address : "::");
  const bool has_no_v6 = failed == EAFNOSUPPORT || failed == EADDRNOTAVAIL;
  if (!chosen && has_no_v6) failed = listen_at("0.0.0.0");
  if (failed == 0) return true;
  std::fprintf(stderr, "cannot listen on %s, port %u: %s\n",
               chosen ? options_.address.c_str() : "any address", unsigned{options_.port},
               std::strerror(failed));
  return false;
}

int Room::listen_at(const std::string& text) {
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  const bool is_v6 = text.find(':') != std::string::npos;
  address.ss_family = static_cast<sa_family_t>(is_v6 ? AF_INET6 : AF_INET);
  v4.sin_port = htons(options_.port);  // the field has the same place in both structs
  void* const place = is_v6 ? static_cast<void*>(&v6.sin6_addr) : &v4.sin_addr;
  if (inet_pton(address.ss_family, text.c_str(), place) != 1) return EINVAL;
  const int made = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return errno;
  const int on = 1;
  const int off = 0;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (is_v6) setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
  if (bind(made, generic, size) != 0 || listen(made, SOMAXCONN) != 0) {
    const int failed = errno;
    close(made);
    return failed;
  }
  listener_ = made;
  watch(loop_, EPOLL_CTL_ADD, listener_, EPOLLIN, mark_listener);
  return 0;
}

int Room::run() {
  if (!listen_for_players()) return 1;
  watch_sdk();
  sdk_.call("/ready", "{}", [this](bool ok) {
    refused_by_worker_ = !ok;
    if (options_.crash_after) crash_at_ = Clock::now() + *options_.crash_after;
  });
  std::array<epoll_event, 64> events{};
  while (!sdk_.broken() && !refused_by_worker_) {
    const int ready =
        epoll_wait(loop_, events.data(), static_cast<int>(events.size()), milliseconds_to_wait());
    for (int i = 0; i < ready; ++i) {
      const std::uint64_t mark = events.at(static_cast<std::size_t>(i)).data.u64;
      if (mark == mark_listener) {
        accept_players();
      } else if (mark == mark_sdk) {
        sdk_.serve();
      } else {
        hear(mark);
      }
    }
    if (crash_at_ && *crash_at_ <= Clock::now()) return options_.exit_code;
    look_at_clock();
    watch_sdk();
  }
  return refused_by_worker_ ? 1 : 0;
}

void Room::watch_sdk() {
  if (sdk_.descriptor() < 0) return;
  const bool is_new = std::exchange(sdk_dials_, sdk_.dials()) != sdk_.dials();
  if (is_new) {
    sdk_wants_write_ = true;
    watch(loop_, EPOLL_CTL_ADD, sdk_.descriptor(), EPOLLIN | EPOLLOUT, mark_sdk);
  }
  if (sdk_wants_write_ == sdk_.want_write()) return;
  sdk_wants_write_ = sdk_.want_write();
  const std::uint32_t events = sdk_wants_write_ ? EPOLLIN | EPOLLOUT : EPOLLIN;
  watch(loop_, EPOLL_CTL_MOD, sdk_.descriptor(), events, mark_sdk);
}

int Room::milliseconds_to_wait() const {
  auto until = Clock::now() + std::chrono::hours{1};
  if (options_.health.count() != 0) until = next_health_;
  if (crash_at_) until = std::min(until, *crash_at_);
  if (const auto dial = sdk_.next_dial()) until = std::min(until, *dial);
  // A player that is joining or leaving has a deadline. While there is such a player, the room
  // looks at the clock every `glance`.
  if (connections_.size() != inside_.size()) until = std::min(until, Clock::now() + glance);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void Room::look_at_clock() {
  const auto now = Clock::now();
  sdk_.look_at_clock(now);
  if (options_.health.count() != 0 && next_health_ <= now) {
    next_health_ = now + options_.health;
    sdk_.call("/health", "{}", nullptr);
  }
  if (connections_.size() == inside_.size()) return;
  std::vector<Number> late;
  for (const auto& [number, connection] : connections_) {
    const bool waits = connection.phase == Phase::joining || connection.phase == Phase::leaving;
    if (waits && connection.deadline <= now) late.push_back(number);
  }
  for (const Number number : late) drop(number);
}

// --- connections ---------------------------------------------------------------------------------

void Room::accept_players() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connections_.size() >= most_connections_) {
    constexpr std::string_view text = "REFUSED full\n";
    (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    close(socket);
    return;
  }
  const Number number = ++last_number_;
  connections_[number].deadline = Clock::now() + time_to_join;
  sockets_[number] = socket;
  watch(loop_, EPOLL_CTL_ADD, socket, EPOLLIN, number);
}

void Room::hear(Number number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;  // closed by an earlier event of the same epoll round
  std::array<char, 4096> buffer{};
  const ssize_t got = recv(sockets_.at(number), buffer.data(), buffer.size(), 0);
  if (got <= 0) {
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) drop(number);
    return;
  }
  Connection& connection = found->second;
  if (connection.phase == Phase::leaving) return;
  connection.lines.add({buffer.data(), static_cast<std::size_t>(got)});
  while (connection.phase != Phase::asking && connection.phase != Phase::leaving) {
    const auto line = connection.lines.next();
    if (!line) break;
    take_line(number, connection, *line);
    if (!connections_.contains(number)) return;
  }
  if (connection.lines.too_long()) {
    if (connection.phase == Phase::joining) {
      refuse(number, refusal::malformed);
    } else if (connection.phase != Phase::leaving) {
      drop(number);
    }
  }
}

void Room::take_line(Number number, Connection& connection, const std::string& line) {
  if (connection.phase == Phase::inside) {
    if (line == "PING") answer(number, "PONG\n");
    return;
  }
  const auto verdict = judge_join(line, options_.seat_key, options_.room, wall_now());
  if (!verdict.refusal.empty()) {
    refuse(number, verdict.refusal);
    return;
  }
  if (inside_.contains(verdict.player)) {
    // The player is inside already, so the worker answers false, as Agones does. This answer is not
    // used.
    sdk_.call("/alpha/player/connect", player_body(verdict.player.text()), nullptr);
    enter(number, verdict.player);
    return;
  }
  if (options_.capacity != 0 && inside_.size() >= options_.capacity) {
    refuse(number, refusal::full);
    return;
  }
  connection.phase = Phase::asking;
  ask_worker(number, verdict.player);
}

void Room::ask_worker(Number number, const PlayerId& player) {
  sdk_.call("/alpha/player/connect", player_body(player.text()), [this, number, player](bool ok) {
    if (!connections_.contains(number)) {
      // The player left before the worker's answer. The player's seat is given back, unless the
      // player is inside with another connection.
      if (ok && !inside_.contains(player)) {
        sdk_.call("/alpha/player/disconnect", player_body(player.text()), nullptr);
      }
    } else if (ok || inside_.contains(player)) {  // another connection has entered meanwhile
      enter(number, player);
    } else {
      refuse(number, refusal::no_seat);
    }
  });
}

void Room::enter(Number number, const PlayerId& player) {
  if (const auto older = inside_.find(player); older != inside_.end()) {
    const Number replaced = older->second;
    inside_.erase(older);
    drop(replaced);
  }
  inside_[player] = number;
  Connection& connection = connections_.at(number);
  connection.phase = Phase::inside;
  connection.player = player;
  answer(number, "WELCOME " + player.text() + " " + options_.room + "\n");
  // Handles the lines that arrived while the game waited for the worker's answer.
  while (connections_.contains(number)) {
    const auto line = connection.lines.next();
    if (!line) break;
    take_line(number, connection, *line);
  }
}

// Sends an answer of a few bytes. If the bytes do not fit into the socket's buffer, the player does
// not read its answers, so the player is dropped.
void Room::answer(Number number, std::string_view line) {
  const ssize_t sent = send(sockets_.at(number), line.data(), line.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(line.size())) drop(number);
}

void Room::refuse(Number number, std::string_view reason) {
  Connection& connection = connections_.at(number);
  connection.phase = Phase::leaving;
  connection.deadline = Clock::now() + time_to_leave;
  answer(number, "REFUSED " + std::string{reason} + "\n");
  // Closes one direction only. A close with unread bytes would reset the connection and destroy the
  // answer on its way.
  if (connections_.contains(number)) shutdown(sockets_.at(number), SHUT_WR);
}

void Room::drop(Number number) {
  const auto found = connections_.find(number);
  const PlayerId player = found->second.player;
  connections_.erase(found);
  const auto socket = sockets_.find(number);
  close(socket->second);
  sockets_.erase(socket);
  const auto inside = inside_.find(player);
  if (inside == inside_.end() || inside->second != number) return;
  inside_.erase(inside);
  sdk_.call("/alpha/player/disconnect", player_body(player.text()), nullptr);
}

}  // namespace fixkeep::game
