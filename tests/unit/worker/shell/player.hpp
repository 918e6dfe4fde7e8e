// A player who speaks the protocol of the demo game over a socket of its own.
// Thread rule: blocks; one thread at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <string>

namespace fixkeep::worker {

using boost::asio::ip::tcp;

class Player {
 public:
  explicit Player(std::uint16_t port) : socket_(own_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }
  void say(const std::string& text) { boost::asio::write(socket_, boost::asio::buffer(text)); }
  std::string hear() {
    boost::system::error_code error;
    const auto length = boost::asio::read_until(socket_, buffer_, '\n', error);
    if (error) return "(" + error.message() + ")";
    std::string line{boost::asio::buffers_begin(buffer_.data()),
                     boost::asio::buffers_begin(buffer_.data()) + static_cast<long>(length) - 1};
    buffer_.consume(length);
    return line;
  }
  std::string join(const std::string& token) {
    say("JOIN " + token + "\n");
    return hear();
  }

 private:
  boost::asio::io_context own_;
  tcp::socket socket_;
  boost::asio::streambuf buffer_;
};

}  // namespace fixkeep::worker
