#include "worker/backend/process/keeper_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "common/process/descriptor.hpp"
#include "common/process/process_group.hpp"
#include "common/process/spawn.hpp"

namespace fixkeep::worker {
namespace {

constexpr int packets_at_once = 16;
constexpr int turns_at_the_end = 64;  // more than a socket holds

// A file in memory with the text.
Result<int> in_memory(const std::string& text) {
  const int file = ::memfd_create("fixkeep-plan", MFD_CLOEXEC);
  if (file < 0) return process::last_error();
  if (::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return file;
  const auto error = process::last_error();
  ::close(file);
  return error;
}

}  // namespace

Result<std::shared_ptr<KeeperLink>> KeeperLink::start(boost::asio::io_context& context,
                                                      const std::string& program,
                                                      const RoomFiles& files, keeper::Plan plan,
                                                      const std::vector<int>& listeners,
                                                      Handlers handlers) {
  plan.listeners = static_cast<std::uint32_t>(listeners.size());
  const auto control = listen_at(files);
  if (!control) return control.error();
  const process::Descriptor control_end{*control};
  const auto text = in_memory(to_text(plan));
  if (!text) return text.error();
  const process::Descriptor plan_file{*text};
  const process::Descriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (null.get() < 0) return process::last_error();
  // It is in the socket's queue before the keeper exists, so there is nothing to wait for.
  const auto connected = connect_to(files);
  if (!connected) return connected.error();
  process::Descriptor connection{*connected};
  process::Spawn spawn{.program = program,
                       .arguments = {"fixkeep-room-keeper"},
                       .environment = {},
                       .input = null.get(),
                       .output = null.get(),
                       .inherited = {plan_file.get(), control_end.get()}};
  spawn.inherited.insert(spawn.inherited.end(), listeners.begin(), listeners.end());
  const auto child = process::spawn(spawn);
  if (!child) return child.error();
  const auto watch = process::open_watch(*child);
  if (!watch) {
    process::end_group(*child);
    return watch.error();
  }
  std::shared_ptr<KeeperLink> link{
      new KeeperLink{context, *child, *watch, connection.release(), std::move(handlers)}};
  link->listen();
  link->watch();
  return link;
}

std::shared_ptr<KeeperLink> KeeperLink::adopt(boost::asio::io_context& context, FoundKeeper found,
                                              Handlers handlers) {
  std::shared_ptr<KeeperLink> link{new KeeperLink{context, found.process, found.watch.release(),
                                                  found.connection.release(), std::move(handlers)}};
  link->listen();
  link->watch();
  return link;
}

KeeperLink::KeeperLink(boost::asio::io_context& context, pid_t pid, int watch, int connection,
                       Handlers handlers)
    : pid_(pid),
      watch_(context, watch),
      connection_(context, connection),
      handlers_(std::move(handlers)) {}

KeeperLink::~KeeperLink() {
  if (!reaped_) wait_until_gone(std::chrono::milliseconds{0});
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
                           if (error || link == nullptr) return;
                           if (link->hear()) link->listen();
                         });
}

bool KeeperLink::hear() {
  std::array<char, keeper::packet_bytes> buffer{};
  for (int packets = 0; packets < packets_at_once && connection_.is_open(); ++packets) {
    const ssize_t count =
        ::recv(connection_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    auto packet = keeper::to_packet({buffer.data(), static_cast<std::size_t>(count)});
    if (packet) handlers_.heard(std::move(*packet));
  }
  return true;
}

void KeeperLink::watch() {
  watch_.async_wait(Stream::wait_read, [known = weak_from_this()](boost::system::error_code error) {
    const auto link = known.lock();
    if (error || link == nullptr) return;
    for (int turn = 0; turn < turns_at_the_end && link->hear(); ++turn) continue;
    process::reap(link->pid_);
    link->reaped_ = true;
    const auto gone = std::exchange(link->handlers_.gone, nullptr);
    if (gone) gone();
  });
}

void KeeperLink::leave() {
  handlers_.gone = nullptr;
  handlers_.heard = [](keeper::Packet&&) {};
  reaped_ = true;
  watch_.close();
  connection_.close();
}

void KeeperLink::wait_until_gone(std::chrono::milliseconds limit) {
  handlers_.gone = nullptr;
  handlers_.heard = [](keeper::Packet&&) {};
  pollfd ended{.fd = watch_.native_handle(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, static_cast<int>(limit.count())) != 1) ::kill(pid_, SIGKILL);
  process::reap(pid_);
  reaped_ = true;
  watch_.close();
  connection_.close();
}

}  // namespace fixkeep::worker
