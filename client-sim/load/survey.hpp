// Reads the state of a cluster, whole pages at a time, through the masters' listeners for
// operators.
//
// Thread rule: one io_context with one thread; one request at a time to each master.
// Bounds: every request has a time limit; at most 1 000 pages of rooms.
// Errors: no value if the master does not answer or its answer is malformed.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/http_client.hpp"

namespace fixkeep::client_sim {

// Merges the lists of several masters. The result has every room that is in any list, because a
// restarted master may know only a few rooms. If several lists have the room, uses the row with the
// latest phase; if the phases are equal, the row with the most taken seats.
[[nodiscard]] std::vector<RoomRow> merge_views(std::vector<std::vector<RoomRow>> views);

class Survey {
 public:
  Survey(const boost::asio::any_io_executor& executor, const std::vector<Endpoint>& masters,
         const std::string& token = {});

  [[nodiscard]] std::size_t masters() const { return clients_.size(); }
  // Reason of the last failed request.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  [[nodiscard]] boost::asio::awaitable<bool> ready(std::size_t master);
  // Lists the rooms that have a group; warm rooms are left out.
  [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<RoomRow>>> rooms(
      std::size_t master);
  // Returns the number of open rooms without a group; 0 if the master does not answer.
  [[nodiscard]] boost::asio::awaitable<std::size_t> open_warm_rooms(std::size_t master);
  // Asks all masters concurrently and merges their answers. No value: no master answered.
  [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<RoomRow>>> rooms_of_all();
  [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<WorkerRow>>> workers(
      std::size_t master);
  [[nodiscard]] boost::asio::awaitable<std::optional<LockReport>> locks(std::size_t master);

 private:
  boost::asio::awaitable<std::optional<std::vector<RoomRow>>> all_rooms(std::size_t master);
  boost::asio::awaitable<std::optional<std::string>> get(std::size_t master, std::string target);

  boost::asio::any_io_executor executor_;
  std::vector<HttpClient> clients_;
  std::string trouble_;
};

}  // namespace fixkeep::client_sim
