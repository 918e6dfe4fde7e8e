#include "common/config/sections.hpp"

#include <fmt/format.h>

#include "common/config/address.hpp"
#include "common/process/folder.hpp"

namespace fixkeep::config {

void check_log_file(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"log.file"})) return;
  const auto& file = find(document.root(), "log.file")->get_ref<const std::string&>();
  if (file.empty()) return;
  const auto why = process::why_no_file(file);
  if (!why.empty()) check.report("log.file", "cannot be written to: " + why);
}

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

TimeLimits read_time_limits(const Document& document, Problems& problems) {
  constexpr std::string_view round_trip_key = "network.round_trip_ms";
  CrossCheck check{document, problems};
  std::int64_t round_trip = 0;
  if (check.can_judge({round_trip_key})) round_trip = check.number(round_trip_key);
  time_limits::Chosen chosen;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto& key = time_limits::choices[i].key;
    if (check.can_judge({key})) chosen[i] = TimeLimits::Time{check.number(key)};
  }
  const auto too_short = [&](const time_limits::Choice& choice, TimeLimits::Time least) {
    const std::string key{choice.key};
    check.report(key, fmt::format("must be at least {} (network.round_trip_ms is {}), is {}: {}; "
                                  "leave it out, or raise it",
                                  least.count(), round_trip, check.number(key), choice.because));
  };
  return time_limits::decide(TimeLimits::Time{round_trip}, chosen, too_short);
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
