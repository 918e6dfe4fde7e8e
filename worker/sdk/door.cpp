#include "worker/sdk/door.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <utility>

#include "common/net/link/pending_handshakes.hpp"
#include "common/net/patient_listen.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"
#include "worker/sdk/acceptor.hpp"
#include "worker/sdk/listeners.hpp"

namespace fixkeep::worker {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

class SdkDoor::Impl : public std::enable_shared_from_this<SdkDoor::Impl> {
 public:
  Impl(boost::asio::io_context& context, Handler handler)
      : context_(context), handler_(std::move(handler)) {}

  void listen(Listeners listeners) {
    acceptor_.emplace(
        context_, "all with a relay", Endpoint{std::move(listeners), {}},
        [this](process::Descriptor connection) { await_greeting(std::move(connection)); });
  }
  void close() {
    handler_ = nullptr;
    acceptor_.reset();
    guests_.each([](const auto& guest) { guest->leave(); });
  }
  [[nodiscard]] std::uint16_t port() const { return acceptor_->port(); }

 private:
  struct Guest {
    Guest(boost::asio::io_context& context, int descriptor)
        : socket(context, descriptor), timer(context, limit) {}
    void leave() {
      error_code ignored;
      socket.close(ignored);
    }
    stream_descriptor socket;
    boost::asio::steady_timer timer;
    std::array<char, greeting_bytes> bytes{};
  };

  void await_greeting(process::Descriptor connection) {
    const auto from = peer_address(connection.get());
    const auto guest = std::make_shared<Guest>(context_, connection.release());
    if (const auto loser = guests_.add(guest, from)) {
      tell("too many connections to the SDK say nothing", "");
      loser->leave();
    }
    guest->timer.async_wait([guest](error_code cancelled) {
      if (!cancelled) guest->leave();
    });
    boost::asio::async_read(guest->socket, boost::asio::buffer(guest->bytes),
                            [self = shared_from_this(), guest](error_code error, std::size_t size) {
                              guest->timer.cancel();
                              self->guests_.remove(guest);
                              self->greeted(*guest, error, size);
                            });
  }

  // Some connections of a relay only check whether the worker runs. The relay closes them without a
  // greeting.
  void greeted(Guest& guest, error_code error, std::size_t size) {
    if (!handler_ || (error && size == 0)) return;
    const auto greeting = parse_greeting({guest.bytes.data(), size});
    if (!greeting) return tell("a connection to the SDK has no greeting of a relay", "");
    const auto refused = handler_(*greeting, process::Descriptor{guest.socket.release()});
    if (!refused.empty()) tell("a connection to the SDK is not let in", refused);
  }

  void tell(const char* what, const std::string& why) {
    const auto like_it = log_.admit(what, net::steady_now());
    if (!like_it) return;
    obs::log_warning(what + obs::more_like_it(*like_it), {{"reason", why}});
  }

  boost::asio::io_context& context_;
  Handler handler_;
  std::optional<Acceptor> acceptor_;
  net::PendingHandshakes<std::shared_ptr<Guest>> guests_{most};  // guests whose greeting is awaited
  obs::LogLimit log_{{.burst = 3, .longest_interval = std::chrono::minutes{1}, .kinds = 3}};
};

Result<std::unique_ptr<SdkDoor>> SdkDoor::open(boost::asio::io_context& context, std::uint16_t port,
                                               Handler handler) {
  Result<Listeners> listeners{Listeners{}};
  const auto error = net::listen_patiently(net::PortOf::tcp, port, [&] {
    listeners = open_listeners(port, "0.0.0.0");
    return listeners ? boost::system::error_code{} : listeners.error();
  });
  if (error) return error;
  auto impl = std::make_shared<Impl>(context, std::move(handler));
  impl->listen(std::move(*listeners));
  return std::unique_ptr<SdkDoor>{new SdkDoor{std::move(impl)}};
}

SdkDoor::~SdkDoor() {
  impl_->close();
}

std::uint16_t SdkDoor::port() const {
  return impl_->port();
}

}  // namespace fixkeep::worker
