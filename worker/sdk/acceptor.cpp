#include "worker/sdk/acceptor.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <list>

#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

// After "too many open files" the connection stays in the backlog. Without a pause, accept4() would
// be repeated until a connection is closed.
constexpr std::chrono::milliseconds accept_pause{100};
// Limit for one socket in a turn of the loop, so that other sockets are served too.
constexpr int accepted_at_once = 16;

}  // namespace

boost::asio::ip::address peer_address(int socket) {
  boost::asio::ip::tcp::endpoint peer;
  auto size = static_cast<socklen_t>(peer.capacity());
  if (::getpeername(socket, peer.data(), &size) != 0) return {};
  return peer.address();
}

class Acceptor::Impl : public std::enable_shared_from_this<Acceptor::Impl> {
 public:
  Impl(boost::asio::io_context& context, std::string room, Endpoint endpoint, Handler handler)
      : room_(std::move(room)),
        host_(endpoint.listeners.host),
        port_(endpoint.listeners.port),
        from_the_room_(std::move(endpoint.from_the_room)),
        handler_(std::move(handler)),
        context_(context) {}

  void listen(std::vector<process::Descriptor> sockets) {
    for (process::Descriptor& socket : sockets) {
      wait(doors_.emplace_back(stream_descriptor{context_, socket.release()},
                               boost::asio::steady_timer{context_}));
    }
  }

  void close() {
    error_code ignored;
    for (Door& door : doors_) {
      door.socket.close(ignored);
      door.pause.cancel();
    }
    handler_ = nullptr;
  }

  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint64_t strangers() const { return strangers_; }

 private:
  struct Door {
    Door(stream_descriptor at, boost::asio::steady_timer rest)
        : socket(std::move(at)), pause(std::move(rest)) {}
    stream_descriptor socket;
    boost::asio::steady_timer pause;
  };

  // Doors do not move in memory, so a handler can keep a reference to a door while it keeps this
  // object alive.
  void wait(Door& door) {
    door.socket.async_wait(stream_descriptor::wait_read,
                           [self = shared_from_this(), &door](error_code error) {
                             if (!error && door.socket.is_open()) self->accept(door);
                           });
  }

  void accept(Door& door) {
    for (int i = 0; i < accepted_at_once; ++i) {
      process::Descriptor connection{
          ::accept4(door.socket.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!connection) {
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno == EAGAIN) break;
        tell("cannot accept a connection to the SDK", {errno, boost::system::system_category()});
        pause(door);
        return;
      }
      admit(std::move(connection));
    }
    wait(door);
  }

  void admit(process::Descriptor connection) {
    if (from_the_room_ && !from_the_room_(connection.get())) {
      ++strangers_;
      tell("connection to the SDK of a room from outside of the room", {});
      return;
    }
    const int on = 1;
    (void)::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    handler_(std::move(connection));
  }

  void pause(Door& door) {
    door.pause.expires_after(accept_pause);
    door.pause.async_wait([self = shared_from_this(), &door](error_code) {
      if (door.socket.is_open()) self->wait(door);
    });
  }

  void tell(const char* what, error_code reason) {
    const auto like_it = log_.admit(what, net::steady_now());
    if (!like_it) return;
    obs::log_warning(what + obs::more_like_it(*like_it),
                     {{"room", room_},
                      {"port", port_},
                      {"reason", reason ? reason.message() : "not one of its processes"}});
  }

  std::string room_;
  std::string host_;
  std::uint16_t port_;
  FromTheRoom from_the_room_;
  Handler handler_;
  boost::asio::io_context& context_;
  std::list<Door> doors_;
  obs::LogLimit log_{{.burst = 1, .longest_interval = std::chrono::minutes{1}, .kinds = 2}};
  std::uint64_t strangers_ = 0;
};

Acceptor::Acceptor(boost::asio::io_context& context, std::string room, Endpoint endpoint,
                   Handler handler) {
  auto sockets = std::exchange(endpoint.listeners.sockets, {});
  impl_ = std::make_shared<Impl>(context, std::move(room), std::move(endpoint), std::move(handler));
  impl_->listen(std::move(sockets));
}

Acceptor::~Acceptor() {
  impl_->close();
}

void Acceptor::listen(std::vector<process::Descriptor> sockets) {
  impl_->listen(std::move(sockets));
}

const std::string& Acceptor::host() const {
  return impl_->host();
}

std::uint16_t Acceptor::port() const {
  return impl_->port();
}

std::uint64_t Acceptor::strangers() const {
  return impl_->strangers();
}

}  // namespace fixkeep::worker
