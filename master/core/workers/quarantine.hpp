// Finds the workers that a master avoids for a while because of misdeeds.
//
//   misdeed            noticed when                                               the worker is
//   silent             it leaves two questions of one kind in a row unanswered,   apart
//                      within `memory`
//   breaks_protocol    immediately                                                apart
//   refuses_promises   it refuses `most_refusals` rounds of one hold in which     apart
//                      other workers promise
//   rooms_never_open   a room is starting for longer than MasterOptions allow     apart
//   refuses_orders     it refuses `most_refusals` orders in a row while it        without orders
//                      reports headroom
//   comes_and_goes     its link breaks `most_breaks` times, each time within      not awaited
//                      `memory` of the last break
//   rooms_fail         rooms of one mode and of `most_failures` groups fail to    without orders
//                      boot, and no room of the mode opens                        for that mode
//
// A worker with a broken link is awaited (orders/out_of_sight.hpp): all its groups wait. Groups do
// not wait for a worker whose link often breaks, because they could wait without end. Such a worker
// still gets orders while it is connected, because it may be the only worker.
//
// Failing rooms are usually the fault of their game or their group. The worker itself pauses such a
// mode or group. Failures count by mode, and each group counts once. A broken mode, or a group that
// requests a missing map, thus does not block other modes and groups. The stay is short, at most
// `longest_failing`.
//
// A worker that is apart is treated like a worker without a link: it gets no questions, and its
// rooms are unknown. A worker without orders keeps its rooms. At the end of the stay the worker is
// used again. A single misdeed is then enough for the next stay. Each stay is twice as long as the
// last, up to `longest`. A worker that was apart must answer sooner than other workers, so groups
// do not wait for it for long.
//
// Fault model: a worker may send anything under its own name. For an honest worker that is slow or
// has a broken game, the first stay lasts one second and costs nothing.
// Thread rule: a value, one owner. Bounds: `most_workers` records: one for each worker, and one for
// each of its failing modes. Beyond this bound the record that ends first is forgotten. Errors:
// none.
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

// The kinds of questions that a worker may leave unanswered.
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
[[nodiscard]] std::string_view to_string(Misdeed misdeed);  // for example "does not answer"
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
    std::uint32_t times = 0;  // number of stays so far, including this stay
    TimePoint until;
    ModeName mode{};  // mode without orders; empty: all modes
  };

  // --- misdeeds. Each function returns the new stay, if any.
  [[nodiscard]] std::optional<Stay> notice(const WorkerId& worker, Misdeed misdeed, TimePoint now,
                                           Asked about = Asked::state);
  [[nodiscard]] std::optional<Stay> room_failed(const WorkerId& worker, const ModeName& mode,
                                                const GroupKey& group, TimePoint now);
  // Call when the worker has answered, started a room or opened a room. Each function clears the
  // count of one misdeed. If that misdeed caused the last stay, the next stay is as short as the
  // first.
  void answered(const WorkerId& worker, Asked what) {
    forgive({worker, {}}, Misdeed::silent, what);
  }
  void started_room(const WorkerId& worker) { forgive({worker, {}}, Misdeed::refuses_orders); }
  void opened_room(const WorkerId& worker, const ModeName& mode) {
    forgive({worker, mode}, Misdeed::rooms_fail);
  }

  // --- state
  [[nodiscard]] bool apart(const WorkerId& worker) const;
  [[nodiscard]] bool without_orders(const WorkerId& worker) const;
  [[nodiscard]] bool comes_and_goes(const WorkerId& worker) const;
  [[nodiscard]] std::vector<ModeName> modes_without_orders(const WorkerId& worker) const;
  // Returns whether the worker was apart lately and must answer sooner.
  [[nodiscard]] bool on_probation(const WorkerId& worker) const;
  [[nodiscard]] std::vector<Stay> stays() const;  // present stays, ordered by name

  // --- time
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): no tick is needed
  // Returns the stays that are over. Forgets workers whose last stay or misdeed was long ago.
  [[nodiscard]] std::vector<Stay> end(TimePoint now);

 private:
  struct Whose {
    WorkerId worker;
    ModeName mode;  // empty: the whole worker
    friend auto operator<=>(const Whose&, const Whose&) = default;
  };
  struct Record {
    std::map<std::pair<Misdeed, Asked>, std::uint32_t> counted;  // misdeeds in a row
    std::set<GroupKey> failed;   // groups of one mode with failed rooms; at most most_failures
    Asked about = Asked::state;  // the kind of question in `stay`
    Stay stay;                   // latest stay; `times` 0: no stay so far
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
