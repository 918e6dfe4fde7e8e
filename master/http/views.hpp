// What GET answers: pages over the directory, the links and the locks, as JSON.
//
// Thread rule: the master's thread. Bounds: page_limit rooms a page; the others are bounded by the
// number of nodes, and the locks by lock_limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "master/core/directory.hpp"
#include "master/core/master_core.hpp"

namespace fixkeep::master {

inline constexpr std::size_t page_limit = 1000;
inline constexpr std::size_t lock_limit = 1000;

struct RoomPage {
  std::optional<RoomId> after;  // the last room of the page before
  std::size_t limit = page_limit;
};

[[nodiscard]] std::string rooms_json(const Directory& directory, const RoomPage& page);
[[nodiscard]] std::optional<std::string> room_json(const Directory& directory, const RoomId& room);
[[nodiscard]] std::string workers_json(const Directory& directory);

struct MasterRow {
  MasterId master;
  std::string address;  // of its mesh port
};
[[nodiscard]] std::string masters_json(MasterId self, const std::vector<MasterRow>& configured,
                                       const MasterCore& core);
[[nodiscard]] std::string locks_json(std::string_view strategy, const MasterCore& core,
                                     TimePoint now);

}  // namespace fixkeep::master
