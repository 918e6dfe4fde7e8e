#include "common/node/events_page.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace fixkeep::node {
namespace {

std::optional<std::uint64_t> parse_after(std::string_view query) {
  constexpr std::string_view name = "after=";
  if (query.empty()) return 0;
  if (!query.starts_with(name)) return {};
  query.remove_prefix(name.size());
  std::uint64_t after = 0;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), after);
  if (error != std::errc{} || end != query.data() + query.size()) return {};
  return after;
}

}  // namespace

net::HttpAnswer events_page(const events::Journal& journal, std::string_view query) {
  if (!journal.open()) {
    return net::problem(404, "events-not-kept", "No events are kept",
                        "set events.keep in the configuration of this node");
  }
  const auto after = parse_after(query);
  if (!after) {
    return net::problem(400, "invalid-query", "The query is not valid",
                        "use after= and the number in next");
  }
  return {.status = 200, .body = journal.answer(*after)};
}

}  // namespace fixkeep::node
