#include "worker/ping/ping_responder.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "common/net/client_network.hpp"
#include "common/net/http/server.hpp"
#include "common/net/patient_listen.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/thread_without_signals.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;

net::HttpOptions http_options(const PingOptions& options) {
  net::HttpOptions http;
  http.address = options.address;
  http.port = options.port;
  http.connections = options.connections;
  http.connections_per_address = options.connections_per_address;
  http.header_bytes = 4096;
  http.body_bytes = 1024;
  http.request_timeout = std::chrono::seconds{2};
  http.idle_timeout = std::chrono::seconds{5};
  return http;
}

net::HttpAnswer answer_to(const net::HttpRequest& request) {
  const std::string_view target = request.target();
  if (target.substr(0, target.find('?')) != "/ping") {
    return net::problem(404, "not-found", "Not found", "There is only /ping here.");
  }
  if (request.method() != net::http::verb::get && request.method() != net::http::verb::head) {
    auto refused =
        net::problem(405, "method-not-allowed", "Method not allowed", "Use GET or HEAD.");
    refused.allow = "GET, HEAD";
    return refused;
  }
  return {.status = 204, .content_type = {}, .body = {}, .fields = "\r\nCache-Control: no-store"};
}

}  // namespace

class PingResponder::Impl {
 public:
  Result<> start(const PingOptions& options) {
    auto server =
        net::HttpServer::start(context_, http_options(options),
                               [](net::HttpRequest&& request, const net::HttpResponder& responder) {
                                 responder.answer(answer_to(request));
                               });
    if (!server) return server.error();
    server_ = std::move(*server);
    boost::system::error_code error;
    const udp::endpoint here{asio::ip::make_address(options.address, error), server_->port()};
    if (!error) {
      error = net::listen_patiently(net::PortOf::udp, here.port(), [&] {
        boost::system::error_code failure;
        socket_.close(failure);
        socket_.open(here.protocol(), failure);
        if (!failure) socket_.bind(here, failure);
        return failure;
      });
    }
    if (!error) socket_.non_blocking(true, error);
    if (error) return error;
    left_ = most_per_second_ = options.most_per_second;
    most_of_client_ = options.most_per_second_of_client;
    wait();
    thread_ = obs::start_without_signals([this] { context_.run(); });
    return {};
  }

  Impl() = default;
  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  static constexpr int most_at_once = 64;  // datagrams, before it is HTTP's turn

  void wait() {
    socket_.async_wait(udp::socket::wait_read, [this](boost::system::error_code error) {
      if (error) return;
      for (int i = 0; i < most_at_once && answer_next(); ++i) {}
      wait();
    });
  }

  // False: there is none. One that is lost, in either direction, is the player's to ask again.
  bool answer_next() {
    boost::system::error_code error;
    const auto size = socket_.receive_from(asio::buffer(bytes_), from_, 0, error);
    if (error) return error != asio::error::would_block;
    const std::string_view text{bytes_.data(), size};
    const bool is_question = size < bytes_.size() && text.starts_with(question);
    if (!is_question || !may_answer(net::client_network(from_.address()))) return true;
    std::ranges::copy(answer, bytes_.begin());
    socket_.send_to(asio::buffer(bytes_.data(), size), from_, 0, error);
    return true;
  }

  // One client that floods leaves the others theirs.
  bool may_answer(const asio::ip::address& client) {
    const TimePoint now = net::steady_now();
    if (now - second_began_ >= std::chrono::seconds{1}) {
      second_began_ = now;
      left_ = most_per_second_;
      answered_.clear();
    }
    if (left_ == 0) return false;
    auto& of_client = answered_[client];
    if (of_client >= most_of_client_) return false;
    ++of_client;
    --left_;
    return true;
  }

  asio::io_context context_{1};
  std::unique_ptr<net::HttpServer> server_;
  udp::socket socket_{context_};
  udp::endpoint from_;
  // One byte more than a question may have shows that it is longer.
  std::array<char, question.size() + most_own_bytes + 1> bytes_{};
  TimePoint second_began_{};
  std::uint32_t most_per_second_ = 0;
  std::uint32_t most_of_client_ = 0;
  std::uint32_t left_ = 0;
  std::map<asio::ip::address, std::uint32_t> answered_;  // within the second, by client_network()
  std::thread thread_;
};

static_assert(PingResponder::question.size() == PingResponder::answer.size());

Result<std::unique_ptr<PingResponder>> PingResponder::start(const PingOptions& options) {
  auto impl = std::make_unique<Impl>();
  if (auto started = impl->start(options); !started) return started.error();
  return std::unique_ptr<PingResponder>{new PingResponder{std::move(impl)}};
}

PingResponder::PingResponder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PingResponder::~PingResponder() = default;
std::uint16_t PingResponder::port() const {
  return impl_->port();
}

}  // namespace fixkeep::worker
