// A running master: the core, its links, its HTTP endpoint and its timer on one thread. A second
// thread makes the pages for clients that only look (master/http/view/desk.hpp).
//
// The loop: handlers of sockets only put events in the inbox. Once all ready data has been read the
// inbox is stepped through the core in one go. The actions of each event are performed before the
// next one is stepped. They use the links as they were at that event (common/node/known_links.hpp).
// Batches are natural: messages that arrived together are answered together because sending only
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
  // Null if it cannot listen on an address. `failure` tells it then.
  [[nodiscard]] static std::unique_ptr<Server> start(boost::asio::io_context& context,
                                                     Settings settings,
                                                     node::StartFailure& failure);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Says at /readyz that it ends and serves on for http.stop_delay_ms, or until asked again. Then
  // calls `ended`, refuses waiting requests and tells the peers. Lets the io_context run out of
  // work.
  void stop(std::function<void()> ended);

  // The reason against a change of the list of masters to the new settings' list now, or null.
  [[nodiscard]] std::optional<lock::ListRefusal> list_refusal(const Settings& read) const;
  // New links and connections of clients use the certificates of `read`. Its list of masters
  // counts. REQUIRES: list_refusal() is null.
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
