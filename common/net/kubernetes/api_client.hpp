// Sends many requests to a Kubernetes API server in parallel.
//
// Before a call, the files of an access are read again if the last read was a minute ago, or five
// seconds ago and the server has rejected our credentials since then. Tokens of service accounts
// expire after an hour, and authorities change. If files are unreadable, the old values stay in
// use. Thread rule: the io_context's thread. The io_context calls the handlers, but never within a
// call of this class. The client sometimes reads small files of the machine on this thread.
// Lifetime: the object may be destroyed at any time. Then no handler is called any more. Bounds: as
// in common/net/http/pool.hpp; an answer has at most `most_answer` bytes. Fault model: the server
// hangs, restarts or is missing. Errors: an answer with status 0 and a reason in words; judge()
// interprets other statuses.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "common/net/kubernetes/access.hpp"
#include "common/net/kubernetes/core/api_call.hpp"

namespace fixkeep::kubernetes {

class ApiClient {
 public:
  static constexpr std::chrono::seconds read_again_every{60};
  static constexpr std::chrono::seconds read_again_when_refused{5};
  static constexpr std::size_t most_answer = 64U << 20U;

  using Done = std::function<void(const ApiAnswer& answer)>;
  // The client, or a text with the reason: a file is unreadable or invalid.
  using Made = std::variant<std::unique_ptr<ApiClient>, std::string>;
  [[nodiscard]] static Made make(boost::asio::io_context& context, const Access& access);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // The limit starts when the call leaves the queue.
  void ask(ApiCall call, std::chrono::milliseconds limit, Done done);

  // Reads an answer that has no end. `piece` returns true to get more. `done` is called one time.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // `limit` is the time until the answer begins, `each` the time until each next piece.
  void stream(ApiCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  explicit ApiClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// Sends a call outside of any event loop and waits for the answer. A worker uses this function to
// get facts before it starts, and for work that it does before it ends.
[[nodiscard]] ApiAnswer ask_and_wait(const Access& access, ApiCall call,
                                     std::chrono::milliseconds limit);

}  // namespace fixkeep::kubernetes
