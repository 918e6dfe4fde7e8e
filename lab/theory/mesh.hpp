// Masters with the production LockTable in simulated time: every message takes one flight, and
// nothing fails. It counts the same figures as the papers about locks.
//
// Events at the same time happen in the order of their making. Thread rule: one owner. Bounds: at
// most `lock::limits::masters` masters; one event for each message on its way, request and release.
// Errors: if a run has not ended after `most_events` events, Counts::ended is false.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <string>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "lock/core/lock_table.hpp"

namespace fixkeep::lab_theory {

inline constexpr Duration flight{1000};
inline constexpr std::uint64_t most_events = 50'000'000;

struct Counts {
  std::uint64_t grants = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<double> responses;  // flights between a request and its grant
  std::vector<double> delays;  // flights between a release and the next grant to a waiting master
  std::vector<std::uint64_t> shares;     // grants of each master
  std::uint64_t longest_overtaking = 0;  // grants to other masters during one wait
  bool ended = true;
};

class Mesh {
 public:
  Mesh(const std::string& strategy, std::size_t masters, std::uint64_t seed);

  // One master at a time requests the key, holds it for no time and rests: no contention.
  [[nodiscard]] Counts light(std::uint64_t grants);
  // Every master requests the key again as soon as it has released it.
  [[nodiscard]] Counts heavy(std::uint64_t grants, Duration hold);
  // Requests arrive at random masters as a Poisson process. `mean` is the mean time between two
  // requests; a master serves its own requests one after another.
  [[nodiscard]] Counts poisson(std::uint64_t grants, Duration hold, Duration mean);

 private:
  struct Delivery {
    std::size_t from = 0;
    std::size_t to = 0;
    lock::MeshMessage message;
  };
  struct Request {
    std::size_t master = 0;
  };
  struct Leave {
    std::size_t master = 0;
  };
  using What = std::variant<Delivery, Request, Leave>;
  struct Event {
    TimePoint at;
    std::uint64_t number = 0;
    What what;

    friend bool operator>(const Event& one, const Event& other) {
      return std::tie(one.at, one.number) > std::tie(other.at, other.number);
    }
  };
  struct Master {
    lock::LockTable table;
    std::deque<TimePoint> requests;  // times of requests that wait, the oldest first
    bool asked = false;              // the first request waits in the table
    bool holding = false;
    FencingToken token;
    std::uint64_t overtaken = 0;
  };

  void later(Duration time, What what);
  void perform(std::size_t master, const lock::TableActions& actions);
  void granted(std::size_t master, const lock::KeyGranted& grant);
  void ask(std::size_t master);
  void leave(std::size_t master);
  void step();
  void run_until(std::uint64_t grants);
  void let_arrive();
  void begin();
  [[nodiscard]] Counts finish();
  [[nodiscard]] bool anybody_waits() const;

  std::vector<Master> masters_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Random random_;
  TimePoint now_;
  std::uint64_t numbers_ = 0;
  std::uint64_t steps_ = 0;
  Duration hold_{};
  bool again_ = false;                 // a master requests again after a release
  std::optional<TimePoint> released_;  // a release while another master waited
  std::uint64_t messages_before_ = 0;
  std::uint64_t bytes_before_ = 0;
  Counts counts_;
};

}  // namespace fixkeep::lab_theory
