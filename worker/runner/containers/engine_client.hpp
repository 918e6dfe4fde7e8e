// Sends many parallel requests to a container engine, over its socket on this machine.
//
// The version of the API is agreed before the first request. It is agreed again after a lost
// answer: a different engine may have been started. An engine with a dialect has no versions. For
// thread rule, lifetime, bounds, fault model and errors see common/net/http/pool.hpp. A request's
// limit excludes the time to agree the version, which is at most `version_limit`. An answer has at
// most `most_answer` bytes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "common/net/http/pool.hpp"
#include "worker/runner/containers/dialect.hpp"

namespace fixkeep::worker::containers {

class EngineClient {
 public:
  static constexpr std::size_t most_answer = 32U << 20U;
  static constexpr std::chrono::seconds version_limit{5};

  using Answer = net::HttpPool::Answer;
  using Done = net::HttpPool::Done;
  using Stream = net::HttpPool::Stream;

  EngineClient(boost::asio::io_context& context, EnginePlace place);
  ~EngineClient();
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;

  [[nodiscard]] const Dialect& dialect() const;
  // Adds the version to the target.
  void ask(net::HttpCall call, std::chrono::milliseconds limit, Done done);
  void stream(net::HttpCall call, std::chrono::milliseconds limit, std::chrono::milliseconds each,
              Stream handlers);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Sends a request without an event loop of the caller, and waits for the answer. A worker uses this
// when it starts or ends.
[[nodiscard]] EngineClient::Answer ask_engine_and_wait(const EnginePlace& place, net::HttpCall call,
                                                       std::chrono::milliseconds limit);

// Repeats ask_engine_and_wait() until the engine answers or the time `patience` is over: the engine
// may be busy or starting.
[[nodiscard]] EngineClient::Answer ask_engine_patiently(
    const EnginePlace& place, const net::HttpCall& call, std::chrono::milliseconds limit,
    std::chrono::milliseconds patience = std::chrono::seconds{15});

}  // namespace fixkeep::worker::containers
