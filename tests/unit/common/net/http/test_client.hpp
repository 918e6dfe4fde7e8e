// A server on a thread of its own and a blocking client that sends any bytes, for HttpServer's
// tests.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net::test {

class RunningServer {
 public:
  explicit RunningServer(HttpServer::Handler handler, HttpOptions options = {}) {
    server_ = HttpServer::start(context_, std::move(options), std::move(handler)).value();
    port_ = server_->port();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~RunningServer() {
    on_thread([this] { server_.reset(); });
    work_.reset();
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  // Runs `action` on the server's thread and waits for it.
  template <class Action>
  std::invoke_result_t<Action> on_thread(Action action) {
    std::packaged_task<std::invoke_result_t<Action>()> task{std::move(action)};
    auto done = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return done.get();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  HttpServer& server() { return *server_; }  // on its thread

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  std::unique_ptr<HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// Every wait ends after ten seconds, as if the server had closed the connection.
class Client {
 public:
  explicit Client(std::uint16_t port, const char* from = "127.0.0.1") : socket_(context_) {
    socket_.open(boost::asio::ip::tcp::v4());
    socket_.bind({boost::asio::ip::make_address_v4(from), 0});
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // What is sent to a server that has closed is lost; the answer says why it closed.
  virtual void send(std::string_view bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }

  [[nodiscard]] int handle() { return socket(); }
  void half_close() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }
  void close() { socket_.close(); }
  void reset() {  // closes with a RST
    socket_.set_option(boost::asio::socket_base::linger{true, 0});
    socket_.close();
  }

  // Up to and with the first `end`; what came before the connection ended if it never comes.
  std::string read_until(std::string_view end) {
    while (true) {
      const auto found = input_.find(end);
      if (found != std::string::npos) return take(found + end.size());
      if (!read_some()) return take(input_.size());
    }
  }

  std::string read_bytes(std::size_t count) {
    while (input_.size() < count && read_some()) continue;
    return take(std::min(count, input_.size()));
  }

  // One answer with a Content-Length, or what there is of it.
  std::string read_answer() {
    std::string answer = read_until("\r\n\r\n");
    constexpr std::string_view field = "Content-Length: ";
    const auto found = answer.find(field);
    if (found == std::string::npos) return answer;
    const auto length = std::stoul(answer.substr(found + field.size()));
    while (input_.size() < length) {
      if (!read_some()) break;
    }
    return answer + take(std::min<std::size_t>(length, input_.size()));
  }

  std::string read_to_end() {
    while (read_some()) {}
    return take(input_.size());
  }

 protected:
  // Bytes that were received; 0 or less: no more come.
  virtual long receive(char* bytes, std::size_t most) { return ::recv(socket(), bytes, most, 0); }
  [[nodiscard]] int socket() { return socket_.native_handle(); }

 private:
  bool read_some() {
    char bytes[4096];
    const auto count = receive(bytes, sizeof bytes);
    if (count > 0) input_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }
  std::string take(std::size_t count) {
    std::string taken = input_.substr(0, count);
    input_.erase(0, count);
    return taken;
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_;
  std::string input_;
};

inline std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string{target} + " HTTP/1.1\r\nHost: test\r\n" + std::string{fields} +
         "\r\n";
}

inline std::string post(std::string_view body, std::string_view fields = "") {
  return "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string{fields} + "\r\n" + std::string{body};
}

inline HttpAnswer text(std::string body) {
  HttpAnswer answer;
  answer.content_type = "text/plain";
  answer.body = std::move(body);
  return answer;
}

// "<method> <target> <body>"
inline void echo(const HttpRequest& request, const HttpResponder& responder) {
  responder.answer(text(std::string{request.method_string()} + " " + std::string{request.target()} +
                        " " + request.body()));
}

inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

// Keeps its requests for later and counts who hung up.
struct Keeper {
  std::vector<HttpResponder> kept;
  std::atomic<int> requests = 0;
  std::atomic<int> hang_ups = 0;

  HttpServer::Handler handler() {
    return [this](HttpRequest&&, const HttpResponder& responder) {
      kept.push_back(responder);
      responder.on_hang_up([this] { ++hang_ups; });
      ++requests;
    };
  }
};

}  // namespace fixkeep::net::test
