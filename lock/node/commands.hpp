// The commands of fixkeep-lock-node, as values: one JSON object per line.
//
//   {"do":"acquire","key":K}                   answered immediately; later "granted" or "lost"
//   {"do":"abandon","key":K}                   gives up waiting
//   {"do":"release","key":K,"bytes":B,"uncertain":false}
//   {"do":"status"}                            every key that this node knows, and its peers
//   {"do":"statistics"}                        counters since the start
//   {"do":"cut","peer":N}                      closes the link and refuses new links
//   {"do":"heal","peer":N}                     ends a cut; without a peer, all cuts
//   {"do":"echo","peer":N,"count":C}           raw round trips of a framed message
//   {"do":"uncontended","key":K,"peer":N,"count":C,"warm_up":W,"blocks":B,
//    "seconds":S}                            after S seconds, no new block begins
//   {"do":"contend","keys":C,"seconds":S,"hold_us":H,"in_flight":F,"seed":X,"at_us":T,"log":FILE}
//   {"do":"quit"}
//
// Any command may have an "id"; its answer or error repeats the "id". `at_us` is a time of the
// machine's monotonic clock, so that several nodes can start at the same time; 0 means now.
// Thread rule: values and a pure function. Bounds: wire/limits.hpp and most_*.
// Errors: a text that names the mistake in the line.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::lock_node {

inline constexpr std::uint32_t most_count = 1'000'000;
inline constexpr std::uint32_t most_keys = 10'000;

struct AcquireKey {
  GroupKey key;
};
struct AbandonKey {
  GroupKey key;
};
struct ReleaseKey {
  GroupKey key;
  std::string bytes;
  bool uncertain = false;
};
struct ShowStatus {};
struct ShowStatistics {};
struct CutPeer {
  MasterId peer;
};
struct HealPeer {
  std::optional<MasterId> peer;  // null: all
};
struct MeasureEcho {
  MasterId peer;
  std::uint32_t count = 1000;
};
struct MeasureUncontended {
  GroupKey key;
  MasterId peer;  // peer for the raw round trips
  std::uint32_t count = 10'000;
  std::uint32_t warm_up = 1000;
  std::uint32_t blocks = 20;
  Duration time{std::chrono::seconds{60}};
};
struct Contend {
  std::uint32_t keys = 1;
  Duration time{};
  Duration hold{};  // 0: released in the next turn of the event loop
  std::uint32_t in_flight = 1;
  std::uint64_t seed = 1;
  TimePoint at{};
  std::string log;  // empty: none. See contend_loop.hpp
};
struct Quit {};

using Command = std::variant<AcquireKey, AbandonKey, ReleaseKey, ShowStatus, ShowStatistics,
                             CutPeer, HealPeer, MeasureEcho, MeasureUncontended, Contend, Quit>;

struct Request {
  Command command;
  std::string name;   // name of the command
  nlohmann::json id;  // null if the command has none
};
struct Mistake {
  std::string text;
  nlohmann::json id;  // null if it could not be read
};

[[nodiscard]] std::variant<Request, Mistake> parse_command(std::string_view line);

}  // namespace fixkeep::lock_node
