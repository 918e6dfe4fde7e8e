#include "worker/ping/ping_responder.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <type_traits>
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

boost::system::error_code ask_for_destinations(udp::socket& socket, bool is_v6) {
  const int on = 1;
  const int failed =
      is_v6 ? ::setsockopt(socket.native_handle(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
            : ::setsockopt(socket.native_handle(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (failed == 0) return {};
  return {errno, boost::system::system_category()};
}

// The options of the question become those of the answer. Clears their interface, so that the
// kernel may send the answer through any interface. Only a link-local address keeps its interface.
template <class Info>
void forget_interface(cmsghdr& control) {
  Info info{};
  std::memcpy(&info, CMSG_DATA(&control), sizeof info);
  if constexpr (std::is_same_v<Info, in6_pktinfo>) {
    if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
  } else {
    info.ipi_ifindex = 0;
  }
  std::memcpy(CMSG_DATA(&control), &info, sizeof info);
}

// A datagram with its sender and its destination address. The answer is sent from this destination.
class Datagram {
 public:
  // Returns nullopt if the datagram was lost, or if errno says that there is none.
  std::optional<std::size_t> receive(int socket, char* bytes, std::size_t size) {
    iovec part{bytes, size};
    msghdr message = message_of(part, control_.size());
    message.msg_namelen = sizeof from_;
    const auto got = ::recvmsg(socket, &message, 0);
    if (got < 0) return std::nullopt;
    from_size_ = message.msg_namelen;
    control_size_ = 0;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
         each = CMSG_NXTHDR(&message, each)) {
      const bool v4 = each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO;
      const bool v6 = each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO;
      if (v4) forget_interface<in_pktinfo>(*each);
      if (v6) forget_interface<in6_pktinfo>(*each);
      if (v4 || v6) control_size_ = message.msg_controllen;
    }
    return static_cast<std::size_t>(got);
  }
  [[nodiscard]] asio::ip::address from() const {
    udp::endpoint sender;
    std::memcpy(sender.data(), &from_, from_size_);
    sender.resize(from_size_);
    return sender.address();
  }
  void answer(int socket, char* bytes, std::size_t size) {
    iovec part{bytes, size};
    msghdr message = message_of(part, control_size_);
    message.msg_namelen = from_size_;
    if (control_size_ == 0) message.msg_control = nullptr;
    (void)::sendmsg(socket, &message, MSG_NOSIGNAL);
  }

 private:
  msghdr message_of(iovec& part, std::size_t control) {
    msghdr message{};
    message.msg_name = &from_;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control_.data();
    message.msg_controllen = control;
    return message;
  }

  sockaddr_storage from_{};
  socklen_t from_size_ = 0;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(in6_pktinfo))> control_{};
  std::size_t control_size_ = 0;
};

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
    if (!error) error = ask_for_destinations(socket_, here.address().is_v6());
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
  static constexpr int most_at_once = 64;  // datagrams before HTTP gets its turn

  void wait() {
    socket_.async_wait(udp::socket::wait_read, [this](boost::system::error_code error) {
      if (error) return;
      for (int i = 0; i < most_at_once && answer_next(); ++i) {}
      wait();
    });
  }

  // Reads one datagram. If the datagram is a question, answers it. Returns false if there is no
  // datagram. If a question or an answer is lost, the player repeats the question.
  bool answer_next() {
    const int socket = socket_.native_handle();
    const auto size = datagram_.receive(socket, bytes_.data(), bytes_.size());
    if (!size) return errno != EAGAIN && errno != EWOULDBLOCK;
    const std::string_view text{bytes_.data(), *size};
    const bool is_question = *size < bytes_.size() && text.starts_with(question);
    if (!is_question || !may_answer(net::client_network(datagram_.from()))) return true;
    std::ranges::copy(answer, bytes_.begin());
    datagram_.answer(socket, bytes_.data(), *size);
    return true;
  }

  // Returns whether the limits of this second allow an answer. The limit of one client protects the
  // other clients from its flood.
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
  Datagram datagram_;
  // One byte more than the longest question, to detect longer questions.
  std::array<char, question.size() + most_own_bytes + 1> bytes_{};
  TimePoint second_began_{};
  std::uint32_t most_per_second_ = 0;
  std::uint32_t most_of_client_ = 0;
  std::uint32_t left_ = 0;
  std::map<asio::ip::address, std::uint32_t> answered_;  // answers in this second, by
                                                         // client_network()
  std::thread thread_;
};

static_assert(PingResponder::question.size() == PingResponder::answer.size());

Result<std::unique_ptr<PingResponder>> PingResponder::start(const PingOptions& options) {
  if (options.address.empty()) {
    auto at_all = options;
    at_all.address = "::";  // takes IPv4 too
    auto made = start(at_all);
    if (made || made.error() != asio::error::address_family_not_supported) return made;
    at_all.address = "0.0.0.0";
    return start(at_all);
  }
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
