// Sends many requests to one server in parallel, and reads answers that have no end.
//
// Each request gets an answer or an error within its limit. Connections are kept for the next
// request. renew() changes the TLS authority or the address of later connections.
//
// Thread rule: the io_context's thread. The io_context calls the handlers, but never within a call
// of this class. Lifetime: the object may be destroyed at any time. Then no handler is called any
// more, and unsent requests are dropped. Bounds: at most `connections` requests run at a time.
// Further requests wait in a queue, which has no limit. Each stream has an additional connection of
// its own, and reads at most about 1.6 MB a second. The options bound the answers. Fault model: the
// server hangs, restarts or is missing. Errors: those of common/net/http/client.hpp, in words.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "common/net/http/client.hpp"

namespace fixkeep::net {

class HttpPool {
 public:
  static constexpr std::size_t connections = 8;

  struct Answer {
    unsigned status = 0;      // HTTP status; 0: no answer
    std::string body;         // the reason if `status` is 0
    std::string retry_after;  // as received
  };
  using Done = std::function<void(const Answer& answer)>;

  HttpPool(boost::asio::io_context& context, HttpClientOptions options);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // Uses the options for connections that are made from now on. Closes idle connections.
  void renew(HttpClientOptions options);

  // The limit starts when the request leaves the queue.
  void ask(HttpCall call, std::chrono::milliseconds limit, Done done);

  // `piece` gets the parts of a 2xx answer and returns true to get more. `done` is called one time
  // with the status. If the status is not 2xx, `done` also gets the beginning of the body.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // `limit` is the time until the answer begins, `each` the time until each next piece.
  void stream(HttpCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
