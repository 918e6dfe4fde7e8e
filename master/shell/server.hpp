// A running master: the core, its links, its HTTP endpoint and its timer, on one thread. A second
// thread makes the pages for clients that only look (master/http/view/desk.hpp).
//
// The loop: handlers of sockets only put events in the inbox. Once all ready data has been read,
// the inbox is stepped through the core in one go. The actions of each event are performed before
// the next one is stepped, on the links as they were at that event (common/node/known_links.hpp).
// So batches are natural: messages that arrived together are answered together, since sending only
// queues here.
//
// Thread rule: the thread that runs the io_context. Bounds: the links', the HTTP server's and the
// core's. Errors: start() fails if it cannot listen on an address.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "common/node/start.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {

class Server {
 public:
  // Null, and `failure` filled in, if an address cannot be listened on.
  [[nodiscard]] static std::unique_ptr<Server> start(boost::asio::io_context& context,
                                                     Settings settings,
                                                     node::StartFailure& failure);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Says at /readyz that it ends and serves on for http.stop_delay_ms; asked again, no longer. Then
  // calls `ended`, refuses what waits, tells the peers, and lets the io_context run out of work.
  void stop(std::function<void()> ended);

  // Why the list of masters must not change to the new settings' list now; null if it may.
  [[nodiscard]] std::optional<lock::ListRefusal> list_refusal(const Settings& read) const;
  // New links and connections of clients use the certificates of `read`, and its list of masters
  // counts. REQUIRES: list_refusal() has none.
  void renew(const Settings& read);

  [[nodiscard]] std::uint16_t http_port() const;
  [[nodiscard]] std::uint16_t admin_port() const;  // 0: there is no listener for operators
  [[nodiscard]] std::uint16_t mesh_port() const;

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
