// Sends many requests to a Kubernetes API server at a time.
//
// The files of an access are read again each minute and after an answer that rejects our
// credentials: tokens of service accounts end after an hour and authorities change. Unreadable
// files leave the old values.
//
// Thread rule: the io_context's; it calls handlers but never from within a call. It reads small
// files of the machine now and then. Lifetime: the object may end at any time. Then no handler is
// called any more. Bounds: as in common/net/http/pool.hpp; an answer has at most `most_answer`
// bytes. Fault model: the server hangs, restarts or is missing. Errors: an answer of the status 0
// in words; judge() interprets the others.
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
  // Null with a text as the reason: a file is unreadable or invalid.
  using Made = std::variant<std::unique_ptr<ApiClient>, std::string>;
  [[nodiscard]] static Made make(boost::asio::io_context& context, const Access& access);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // The limit begins when the call has its turn.
  void ask(ApiCall call, std::chrono::milliseconds limit, Done done);

  // An answer without an end. `piece` says whether it wants more; `done` comes once.
  struct Stream {
    std::function<void()> opened = {};
    std::function<bool(const std::string& piece)> piece;
    Done done;
  };
  // The first limit is for its beginning and the second for each piece.
  void stream(ApiCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  explicit ApiClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// Asks outside of any event loop and waits for the answer: for facts that a worker needs before it
// begins and for its work before it ends.
[[nodiscard]] ApiAnswer ask_and_wait(const Access& access, ApiCall call,
                                     std::chrono::milliseconds limit);

}  // namespace fixkeep::kubernetes
