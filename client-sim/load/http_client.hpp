// An HTTP/1.1 client on one connection, as a game client would use it.
//
// Thread rule: one io_context, one thread; one request at a time.
// Bounds: an answer of 16 MiB; every call ends by its time limit.
// Errors: those of the socket, boost::beast::error::timeout, or what is wrong with the answer. The
// connection is closed then.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/verb.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "client-sim/load/api.hpp"
#include "common/base/result.hpp"

namespace fixkeep::client_sim {

struct HttpReply {
  unsigned status = 0;
  std::chrono::seconds retry_after{0};
  std::string body;
};

class HttpClient {
 public:
  // `token` goes with every request, if there is one.
  HttpClient(const boost::asio::any_io_executor& executor, boost::asio::ip::tcp::endpoint where,
             std::string token = {});

  [[nodiscard]] boost::asio::awaitable<Result<void>> connect(std::chrono::milliseconds limit);

  // Connects first if there is no connection.
  [[nodiscard]] boost::asio::awaitable<Result<HttpReply>> request(boost::beast::http::verb verb,
                                                                  std::string target,
                                                                  std::string body,
                                                                  std::chrono::milliseconds limit);

  [[nodiscard]] bool connected() const { return stream_ != nullptr; }
  void close() { stream_.reset(); }

 private:
  boost::asio::any_io_executor executor_;
  boost::asio::ip::tcp::endpoint where_;
  std::string token_;
  std::unique_ptr<boost::beast::tcp_stream> stream_;
};

// The address of a host name or of a literal; the first one that is found.
[[nodiscard]] boost::asio::awaitable<Result<boost::asio::ip::tcp::endpoint>> locate(
    Endpoint endpoint);

}  // namespace fixkeep::client_sim
