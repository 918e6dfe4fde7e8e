#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <utility>

#include "worker/sdk/rest/watch_stream.hpp"

namespace fixkeep::worker {
namespace {

namespace websocket = boost::beast::websocket;

constexpr std::size_t message_bytes_most = std::size_t{4} << 10U;  // limit for a client's message

class WebSocketStream final : public WatchStream {
 public:
  explicit WebSocketStream(net::HttpRequest request) : request_(std::move(request)) {}

  void run(boost::asio::ip::tcp::socket socket) override {
    stream_.emplace(std::move(socket));
    auto timeout = websocket::stream_base::timeout::suggested(boost::beast::role_type::server);
    timeout.keep_alive_pings = true;
    stream_->set_option(timeout);
    stream_->read_message_max(message_bytes_most);
    stream_->text(true);
    stream_->async_accept(request_, then([this] {
                            read();
                            begin();
                          }));
  }

 private:
  void write(std::string object) override {
    out_ = std::move(object);
    stream_->async_write(boost::asio::buffer(out_), then([this] { sent(); }));
  }

  void read() {
    stream_->async_read(in_, then([this] {
                          in_.consume(in_.size());
                          read();
                        }));
  }

  void close_socket() override {
    boost::system::error_code ignored;
    if (stream_) boost::beast::get_lowest_layer(*stream_).close(ignored);
  }

  net::HttpRequest request_;
  std::optional<websocket::stream<boost::asio::ip::tcp::socket>> stream_;
  std::string out_;
  boost::beast::flat_buffer in_;
};

}  // namespace

std::shared_ptr<WatchStream> make_web_socket_stream(const net::HttpRequest& request) {
  return std::make_shared<WebSocketStream>(request);
}

}  // namespace fixkeep::worker
