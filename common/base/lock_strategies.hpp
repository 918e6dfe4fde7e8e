// The table of all locks, by their name in the configuration (lock.strategy). No other code has
// such a list. any_machine.cpp makes a machine from a name, and engine.cpp makes an engine. A test
// compares docs/locks.md with this table.
// Thread rule: constants.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fixkeep::lock {

enum class Family : std::uint8_t {
  mesh,    // runs in the masters, over their own links
  engine,  // runs in a server: lock.servers
  none,    // no lock: for comparison with the others
};

struct Strategy {
  std::string_view name;
  Family family;
};

inline constexpr auto strategies = std::to_array<Strategy>({
    {"multiphase", Family::mesh},
    {"lamport", Family::mesh},
    {"ricart-agrawala", Family::mesh},
    {"carvalho-roucairol", Family::mesh},
    {"suzuki-kasami", Family::mesh},
    {"naimi-trehel", Family::mesh},
    {"raymond", Family::mesh},
    {"maekawa", Family::mesh},
    {"tree-quorum", Family::mesh},
    {"coordinator", Family::mesh},
    {"two-phase", Family::mesh},
    {"redis", Family::engine},
    {"redlock", Family::engine},
    {"etcd", Family::engine},
    {"zookeeper", Family::engine},
    {"postgres", Family::engine},
    {"kubernetes-lease", Family::engine},
    {"none", Family::none},
});

// Null for an unknown name.
[[nodiscard]] constexpr const Strategy* find_strategy(std::string_view name) {
  for (const Strategy& each : strategies) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// True if the votes of a quorum are the lock: never two holders, even in a split mesh.
[[nodiscard]] constexpr bool has_quorums(std::string_view strategy) {
  return strategy == "maekawa" || strategy == "tree-quorum";
}

// The masters whose consent a lock needs. maekawa: a row and a column of a grid of the masters, or
// any majority. A master uses the grid, as in the paper: fewest messages. tree-quorum: a tree's
// path.
enum class Quorum : std::uint8_t { grid, majority, tree };

[[nodiscard]] constexpr std::string_view to_string(Quorum quorum) {
  switch (quorum) {
    case Quorum::grid: return "grid";
    case Quorum::majority: return "majority";
    case Quorum::tree: return "tree";
  }
  return "?";
}
[[nodiscard]] constexpr std::optional<Quorum> parse_quorum(std::string_view text) {
  if (text == "grid") return Quorum::grid;
  if (text == "majority") return Quorum::majority;
  return {};
}

}  // namespace fixkeep::lock
