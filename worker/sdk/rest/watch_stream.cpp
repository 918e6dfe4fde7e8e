#include "worker/sdk/rest/watch_stream.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <utility>

#include "common/net/http/answer.hpp"
#include "worker/sdk/agones/calls.hpp"
#include "worker/sdk/rest/json.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

class LineStream final : public WatchStream {
 public:
  explicit LineStream(bool chunked) : chunked_(chunked) {}

  void run(tcp::socket socket) override {
    socket_.emplace(std::move(socket));
    read();
    out_ = "HTTP/1.1 200 OK\r\nDate: " + net::http_date() + "\r\nContent-Type: application/json" +
           (chunked_ ? "\r\nTransfer-Encoding: chunked\r\n\r\n" : "\r\nConnection: close\r\n\r\n");
    boost::asio::async_write(*socket_, boost::asio::buffer(out_), then([this] { begin(); }));
  }

 private:
  void write(std::string object) override {
    object += '\n';
    out_ = chunked_ ? fmt::format("{:x}\r\n{}\r\n", object.size(), object) : std::move(object);
    boost::asio::async_write(*socket_, boost::asio::buffer(out_), then([this] { sent(); }));
  }

  void read() {
    socket_->async_read_some(boost::asio::buffer(in_), then([this] { read(); }));
  }

  void close_socket() override {
    error_code ignored;
    if (socket_) socket_->close(ignored);
  }

  bool chunked_;  // HTTP/1.0 has no chunks, so the end of the connection ends the answer
  std::optional<tcp::socket> socket_;
  std::string out_;
  std::array<char, 1024> in_{};
};

}  // namespace

SdkResult<> WatchStream::watch(Session& session) {
  auto watch = session.watch([this, &session] {
    write(R"({"result":)" + to_json(calls::message_of(session.game_server())) + "}");
  });
  if (!watch) return watch.error();
  watch_ = std::move(*watch);
  return {};
}

void WatchStream::begin() {
  watch_->start();
}

void WatchStream::sent() {
  watch_->sent();
}

void WatchStream::close() {
  watch_.reset();
  close_socket();
}

std::shared_ptr<WatchStream> make_line_stream(const net::HttpRequest& request) {
  return std::make_shared<LineStream>(request.version() >= 11);
}

std::shared_ptr<WatchStream> make_watch_stream(const net::HttpRequest& request) {
  if (boost::beast::websocket::is_upgrade(request)) { return make_web_socket_stream(request); }
  return make_line_stream(request);
}

}  // namespace fixkeep::worker
