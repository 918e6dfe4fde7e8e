#include "client-sim/load/event_reader.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "common/events/event_json.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;

namespace {

using nlohmann::json;

constexpr std::chrono::seconds node_limit{10};

}  // namespace

std::uint64_t take_events(const std::string& body, std::uint64_t after, const std::string& where,
                          EventsRead& read) {
  const json page = json::parse(body, nullptr, false);
  const bool good = page.is_object() && page.contains("events") && page["events"].is_array() &&
                    page.contains("node") && page["node"].is_string() && page.contains("next") &&
                    page["next"].is_number_unsigned() && page.contains("missed") &&
                    page["missed"].is_number_unsigned();
  if (!good) {
    read.failure = where + " has told no events";
    return after;
  }
  const auto node = page["node"].get<std::string>();
  if (const auto missed = page["missed"].get<std::uint64_t>(); missed > 0) {
    read.failure = fmt::format("{} events of {} are gone; raise events.keep", missed, node);
    return after;
  }
  for (const json& line : page["events"]) {
    if (auto event = events::parse_event(line, node)) read.events.push_back(std::move(*event));
  }
  return page["next"].get<std::uint64_t>();
}

namespace {

asio::awaitable<void> read_node(asio::any_io_executor executor, Endpoint node, EventsRead& read) {
  const auto where = to_string(node);
  HttpClient client{executor, node};
  for (std::uint64_t after = 0;;) {
    const auto reply =
        co_await client.request("GET", fmt::format("/v1/events?after={}", after), {}, node_limit);
    if (!reply || reply->status != 200) {
      read.failure = where + " does not tell its events";
      co_return;
    }
    const auto next = take_events(reply->body, after, where, read);
    if (!read.failure.empty() || next <= after) co_return;
    after = next;
  }
}

asio::awaitable<void> read_all(asio::any_io_executor executor, const std::vector<Endpoint>& nodes,
                               EventsRead& read) {
  for (const auto& node : nodes) {
    if (read.failure.empty()) co_await read_node(executor, node, read);
  }
}

}  // namespace

EventsRead read_events(const std::vector<Endpoint>& nodes) {
  EventsRead read;
  asio::io_context context{1};
  asio::co_spawn(context, read_all(context.get_executor(), nodes, read), net::rethrow);
  context.run_for(node_limit * nodes.size());
  return read;
}

}  // namespace fixkeep::client_sim
