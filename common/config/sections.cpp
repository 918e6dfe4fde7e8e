#include "common/config/sections.hpp"

#include <fmt/format.h>

#include "common/config/address.hpp"

namespace fixkeep::config {

bool CrossCheck::can_judge(std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys) {
    if (find(document_.root(), key) == nullptr || !sound(problems_, key)) return false;
  }
  return true;
}

std::int64_t CrossCheck::number(std::string_view key) const {
  return find(document_.root(), key)->get<std::int64_t>();
}

void CrossCheck::report(const std::string& key, std::string message) {
  problems_.push_back(document_.problem(key, std::move(message)));
}

void check_unique(const Document& document, std::string_view list, std::string_view member,
                  Problems& problems) {
  const Json* entries = find(document.root(), list);
  if (entries == nullptr || !entries->is_array()) return;
  std::map<Json, std::string> seen;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string entry = entry_key(std::string{list}, i);
    const std::string key = member_key(entry, member);
    const Json* value = find(document.root(), key);
    if (value == nullptr || !sound(problems, key)) continue;
    const auto [first, fresh] = seen.emplace(*value, entry);
    if (fresh) continue;
    problems.push_back(
        document.problem(key, "must be unique, is " + value->dump() + " as in " + first->second));
  }
}

void check_links(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (check.can_judge({"mesh.heartbeat_ms", "mesh.heartbeat_timeout_ms"})) {
    const auto interval = check.number("mesh.heartbeat_ms");
    const auto timeout = check.number("mesh.heartbeat_timeout_ms");
    if (timeout <= 2 * interval) {
      check.report(
          "mesh.heartbeat_timeout_ms",
          fmt::format("must be more than twice mesh.heartbeat_ms ({}), is {}", interval, timeout));
    }
  }
  if (check.can_judge({"mesh.reconnect_first_ms", "mesh.reconnect_most_ms"})) {
    const auto first = check.number("mesh.reconnect_first_ms");
    const auto most = check.number("mesh.reconnect_most_ms");
    if (most < first) {
      check.report(
          "mesh.reconnect_most_ms",
          fmt::format("must be at least mesh.reconnect_first_ms ({}), is {}", first, most));
    }
  }
}

void check_addresses(const Document& document, std::string_view list, Problems& problems) {
  const Json* entries = find(document.root(), list);
  if (entries == nullptr || !entries->is_array()) return;
  CrossCheck check{document, problems};
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string key = entry_key(std::string{list}, i) + ".address";
    if (!check.can_judge({key})) continue;
    const auto& text = find(document.root(), key)->get_ref<const std::string&>();
    const auto address = parse_address(text);
    if (address && address->port != 0) continue;
    check.report(key, "must have a port between 1 and 65535, is \"" + text + "\"");
  }
}

}  // namespace fixkeep::config
