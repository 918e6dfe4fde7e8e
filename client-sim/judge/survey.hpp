// Looks at a cluster through the HTTP endpoints of its masters, in whole pages.
//
// Thread rule: one io_context, one thread; one question at a time to each master.
// Bounds: every question ends by a time limit; at most 1 000 pages of rooms.
// Errors: no value if the master does not answer, or with something else than was promised.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/http_client.hpp"

namespace fixkeep::client_sim {

class Survey {
 public:
  Survey(const boost::asio::any_io_executor& executor,
         const std::vector<boost::asio::ip::tcp::endpoint>& masters);

  [[nodiscard]] std::size_t masters() const { return clients_.size(); }

  [[nodiscard]] boost::asio::awaitable<bool> ready(std::size_t master);
  [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<RoomRow>>> rooms(
      std::size_t master);
  [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<WorkerRow>>> workers(
      std::size_t master);
  [[nodiscard]] boost::asio::awaitable<std::optional<LockReport>> locks(std::size_t master);

 private:
  boost::asio::awaitable<std::optional<std::string>> get(std::size_t master, std::string target);

  std::vector<HttpClient> clients_;
};

}  // namespace fixkeep::client_sim
