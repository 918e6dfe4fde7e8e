// Operators' calls that only a worker can answer: the call and its answer use the worker's link.
//
// Thread rule: the master's thread. Bounds: at most `calls_most` calls at the same time, each for
// at most `patience`.
// Errors: 503 worker-away (no link, or the link broke before the answer) and too-many-calls, 504
// worker-silent. The worker's answer is forwarded.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "common/base/ids.hpp"
#include "common/net/http/server.hpp"
#include "common/wire/operator_calls.hpp"

namespace fixkeep::master {

struct WorkerCallOptions {
  std::size_t calls_most = 64;
  std::chrono::milliseconds patience{5'000};
};

class WorkerCalls : public std::enable_shared_from_this<WorkerCalls> {
 public:
  // Returns false if the worker has no link.
  using Send = std::function<bool(const WorkerId& worker, wire::OperatorCall&& call)>;

  static std::shared_ptr<WorkerCalls> start(boost::asio::io_context& context, Send send,
                                            WorkerCallOptions options = {});
  ~WorkerCalls();  // open calls get no answer
  WorkerCalls(const WorkerCalls&) = delete;
  WorkerCalls& operator=(const WorkerCalls&) = delete;

  // Sends the call with a new number. `responder` gets the answer.
  void ask(const WorkerId& worker, wire::OperatorCall&& call, const net::HttpResponder& responder);

  // An answer without a waiting call is ignored, because it is too late.
  void answered(const WorkerId& worker, wire::OperatorAnswer&& answer);
  void gone(const WorkerId& worker);
  void stop();

 private:
  struct Waiting {
    WorkerId worker;
    net::HttpResponder responder;
    std::chrono::steady_clock::time_point until;
  };

  WorkerCalls(boost::asio::io_context& context, Send send, WorkerCallOptions options);
  void arm();
  void give_up();

  Send send_;
  WorkerCallOptions options_;
  boost::asio::steady_timer timer_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  // ordered by deadline
};

}  // namespace fixkeep::master
