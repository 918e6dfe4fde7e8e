#include "client-sim/judge/stages.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace fixkeep::client_sim {
namespace {

using events::Event;
using events::EventTime;

struct Span {
  EventTime from;
  EventTime to = EventTime::max();  // maximum: the span has not ended
};

struct RoomAsked {
  Span span;
  std::string room;  // room id
};

struct Room {
  std::optional<EventTime> started;
  std::optional<EventTime> opened;
  GroupKey group;
  CreationId creation;
};

struct Ordered {
  std::string master;
  EventTime at;
  std::size_t claims = 0;  // claims not yet assigned to a match
};

// One master's waits for the lock, its fences and its seat requests, for one group.
struct Doing {
  std::vector<Span> locks;
  std::vector<Span> fences;
  std::vector<RoomAsked> asks;
};

struct Match {
  std::string master;
  GroupKey group;
  EventTime asked;
  EventTime answered;
  std::string room;
};

double ms_between(EventTime from, EventTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

// Takes the times in `spans` out of `left`. Adds their length in ms to `covered`, and returns the
// remaining pieces of `left`.
std::vector<Span> subtract(const std::vector<Span>& left, const std::vector<Span>& spans,
                           double& covered) {
  std::vector<Span> rest = left;
  for (const Span& span : spans) {
    std::vector<Span> next;
    for (const Span& piece : rest) {
      const Span both{std::max(piece.from, span.from), std::min(piece.to, span.to)};
      if (both.from >= both.to) {
        next.push_back(piece);
        continue;
      }
      covered += ms_between(both.from, both.to);
      if (piece.from < both.from) next.push_back({piece.from, both.from});
      if (both.to < piece.to) next.push_back({both.to, piece.to});
    }
    rest = std::move(next);
  }
  return rest;
}

class MatchTimes {
 public:
  void read(const std::vector<Event>& seen) {
    for (const Event& event : seen) {
      std::visit([&](const auto& what) { on(event, what); }, event.what);
    }
  }

  StageTimes sum_up() {
    StageTimes times;
    std::stable_sort(matches_.begin(), matches_.end(),
                     [](const Match& a, const Match& b) { return a.asked < b.asked; });
    for (const Match& match : matches_) add(match, times);
    times.matches = matches_.size();
    if (times.matches == 0) return times;
    for (double& ms : times.ms) ms /= static_cast<double>(times.matches);
    return times;
  }

 private:
  using Asked = std::tuple<std::string, WorkerId, std::uint64_t>;  // master, worker, request

  void on(const Event&, const auto&) {}

  Doing& doing(const Event& event, const GroupKey& group) { return doing_[{event.node, group}]; }
  static void end(std::vector<Span>& spans, EventTime at) {
    if (!spans.empty() && spans.back().to == EventTime::max()) spans.back().to = at;
  }

  void on(const Event& event, const events::MatchAsked& what) {
    waiting_[{event.node, what.ticket}] = {event.node, what.group, event.at, {}, {}};
  }
  void on(const Event& event, const events::MatchAnswered& what) {
    auto match = waiting_.extract({event.node, what.ticket});
    if (match.empty() || what.room.empty()) return;
    match.mapped().answered = event.at;
    match.mapped().room = what.room;
    matches_.push_back(std::move(match.mapped()));
  }
  void on(const Event& event, const events::LockWanted& what) {
    doing(event, what.group).locks.push_back({event.at});
  }
  void on(const Event& event, const events::LockGranted& what) {
    end(doing(event, what.group).locks, event.at);
  }
  void on(const Event& event, const events::LockLeft& what) {
    end(doing(event, what.group).locks, event.at);
    end(doing(event, what.group).fences, event.at);
  }
  void on(const Event& event, const events::FenceAsked& what) {
    auto& fences = doing(event, what.group).fences;
    if (fences.empty() || fences.back().from != event.at) fences.push_back({event.at});
    fence_of_[{event.node, what.worker, what.request}] = {what.group, fences.size() - 1};
  }
  // The fence ends with its last answer, so a later answer replaces the end that an earlier answer
  // set.
  void on(const Event& event, const events::FenceAnswered& what) {
    const auto fence = fence_of_.find({event.node, what.worker, what.request});
    if (fence == fence_of_.end()) return;
    const auto& [group, index] = fence->second;
    Span& span = doing(event, group).fences.at(index);
    if (span.to == EventTime::max() || span.to < event.at) span.to = event.at;
  }
  void on(const Event& event, const events::SeatsAsked& what) {
    asked_[{event.node, what.worker, what.request}] = {event.at, what.room};
  }
  void on(const Event& event, const events::SeatsAnswered& what) {
    const auto question = asked_.extract({event.node, what.worker, what.request});
    if (question.empty()) return;
    const auto& [since, number] = question.mapped();
    const auto room = numbered_.find({what.worker, number});
    if (room == numbered_.end()) return;
    doing(event, rooms_.at(room->second).group).asks.push_back({{since, event.at}, room->second});
  }
  void on(const Event& event, const events::RoomOrdered& what) {
    ordered_.try_emplace({what.group, what.creation},
                         Ordered{event.node, event.at, what.claims.size()});
  }
  void on(const Event& event, const events::RoomChanged& what) {
    const std::string id = to_string(what.room);
    Room& room = rooms_[id];
    room.group = what.group;
    room.creation = what.creation;
    numbered_[{what.room.worker, what.room.number}] = id;
    if (!room.started) room.started = event.at;
    if (!room.opened && what.phase == wire::RoomPhase::open) room.opened = event.at;
  }

  void add(const Match& match, StageTimes& times) {
    const auto room = rooms_.find(match.room);
    const Doing& done = doing_[{match.master, match.group}];
    if (room == rooms_.end()) {
      before(match.asked, match.answered, done, times);
      return;
    }
    const auto order = ordered_.find({match.group, room->second.creation});
    if (order != ordered_.end() && rides(match, order->second)) {
      --order->second.claims;
      const EventTime started = clamp(match, room->second.started);
      before(match.asked, order->second.at, done, times);
      count(Stage::order, order->second.at, started, times);
      boot_and_news(match, room->second, started, times);
      return;
    }
    const Span asked = own_question(match, done);
    before(match.asked, asked.from, done, times);
    count(Stage::ask, asked.from, asked.to, times);
    boot_and_news(match, room->second, asked.to, times);
  }

  static bool rides(const Match& match, const Ordered& order) {
    return order.master == match.master && order.claims > 0 && order.at >= match.asked &&
           order.at <= match.answered;
  }

  static EventTime clamp(const Match& match, std::optional<EventTime> at) {
    return std::clamp(at.value_or(match.answered), match.asked, match.answered);
  }

  // Returns the time of the master's seat request to the match's room: the last request that was
  // answered before the match.
  static Span own_question(const Match& match, const Doing& done) {
    Span own{match.answered, match.answered};
    for (auto question = done.asks.rbegin(); question != done.asks.rend(); ++question) {
      if (question->room != match.room || question->span.to > match.answered) continue;
      own = {std::max(question->span.from, match.asked), std::max(question->span.to, match.asked)};
      break;
    }
    return own;
  }

  static void count(Stage stage, EventTime from, EventTime to, StageTimes& times) {
    times.ms.at(static_cast<std::size_t>(stage)) += ms_between(from, to);
  }

  // Counts the stages boot and news. The match's seat was reserved at the time `from`.
  static void boot_and_news(const Match& match, const Room& room, EventTime from,
                            StageTimes& times) {
    const EventTime opened = std::max(from, clamp(match, room.opened));
    count(Stage::boot, from, opened, times);
    count(Stage::news, opened, match.answered, times);
  }

  static void before(EventTime from, EventTime to, const Doing& done, StageTimes& times) {
    if (from >= to) return;
    std::vector<Span> left{{from, to}};
    left = subtract(left, done.fences, times.ms.at(static_cast<std::size_t>(Stage::fence)));
    left = subtract(left, done.locks, times.ms.at(static_cast<std::size_t>(Stage::lock)));
    std::vector<Span> asks;
    for (const RoomAsked& question : done.asks) asks.push_back(question.span);
    left = subtract(left, asks, times.ms.at(static_cast<std::size_t>(Stage::ask)));
    for (const Span& span : left) count(Stage::wait, span.from, span.to, times);
  }

  std::map<std::pair<std::string, GroupKey>, Doing> doing_;
  std::map<std::pair<std::string, TicketId>, Match> waiting_;
  std::map<Asked, std::pair<GroupKey, std::size_t>> fence_of_;
  std::map<Asked, std::pair<EventTime, RoomNumber>> asked_;
  std::map<std::pair<WorkerId, RoomNumber>, std::string> numbered_;
  std::map<std::string, Room> rooms_;
  std::map<std::pair<GroupKey, CreationId>, Ordered> ordered_;
  std::vector<Match> matches_;
};

}  // namespace

double StageTimes::sum() const {
  return std::accumulate(ms.begin(), ms.end(), 0.0);
}

StageTimes find_stages(const std::vector<Event>& seen) {
  MatchTimes timeline;
  timeline.read(seen);
  return timeline.sum_up();
}

}  // namespace fixkeep::client_sim
