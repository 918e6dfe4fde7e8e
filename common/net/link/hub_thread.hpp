// A LinkHub on its own thread. Heartbeats are sent and received even while the owner's thread works
// for a long time or waits for a disk.
//
// Events of the links wait for the owner's io_context, which calls the handlers in order for all
// arrived events. The owner's output is also passed on in batches. A slow owner does not look
// silent to its peers. Guarantees: LinkHub's, as the owner sees them: the owner may send to a link
// that has already ended, and gets on_down afterwards. Thread rule: all functions and handlers on
// the owner's thread. Bounds: at most `most_arrived` messages wait; the link of a further message
// is closed (Errc::inbox_full). Errors of start(): LinkHub's.
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
  // Ends the thread and waits for its end: immediately, or after stop() at most for the limit of
  // stop().
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
  // Returns values that may be a moment old.
  [[nodiscard]] LinkCounters counters() const;

 private:
  class Impl;
  explicit HubThread(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
