// A LinkHub on a thread of its own: heartbeats go out and come in while the owner's thread works
// for long or waits for a disk.
//
// Events of the links wait for the owner's io_context. It calls the handlers in order for all that
// have arrived. The owner's output goes over in one piece too. A slow owner is not silent.
// Guarantees: LinkHub's as the owner sees them: it may send to a link that has ended and learns it
// afterwards.
// Thread rule: all functions and handlers on the owner's thread. Bounds: `most_arrived` messages
// wait; a link that brings more is closed (Errc::inbox_full). Errors: of start(), LinkHub's.
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
  // Returns when the thread has ended: within its limit after stop() and otherwise at once.
  ~HubThread();
  HubThread(const HubThread&) = delete;
  HubThread& operator=(const HubThread&) = delete;

  // LinkHub has the same functions.
  void dial_only(std::vector<LinkTarget> targets);
  void know(std::vector<std::string> masters);
  void send(Role role, const std::string& name, LinkNumber link, wire::Message message);
  void flush();
  void close(Role role, const std::string& name, LinkNumber link, boost::system::error_code reason);
  void renew(std::shared_ptr<TlsCredentials> tls);
  void stop(std::chrono::milliseconds limit);
  // The values may be a moment old.
  [[nodiscard]] LinkCounters counters() const;

 private:
  class Impl;
  explicit HubThread(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
