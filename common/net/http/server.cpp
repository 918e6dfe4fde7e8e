#include "common/net/http/server.hpp"

#include <unistd.h>

#include "common/net/http/answer.hpp"
#include "common/net/http/connection.hpp"
#include "common/net/keep_alive.hpp"
#include "common/net/patient_listen.hpp"
#include "common/net/tls/expiry_watch.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

using Executor = boost::asio::io_context::executor_type;
using Acceptor = boost::asio::basic_socket_acceptor<tcp, Executor>;

// After "too many open files", the new connection stays in the queue. Without a pause, accepting
// would be a busy loop until a descriptor is free.
constexpr std::chrono::milliseconds accept_pause{100};

// Limits the kernel's buffers of a connection. Otherwise these buffers grow to megabytes for a
// client that reads no answers. The kernel doubles each value, because its own bookkeeping needs
// memory too.
constexpr int socket_receive_bytes = 64 * 1024;
constexpr int socket_send_bytes = 128 * 1024;

// A client that vanishes without closing its connection counts as hung up after 30 s. Until then
// its player could get a seat. One sign of life every 15 s costs a phone less than its own polls.
constexpr KeepAlive signs_of_life{std::chrono::seconds{15}, std::chrono::seconds{5}, 3};

}  // namespace

class HttpServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& context, HttpOptions options, Handler handler)
      : hub_(std::make_shared<HttpHub>(context, std::move(options), std::move(handler))),
        acceptor_(context),
        pause_(context),
        ticker_(context) {}

  error_code listen() {
    error_code error;
    const auto address = boost::asio::ip::make_address(hub_->options.address, error);
    if (error) return error;
    const tcp::endpoint endpoint{address, hub_->options.port};
    return listen_patiently(PortOf::tcp, endpoint.port(), [&] { return listen_at(endpoint); });
  }

  error_code listen_at(const tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.close(error);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(Acceptor::reuse_address{true}, error);
    // Accepted sockets inherit these options.
    if (!error) keep_alive(acceptor_.native_handle(), signs_of_life);
    if (!error) {
      acceptor_.set_option(Acceptor::receive_buffer_size{socket_receive_bytes}, error);
    }
    if (!error) acceptor_.set_option(Acceptor::send_buffer_size{socket_send_bytes}, error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    return error;
  }

  void renew(const std::shared_ptr<HttpsCertificate>& certificate) {
    hub_->renew(certificate);
    expires_at_.reset();
    if (certificate != nullptr) expires_at_ = certificate->expires_at();
    expiry_.renewed();
  }

  void run() {
    renew(hub_->options.tls);
    if (acceptor_.is_open()) accept();
    tick();
  }

  void stop_accepting() {
    hub_->stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
  }

  void close() {
    closed_ = true;
    stop_accepting();
    ticker_.cancel();
    hub_->close_all();
    hub_->handler = nullptr;  // the handler may own the owner of this server
  }

  void serve(int native_socket) {
    HttpSocket socket{ticker_.get_executor()};
    error_code error;
    // The protocol given here is not used: addresses are read from the socket.
    socket.assign(tcp::v4(), native_socket, error);
    if (error) {
      ::close(native_socket);
    } else if (!closed_) {
      admit(std::move(socket));
    }
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return hub_->connections.size(); }
  [[nodiscard]] std::uint64_t displaced() const { return hub_->displaced; }
  [[nodiscard]] const Responses& responses() const { return hub_->responses; }
  [[nodiscard]] std::optional<std::chrono::sys_seconds> certificate_expires_at() const {
    return expires_at_;
  }

 private:
  void accept() {
    acceptor_.async_accept([self = shared_from_this()](error_code error, HttpSocket socket) {
      self->handle_accepted(error, std::move(socket));
    });
  }

  void handle_accepted(error_code error, HttpSocket socket) {
    if (!acceptor_.is_open()) return;
    if (error && error != boost::asio::error::connection_aborted) {
      tell(error);
      pause_.expires_after(accept_pause);
      pause_.async_wait([self = shared_from_this()](error_code) {
        if (self->acceptor_.is_open()) self->accept();
      });
      return;
    }
    if (!error) admit(std::move(socket));
    accept();
  }

  void tell(error_code reason) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto like_it =
        accept_log_.admit("accept", TimePoint{std::chrono::duration_cast<Duration>(now)});
    if (!like_it) return;
    obs::log_warning("cannot accept an HTTP connection" + obs::more_like_it(*like_it),
                     {{"port", port_}, {"reason", reason.message()}});
  }

  void admit(HttpSocket socket) {
    error_code error;
    const auto client = socket.remote_endpoint(error).address();
    if (error) return;  // `socket` closes itself, also at the returns below
    const bool too_many = !hub_->has_place_for(client);
    if (too_many && hub_->turned_away >= hub_->options.turned_away) return;
    socket.set_option(tcp::no_delay{true}, error);
    if (!error) socket.non_blocking(true, error);
    if (error) return;
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), client, hub_);
    hub_->add(connection);
    if (too_many) {
      connection->turn_away();
    } else {
      connection->start();
    }
  }

  void tick() {
    ticker_.expires_after(hub_->tick_every);
    ticker_.async_wait([self = shared_from_this()](error_code) {
      if (self->closed_) return;
      ++self->hub_->tick;
      self->hub_->date = http_date();
      self->hub_->check_deadlines();
      self->expiry_.look(self->expires_at_, std::chrono::floor<std::chrono::seconds>(
                                                std::chrono::system_clock::now()));
      self->tick();
    });
  }

  std::shared_ptr<HttpHub> hub_;
  Acceptor acceptor_;
  HttpTimer pause_;
  HttpTimer ticker_;
  obs::LogLimit accept_log_{{.burst = 1, .longest_interval = std::chrono::minutes{1}}};
  std::optional<std::chrono::sys_seconds> expires_at_;  // no value: HTTP is plain
  ExpiryWatch expiry_{"http"};
  std::uint16_t port_ = 0;
  bool closed_ = false;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(boost::asio::io_context& context,
                                                      HttpOptions options, Handler handler) {
  auto impl = std::make_shared<Impl>(context, std::move(options), std::move(handler));
  if (const auto error = impl->listen()) return error;
  impl->run();
  return std::unique_ptr<HttpServer>{new HttpServer{std::move(impl)}};
}

std::unique_ptr<HttpServer> HttpServer::start_without_port(boost::asio::io_context& context,
                                                           HttpOptions options, Handler handler) {
  auto impl = std::make_shared<Impl>(context, std::move(options), std::move(handler));
  impl->run();
  return std::unique_ptr<HttpServer>{new HttpServer{std::move(impl)}};
}

HttpServer::HttpServer(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  impl_->close();
}

void HttpServer::stop_accepting() {
  impl_->stop_accepting();
}

void HttpServer::close() {
  impl_->close();
}

void HttpServer::renew(const std::shared_ptr<HttpsCertificate>& certificate) {
  impl_->renew(certificate);
}

void HttpServer::serve(int socket) {
  impl_->serve(socket);
}

std::uint16_t HttpServer::port() const {
  return impl_->port();
}

std::size_t HttpServer::connections() const {
  return impl_->connections();
}

std::uint64_t HttpServer::displaced() const {
  return impl_->displaced();
}

const HttpServer::Responses& HttpServer::responses() const {
  return impl_->responses();
}

std::optional<std::chrono::sys_seconds> HttpServer::certificate_expires_at() const {
  return impl_->certificate_expires_at();
}

}  // namespace fixkeep::net
