// A LinkHub on its own thread. Heartbeats are sent and received even while the owner's thread works
// for a long time or waits for a disk.
//
// Events of the links wait for the owner's io_context, which calls the handlers for all arrived
// events in their order. The owner's output is also passed on in batches. A slow owner does not
// look silent to its peers. Guarantees: those of LinkHub, from the owner's view. If the owner sends
// to a link that has already ended, the owner gets on_down afterwards. Thread rule: all functions
// and handlers on the owner's thread. Bounds: at most `most_arrived` messages wait; the link of a
// further message is closed (Errc::inbox_full). Errors of start(): those of LinkHub.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/net/link/hub.hpp"

namespace fixkeep::net {

class HubThread {
 public:
  static constexpr std::size_t most_arrived = 100'000;

  [[nodiscard]] static Result<std::unique_ptr<HubThread>> start(boost::asio::io_context& owner,
                                                                LinkOptions options,
                                                                LinkHandlers handlers);
  // Ends the thread and waits until the thread has ended. After a call of stop() this takes at most
  // the limit of stop(); otherwise the thread ends immediately.
  ~HubThread();
  HubThread(const HubThread&) = delete;
  HubThread& operator=(const HubThread&) = delete;

  // These functions are the same as LinkHub's.
  void dial_only(std::vector<LinkTarget> targets);
  void know(std::vector<std::string> masters);
  void send(Role role, const std::string& name, LinkNumber link, wire::Message message);
  void flush();
  void close(Role role, const std::string& name, LinkNumber link, boost::system::error_code reason);
  void renew(std::shared_ptr<TlsCredentials> tls);
  void stop(std::chrono::milliseconds limit);
  // Returns values that can be a moment old.
  [[nodiscard]] LinkCounters counters() const;

 private:
  class Impl;
  explicit HubThread(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
