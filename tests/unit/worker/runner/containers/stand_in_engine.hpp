// It answers at a socket what a test says, in the place of a Docker engine.
// Thread rule: that of the io_context. Bounds: none. Errors: none; what is sent to nobody is lost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace fixkeep::worker::containers {

class StandInEngine {
 public:
  // Returns the whole answer to the head of a request; empty: it hangs up. It is not asked for the
  // version.
  using Answers = std::function<std::string(const std::string& request)>;

  StandInEngine(boost::asio::io_context& context, const std::string& path, Answers answers)
      : context_(context), acceptor_(context, {path}), answers_(std::move(answers)) {
    accept();
  }
  void close() { acceptor_.close(); }

  static std::string ok(const std::string& body) { return with(200, body); }
  static std::string with(int status, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) +
           " So\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

 private:
  struct Talk {
    explicit Talk(boost::asio::io_context& context) : socket(context) {}
    boost::asio::local::stream_protocol::socket socket;
    std::string heard;
    std::string answer;
  };
  using Talking = std::shared_ptr<Talk>;

  void accept() {
    const auto talk = std::make_shared<Talk>(context_);
    acceptor_.async_accept(talk->socket, [this, talk](boost::system::error_code error) {
      if (error) return;
      hear(talk);
      accept();
    });
  }
  void hear(const Talking& talk) {
    boost::asio::async_read_until(
        talk->socket, boost::asio::dynamic_buffer(talk->heard), "\r\n\r\n",
        [this, talk](boost::system::error_code error, std::size_t size) {
          if (error) return;
          const std::string request = talk->heard.substr(0, size);
          talk->heard.erase(0, size);
          const bool is_version = request.find(" /version") != std::string::npos;
          talk->answer = is_version ? ok(R"({"ApiVersion":"1.41"})") : answers_(request);
          if (!talk->answer.empty()) say(talk);
        });
  }
  void say(const Talking& talk) {
    boost::asio::async_write(talk->socket, boost::asio::buffer(talk->answer),
                             [this, talk](boost::system::error_code error, std::size_t) {
                               if (!error) hear(talk);
                             });
  }

  boost::asio::io_context& context_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  Answers answers_;
};

}  // namespace fixkeep::worker::containers
