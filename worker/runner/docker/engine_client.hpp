// Asks a Docker engine, over the socket of this machine that it listens at, many things at a time.
//
// Each question has an answer or an error within its limit. The version of the API is agreed on
// before the first one, and again after an answer was lost: what has been restarted may be another
// engine.
//
// Thread rule: that of the io_context; handlers are called from it, never from within a call.
// Lifetime: the object may go at any time; no handler is called any more then. Bounds:
// `connections` questions at a time, others wait in a queue that has one for each call of ask();
// one connection more for each stream, which is read no faster than about 1.6 MB a second. An
// answer has at most `most_answer` bytes. Fault model: the engine hangs, is restarted, or is none.
// Errors: those of common/net/http/client.hpp; in words.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "common/net/http/client.hpp"

namespace fixkeep::worker::docker {

class EngineClient {
 public:
  static constexpr std::size_t connections = 8;
  static constexpr std::size_t most_answer = 32U << 20U;

  struct Answer {
    unsigned status = 0;  // of HTTP; 0: it was lost
    std::string body;     // of status 0: why
  };
  using Done = std::function<void(const Answer& answer)>;

  EngineClient(boost::asio::io_context& context, std::string socket);
  ~EngineClient();
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;

  // The target is without the version. The limit begins when the question has its turn.
  void ask(net::HttpCall call, std::chrono::milliseconds limit, Done done);

  // An answer without an end. `piece` is given what comes, and says whether it wants more; `done`
  // comes once, with the status, and where that is not 200 with the beginning of the body.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // The first limit is for its beginning, the second for each piece.
  void stream(net::HttpCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Asks outside of any event loop, and waits for the answer: for what must be known before a worker
// begins, and done before it ends.
[[nodiscard]] EngineClient::Answer ask_engine_and_wait(const std::string& socket,
                                                       net::HttpCall call,
                                                       std::chrono::milliseconds limit);

}  // namespace fixkeep::worker::docker
