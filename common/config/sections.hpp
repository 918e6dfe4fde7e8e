// Checks and settings that masters and workers share.
//
// take_limits() is a template, so this library includes no header from net, where the options are
// defined.
// Thread rule: free functions without state.
#pragma once

#include "common/base/time_limits.hpp"
#include "common/config/loader.hpp"

namespace fixkeep::config {

// Reports each entry of `list` with a repeated `member`, as "modes[3].name: must be unique, is
// "duel" as in modes[0]".
void check_unique(const Document& document, std::string_view list, std::string_view member,
                  Problems& problems);

// Derives the limits from network.round_trip_ms and from the choices of time_limits.hpp in
// `document`. Reports each unsafe choice with the change to make.
[[nodiscard]] TimeLimits read_time_limits(const Document& document, Problems& problems);

// Reports each `list`[i].address ("host:port") whose port cannot be dialled.
void check_addresses(const Document& document, std::string_view list, Problems& problems);

// Reports a problem if this machine cannot write log.file. Creates nothing.
void check_log_file(const Document& document, Problems& problems);

// A check that compares several keys. Call can_judge() for these keys before the comparison.
class CrossCheck {
 public:
  CrossCheck(const Document& document, Problems& problems)
      : document_(document), problems_(problems) {}

  // True if every key is present and has no problem.
  [[nodiscard]] bool can_judge(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] std::int64_t number(std::string_view key) const;
  void report(const std::string& key, std::string message);

 private:
  const Document& document_;
  Problems& problems_;
};

void take_limits(const TimeLimits& limits, auto& links) {
  links.heartbeat_timeout = limits.heartbeat_timeout;
  links.handshake_timeout = limits.handshake;
}

}  // namespace fixkeep::config
