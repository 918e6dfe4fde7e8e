// An HTTP/1.1 client with one connection, like the client of a game.
//
// Thread rule: one io_context, one thread; one request at a time.
// Bounds: an answer of 16 MiB and the bounds of common/net/http/client.hpp; every call ends within
// its time limit. Errors: as in client.hpp; after an error the connection is closed.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "client-sim/load/api.hpp"
#include "common/base/result.hpp"
#include "common/net/http/client.hpp"

namespace fixkeep::client_sim {

struct HttpReply {
  unsigned status = 0;
  std::chrono::seconds retry_after{0};
  std::string body;
};

class HttpClient {
 public:
  // `token` is sent with every request; empty: no token.
  HttpClient(const boost::asio::any_io_executor& executor, const Endpoint& where,
             std::string token = {});

  [[nodiscard]] boost::asio::awaitable<Result<void>> connect(std::chrono::milliseconds limit);

  // Sends a request. Connects first if the connection is closed.
  [[nodiscard]] boost::asio::awaitable<Result<HttpReply>> request(std::string method,
                                                                  std::string target,
                                                                  std::string body,
                                                                  std::chrono::milliseconds limit);

  [[nodiscard]] bool connected() const { return client_->connected(); }

 private:
  std::unique_ptr<net::HttpClient> client_;  // behind a pointer, so HttpClient can be moved
  std::string token_;
};

}  // namespace fixkeep::client_sim
