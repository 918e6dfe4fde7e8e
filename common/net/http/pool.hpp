// Asks one server many things at a time, and listens to answers that have no end.
//
// Each question has an answer or an error within its limit. Connections are kept for the next
// question; renew() has later ones be made otherwise, with another authority of TLS or at another
// place.
//
// Thread rule: that of the io_context; handlers are called from it, never from within a call.
// Lifetime: the object may go at any time; no handler is called any more then, and what was not
// sent is not sent. Bounds: `connections` questions at a time, others wait in a queue that has one
// for each call of ask(); one connection more for each stream, which is read no faster than
// about 1.6 MB a second. Of an answer those of the options. Fault model: the server hangs, is
// restarted, or is none. Errors: those of common/net/http/client.hpp; in words.
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
    unsigned status = 0;      // of HTTP; 0: it was lost
    std::string body;         // of status 0: why
    std::string retry_after;  // as it stands
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

  // `piece` is given what comes of a good answer, and says whether it wants more; `done` comes
  // once, with the status, and where that is none of 2xx with the beginning of the body.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // The first limit is for its beginning, the second for each piece.
  void stream(HttpCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
