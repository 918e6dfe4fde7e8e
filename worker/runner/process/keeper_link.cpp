#include "worker/runner/process/keeper_link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "common/process/process_group.hpp"
#include "worker/keeper/passing.hpp"

namespace fixkeep::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int packets_at_once = 16;
constexpr int turns_at_the_end = 64;  // more than enough to read a full socket

bool readable_within(int descriptor, std::chrono::milliseconds limit) {
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(std::max<long>(limit.count(), 0))) == 1;
}

}  // namespace

Result<KeeperLink::Ordered> KeeperLink::order(boost::asio::io_context& context, Handlers handlers) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    return process::last_error();
  }
  process::Descriptor other_end{ends[1]};
  std::shared_ptr<KeeperLink> link{new KeeperLink{context, 0, ends[0], std::move(handlers)}};
  link->listen();
  return Ordered{std::move(link), std::move(other_end)};
}

std::shared_ptr<KeeperLink> KeeperLink::adopt(boost::asio::io_context& context, FoundKeeper found,
                                              Handlers handlers) {
  std::shared_ptr<KeeperLink> link{
      new KeeperLink{context, found.process, found.connection.release(), std::move(handlers)}};
  link->version_ = found.version;
  link->listen();
  link->watch(found.watch.release());
  return link;
}

KeeperLink::KeeperLink(boost::asio::io_context& context, pid_t pid, int connection,
                       Handlers handlers)
    : pid_(pid),
      watch_(context),
      connection_(context, connection),
      handlers_(std::move(handlers)) {}

KeeperLink::~KeeperLink() {
  if (!gone_) wait_until_gone(std::chrono::milliseconds{0});
}

void KeeperLink::send(const keeper::Packet& packet) {
  const std::string bytes = to_bytes(packet);
  if (!connection_.is_open()) return;
  ::send(connection_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void KeeperLink::listen() {
  connection_.async_wait(Stream::wait_read,
                         [known = weak_from_this()](boost::system::error_code error) {
                           const auto link = known.lock();
                           if (error || link == nullptr || link->gone_) return;
                           if (link->hear()) return link->listen();
                           // The connection has ended. If the keeper is born, the link still waits
                           // for the end of its process.
                           if (!link->born()) link->gone();
                         });
}

bool KeeperLink::hear() {
  std::array<char, keeper::packet_bytes> buffer{};
  for (int packets = 0; packets < packets_at_once && connection_.is_open(); ++packets) {
    std::vector<int> numbers;
    const ssize_t count = keeper::receive_with(connection_.native_handle(), buffer.data(),
                                               buffer.size(), numbers, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    std::vector<process::Descriptor> descriptors{numbers.begin(), numbers.end()};
    auto packet = keeper::to_packet({buffer.data(), static_cast<std::size_t>(count)});
    if (packet) heard(std::move(*packet), std::move(descriptors));
  }
  return true;
}

void KeeperLink::heard(keeper::Packet&& packet, std::vector<process::Descriptor> descriptors) {
  if (!born() && packet.word == keeper::Word::state && descriptors.size() == 1) {
    pid_ = packet.extra;
    version_ = packet.number;
    watch(descriptors.front().release());
  } else if (handlers_.heard) {
    handlers_.heard(std::move(packet));
  }
}

void KeeperLink::hear_now() {
  if (gone_) return;
  if (!hear() && !born()) gone();
}

void KeeperLink::watch(int process) {
  watch_.assign(process);
  wait_for_its_end();
}

void KeeperLink::wait_for_its_end() {
  watch_.async_wait(Stream::wait_read, [known = weak_from_this()](boost::system::error_code error) {
    const auto link = known.lock();
    if (error || link == nullptr || link->gone_) return;
    if (!process::has_ended(link->watch_.native_handle())) return link->wait_for_its_end();
    for (int turn = 0; turn < turns_at_the_end && link->hear(); ++turn) continue;
    link->gone();
  });
}

void KeeperLink::gone() {
  // The keeper is usually not our child. But if the worker is the first process of a container, it
  // inherits the keepers of a killed starter.
  if (born()) process::reap(pid_);
  gone_ = true;
  const auto gone = std::exchange(handlers_.gone, nullptr);
  if (gone) gone();
}

void KeeperLink::kill() {
  if (!watch_.is_open()) return;
  ::syscall(SYS_pidfd_send_signal, watch_.native_handle(), SIGKILL, nullptr, 0);
}

void KeeperLink::leave() {
  handlers_ = {};
  gone_ = true;
  if (watch_.is_open()) watch_.close();
  connection_.close();
}

void KeeperLink::wait_until_gone(std::chrono::milliseconds limit) {
  handlers_ = {};
  const auto until = Clock::now() + limit;
  const auto left = [&] {
    return std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  };
  bool open = !gone_;
  while (open && !born() && readable_within(connection_.native_handle(), left())) open = hear();
  if (born() && !gone_) {
    if (!readable_within(watch_.native_handle(), left())) {
      kill();
      (void)readable_within(watch_.native_handle(), limit);
    }
    process::reap(pid_);
  }
  leave();
}

}  // namespace fixkeep::worker
