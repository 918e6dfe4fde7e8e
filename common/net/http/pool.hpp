// Sends many requests to one server at a time and reads answers without an end.
//
// Each question has an answer or an error within its limit. Connections are kept for the next
// question; renew() changes the TLS authority or the place of later ones.
//
// Thread rule: the io_context's; it calls handlers but never from within a call. Lifetime: the
// object may end at any time. Then no handler is called any more and unsent questions are dropped.
// Bounds: `connections` questions at a time. Others wait in a queue: one for each call of ask().
// One connection more for each stream. A stream is read at no more than about 1.6 MB a second.
// Answers: the bounds of the options. Fault model: the server hangs, restarts or is missing.
// Errors: as in common/net/http/client.hpp; in words.
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
    unsigned status = 0;      // HTTP status; 0: lost
    std::string body;         // reason for status 0
    std::string retry_after;  // text as received
  };
  using Done = std::function<void(const Answer& answer)>;

  HttpPool(boost::asio::io_context& context, HttpClientOptions options);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // The options hold for connections that are made from now on; those that wait for a question are
  // closed.
  void renew(HttpClientOptions options);

  // The limit begins when the question has its turn.
  void ask(HttpCall call, std::chrono::milliseconds limit, Done done);

  // `piece` gets the parts of a good answer and says whether it wants more. `done` is called once
  // with the status. It also gets the beginning of the body if the status is not 2xx.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // The first limit is for its beginning and the second for each piece.
  void stream(HttpCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
