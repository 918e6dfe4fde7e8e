// A running master: the core, its links, its HTTP server and its timer on one thread. A second
// thread makes the read-only pages (master/http/view/desk.hpp).
//
// The loop: handlers of sockets only put events in the inbox. When all ready data has been read,
// the core handles all events of the inbox. The actions of each event are performed before the core
// handles the next event. Actions use the links as they were at their event
// (common/node/known_links.hpp). A message to be sent is only put into a queue. Thus messages that
// arrived together are answered together.
//
// Thread rule: the thread that runs the io_context. Bounds: those of the links, the HTTP server and
// the core. Errors: start() fails if it cannot listen on an address.
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
  // If the master cannot listen on an address, returns null and sets `failure`.
  [[nodiscard]] static std::unique_ptr<Server> start(boost::asio::io_context& context,
                                                     Settings settings,
                                                     node::StartFailure& failure);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Stops the master. First /readyz says that the master is stopping, but the master serves
  // requests for http.stop_delay_ms more, or until the next stop(). Then the master calls `ended`,
  // refuses waiting requests and notifies the peers. The io_context then runs out of work.
  void stop(std::function<void()> ended);

  // Returns the reason why the list of masters cannot change to the list in `read` now; null if the
  // list can change.
  [[nodiscard]] std::optional<lock::ListRefusal> list_refusal(const Settings& read) const;
  // Takes certificates, tokens, keys and the list of masters from `read`. The modes take effect
  // later (links/modes_agreement.hpp). REQUIRES: list_refusal() is null.
  void renew(const Settings& read);

  [[nodiscard]] std::uint16_t http_port() const;
  [[nodiscard]] std::uint16_t admin_port() const;  // 0: no listener for operators
  [[nodiscard]] std::uint16_t mesh_port() const;

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
