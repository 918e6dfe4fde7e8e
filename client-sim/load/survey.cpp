#include "client-sim/load/survey.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/base/percent.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds question_limit{5000};
constexpr int most_pages = 1000;

// Returns true if `one` shows a later state of the room than `other`.
bool is_later(const RoomRow& one, const RoomRow& other) {
  return std::tuple{one.phase, one.taken()} > std::tuple{other.phase, other.taken()};
}

}  // namespace

std::vector<RoomRow> merge_views(std::vector<std::vector<RoomRow>> views) {
  std::vector<RoomRow> merged;
  std::unordered_map<std::string, std::size_t> places;
  for (auto& view : views) {
    for (auto& row : view) {
      const auto [place, fresh] = places.emplace(row.id, merged.size());
      if (fresh) {
        merged.push_back(std::move(row));
      } else if (is_later(row, merged[place->second])) {
        merged[place->second] = std::move(row);
      }
    }
  }
  return merged;
}

Survey::Survey(const asio::any_io_executor& executor, const std::vector<Endpoint>& masters,
               const std::string& token)
    : executor_(executor) {
  clients_.reserve(masters.size());
  for (const auto& master : masters) clients_.emplace_back(executor, master, token);
}

asio::awaitable<std::optional<std::string>> Survey::get(std::size_t master, std::string target) {
  auto& client = clients_[master];
  const bool reused = client.connected();
  auto reply = co_await client.request("GET", target, {}, question_limit);
  // The master may have just closed the kept connection, because it was idle. The second try uses a
  // new connection.
  if (!reply && reused) reply = co_await client.request("GET", target, {}, question_limit);
  constexpr unsigned ok = 200;
  if (reply && reply->status == ok) co_return std::move(reply->body);
  trouble_ = reply ? "status " + std::to_string(reply->status) : reply.error().message();
  co_return std::nullopt;
}

asio::awaitable<bool> Survey::ready(std::size_t master) {
  const auto body = co_await get(master, "/readyz");
  co_return body.has_value();
}

asio::awaitable<std::optional<std::vector<RoomRow>>> Survey::rooms(std::size_t master) {
  auto rows = co_await all_rooms(master);
  if (rows) std::erase_if(*rows, [](const RoomRow& row) { return row.group.empty(); });
  co_return rows;
}

asio::awaitable<std::size_t> Survey::open_warm_rooms(std::size_t master) {
  const auto rows = co_await all_rooms(master);
  if (!rows) co_return 0;
  co_return static_cast<std::size_t>(std::count_if(
      rows->begin(), rows->end(),
      [](const RoomRow& row) { return row.group.empty() && row.phase == Phase::open; }));
}

asio::awaitable<std::optional<std::vector<RoomRow>>> Survey::all_rooms(std::size_t master) {
  std::vector<RoomRow> rows;
  std::string cursor;
  for (int pages = 0; pages < most_pages; ++pages) {
    std::string target = "/v1/rooms?limit=1000";
    if (!cursor.empty()) {  // a cursor can contain any characters
      target += "&after=";
      append_percent_encoded(cursor, "-_.~", target);
    }
    const auto body = co_await get(master, std::move(target));
    if (!body) co_return std::nullopt;
    auto page = parse_rooms(*body);
    if (!page) co_return std::nullopt;
    std::move(page->rooms.begin(), page->rooms.end(), std::back_inserter(rows));
    if (page->next.empty()) co_return rows;
    cursor = std::move(page->next);
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::vector<RoomRow>>> Survey::rooms_of_all() {
  std::vector<std::vector<RoomRow>> views;
  std::size_t waited_for = clients_.size();
  asio::steady_timer all_are_back{executor_, asio::steady_timer::time_point::max()};
  const auto ask = [&](std::size_t master) -> asio::awaitable<void> {
    auto view = co_await rooms(master);
    if (view) views.push_back(std::move(*view));
    if (--waited_for == 0) all_are_back.cancel();
  };
  for (std::size_t master = 0; master < clients_.size(); ++master) {
    asio::co_spawn(executor_, ask(master), net::rethrow);
  }
  if (waited_for > 0) co_await all_are_back.async_wait(net::use_tuple);
  if (views.empty()) co_return std::nullopt;
  co_return merge_views(std::move(views));
}

asio::awaitable<std::optional<std::vector<WorkerRow>>> Survey::workers(std::size_t master) {
  const auto body = co_await get(master, "/v1/workers");
  if (!body) co_return std::nullopt;
  co_return parse_workers(*body);
}

asio::awaitable<std::optional<LockReport>> Survey::locks(std::size_t master) {
  const auto body = co_await get(master, "/v1/locks");
  if (!body) co_return std::nullopt;
  co_return parse_locks(*body);
}

}  // namespace fixkeep::client_sim
