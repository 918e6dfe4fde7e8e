// The settings that POST /settings can change while a race runs:
//
//   {"link_delay_ms":80,"boot_ms":2000,"rate":16,"spread_ms":60,"running":true,"groups":[true,…],
//    "masters":["runs","stopped","killed"],"locks":["none","multiphase"]}
//
// A missing member means no change. "groups" has one value for each group. "masters" has one value
// for each master, which applies to this master in both clusters. New "locks" take effect with the
// next round. Thread rule: values and free functions. Errors: a SettingsMistake that names every
// wrong member. Bounds: the ranges below, also for the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fixkeep::client_sim {

template <class Number>
struct SettingRange {
  Number least;
  Number most;
};

inline constexpr SettingRange<double> link_delay_range{0, 200};  // milliseconds, one-way
inline constexpr SettingRange<std::uint32_t> boot_range{0, 5000};
inline constexpr SettingRange<double> rate_range{1, 100};
inline constexpr SettingRange<std::uint32_t> spread_range{0, 2000};

enum class MasterFate : std::uint8_t {
  runs,
  stopped,  // SIGSTOP
  killed,   // SIGKILL; a later `runs` starts the master again
  cut,      // its messages to other nodes arrive too late
};
[[nodiscard]] std::string_view to_string(MasterFate fate);

struct RaceSettings {
  double link_delay_ms = 20;     // one-way, between any two nodes
  std::uint32_t boot_ms = 800;   // boot time of a game process
  double rate = 16;              // players a second, over all groups
  std::uint32_t spread_ms = 60;  // time in which a group's players send their requests
  bool running = true;           // true: further groups start
  std::vector<bool> groups;      // true: the group takes part
  std::vector<MasterFate> masters;
  std::vector<std::string> locks;  // the left and the right cluster's lock

  friend bool operator==(const RaceSettings&, const RaceSettings&) = default;
};

struct SettingsMistake {
  std::string_view type;   // "invalid-json", "invalid-request"; a literal
  std::string_view title;  // a literal
  std::string detail;
};

// Returns `now` with the changes in `body`.
[[nodiscard]] std::variant<RaceSettings, SettingsMistake> change_settings(const RaceSettings& now,
                                                                          std::string_view body);

}  // namespace fixkeep::client_sim
