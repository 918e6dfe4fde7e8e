// Finds the workers that a master leaves out for a while because they break their word.
//
//   misdeed            when it is noticed                                          the worker is
//   silent             twice running, within `memory`, it leaves a question of     apart
//                      one kind unanswered
//   breaks_protocol    at once                                                     apart
//   refuses_promises   it alone refuses `most_refusals` rounds of one hold         apart
//   rooms_never_open   a room is starting for longer than MasterOptions allow      apart
//   refuses_orders     `most_refusals` orders running, with room left as it says   without orders
//   comes_and_goes     its link breaks `most_breaks` times, each within `memory`    not waited for
//                      of the one before
//   rooms_fail         rooms of one mode and of `most_failures` groups fail to     without orders
//                      boot, and none of the mode opens                            of that mode
//
// A worker with a broken link is awaited (orders/out_of_sight.hpp): all its groups wait. For a
// worker that comes and goes they would wait for ever, so they stop waiting. It gets orders while
// it is here: there may be no other worker.
//
// Failing rooms are first their game's or their group's fault. The worker pauses both by itself.
// Failures count by mode, and each group counts once. A broken mode or a group that asks for a
// missing map does not keep the others from the worker. The time is short, up to `longest_failing`.
//
// A worker that is apart is treated as if it had no link: it is asked nothing and its rooms are
// unknown. A worker without orders goes on with its rooms. At the end of the time it is tried
// again. A single misdeed is then enough for the next time. Each time is twice as long as the one
// before, up to `longest`. A worker that was apart has to answer sooner than others. A group that
// meets it then does not wait for long.
//
// Fault model: a worker says anything under its own name. An honest one that is slow or has a
// broken game is left out for a second at first at no cost.
// Thread rule: a value, one owner. Bounds: `most_workers` records, one a worker and one more for
// each of its failing modes. Beyond that the one that ends first is forgotten. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

// A worker can be silent about any of these.
enum class Asked : std::uint8_t { state, seats, promise, order };

enum class Misdeed : std::uint8_t {
  silent,
  breaks_protocol,
  refuses_promises,
  rooms_never_open,
  refuses_orders,
  comes_and_goes,
  rooms_fail,
};
inline constexpr Misdeed last_misdeed = Misdeed::rooms_fail;
[[nodiscard]] std::string_view to_string(Misdeed misdeed);  // "does not answer"
[[nodiscard]] constexpr bool keeps_apart(Misdeed misdeed) {
  return misdeed < Misdeed::refuses_orders;
}
[[nodiscard]] constexpr std::string_view what_it_gets(Misdeed misdeed) {
  if (misdeed == Misdeed::comes_and_goes) return "no patience";
  return keeps_apart(misdeed) ? "nothing" : "no orders";
}

class Quarantine {
 public:
  static constexpr std::size_t most_workers = 1024;
  static constexpr Duration first{std::chrono::seconds{1}};
  static constexpr Duration longest{std::chrono::seconds{30}};
  static constexpr Duration longest_failing{std::chrono::seconds{8}};
  static constexpr Duration memory{std::chrono::seconds{60}};
  static constexpr std::uint32_t most_refusals = 4;
  static constexpr std::uint32_t most_breaks = 4;
  static constexpr std::size_t most_failures = 8;

  struct Stay {
    WorkerId worker;
    Misdeed misdeed = Misdeed::silent;
    std::uint32_t times = 0;  // number of its stays, with this one
    TimePoint until;
    ModeName mode{};  // mode without orders; empty: all modes
  };

  // --- what was noticed; the stay that comes of it, if any
  [[nodiscard]] std::optional<Stay> notice(const WorkerId& worker, Misdeed misdeed, TimePoint now,
                                           Asked about = Asked::state);
  [[nodiscard]] std::optional<Stay> room_failed(const WorkerId& worker, const ModeName& mode,
                                                const GroupKey& group, TimePoint now);
  // It has answered or started a room, or one of its rooms has opened. The running counts and the
  // length of its stays begin anew.
  void answered(const WorkerId& worker, Asked what) {
    forgive({worker, {}}, Misdeed::silent, what);
  }
  void started_room(const WorkerId& worker) { forgive({worker, {}}, Misdeed::refuses_orders); }
  void opened_room(const WorkerId& worker, const ModeName& mode) {
    forgive({worker, mode}, Misdeed::rooms_fail);
  }

  // --- looking
  [[nodiscard]] bool apart(const WorkerId& worker) const;
  [[nodiscard]] bool without_orders(const WorkerId& worker) const;
  [[nodiscard]] bool comes_and_goes(const WorkerId& worker) const;
  [[nodiscard]] std::vector<ModeName> modes_without_orders(const WorkerId& worker) const;
  // It was apart lately: it is to answer sooner.
  [[nodiscard]] bool on_probation(const WorkerId& worker) const;
  [[nodiscard]] std::vector<Stay> stays() const;  // present stays, ordered by name

  // --- time
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if there is nothing
  // Returns the stays that are over. Forgets the workers that have behaved since.
  [[nodiscard]] std::vector<Stay> end(TimePoint now);

 private:
  struct Whose {
    WorkerId worker;
    ModeName mode;  // empty: the worker as a whole
    friend auto operator<=>(const Whose&, const Whose&) = default;
  };
  struct Record {
    std::map<std::pair<Misdeed, Asked>, std::uint32_t> counted;  // running, while no stay lasts
    std::set<GroupKey> failed;   // the same, of a mode; most_failures at most
    Asked about = Asked::state;  // subject of `stay`
    Stay stay;                   // the latest; `times` is 0 if there was none
    bool lasts = false;
    TimePoint forgotten_at;
  };

  [[nodiscard]] static std::uint32_t most(Misdeed misdeed);
  void forgive(const Whose& whose, Misdeed misdeed, Asked about = Asked::state);
  Record& record_of(const Whose& whose);
  Stay begin(Record& record, const Whose& whose, Misdeed misdeed, TimePoint now);

  std::map<Whose, Record> records_;
};

}  // namespace fixkeep::master
