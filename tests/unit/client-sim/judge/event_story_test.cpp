// Stories of what masters and workers told (stories.txt), and what is found in them: collisions and
// their bill, the stages of matches, the timeline of rooms, the story of a collision, and a round
// of the race.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <sstream>

#include "client-sim/judge/collision_story.hpp"
#include "client-sim/judge/stages.hpp"
#include "client-sim/judge/timeline.hpp"
#include "lab/race/round_view.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;
using support::Words;

// Room n is on worker wn and was made by order n. Commands that begin with a time tell what
// happened then, one thing after "; " another:
//
//   m1 wants|granted|left [GROUP]      the lock;  GROUP is "duel", or that of the command "group"
//   m1 orders 1 5,2 [hold=N] [kept=CLAIMS,SEATS] [GROUP]   room 1 for claims of 5 and 2 of 8 seats,
//   by the
//                                      hold that has ordered room N, which has kept claims back
//   m1 sent-to 1 yes|no                its worker has taken the order, or refused it
//   m1 asks 1 3, m1 answered 1         for 3 seats in room 1
//   m1 fences w1, m1 fenced w1
//   m1 match 1, m1 matched 1 7, m1 refused 1     ticket 1, which has got a seat in room 7
//   room 1 open 3 [2]                  3 seats are taken, 2 of them by players who are there
class EventStory : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    if (line.front() == '-' || std::isdigit(line.front()) != 0) return tell(line), "";
    Words words{line};
    const auto what = words.next();
    if (what == "group") return group_ = words.rest(), "";
    if (what == "collisions") return collisions(words.next());
    if (what == "bill") return bill();
    if (what == "stages") return stages();
    if (what == "timeline") return timeline(std::stoi(words.next()));
    if (what == "story") return story(std::stoi(words.next()));
    if (what == "sweep") return sweep(words.next());
    if (what == "repeat") return repeat(std::stoul(words.next()));
    return "no such command";
  }

 private:
  static CreationId order_of(int room, int hold, std::uint16_t master) {
    return {{static_cast<std::uint64_t>(hold), MasterId{master}},
            static_cast<std::uint32_t>(room - hold),
            Incarnation{1}};
  }
  static int room_of(const CreationId& order) {
    return static_cast<int>(order.token.counter + order.index);
  }
  static WorkerId worker(int room) { return WorkerId{"w" + std::to_string(room)}; }
  static RoomId place(int room) {
    return {worker(room), Incarnation{1}, RoomNumber{static_cast<std::uint32_t>(room)}};
  }
  CreationId creation(int room) {
    return creations_.try_emplace(room, order_of(room, room, 1)).first->second;
  }
  static std::vector<std::uint32_t> numbers(const std::string& text) {
    std::vector<std::uint32_t> all;
    std::istringstream in{text};
    for (std::string each; std::getline(in, each, ',');) {
      all.push_back(static_cast<std::uint32_t>(std::stoul(each)));
    }
    return all;
  }

  void tell(std::string_view line) {
    while (!line.empty()) {
      const auto end = std::min(line.find("; "), line.size());
      Words words{line.substr(0, end)};
      auto node = words.next();
      if (node.front() == '-' || std::isdigit(node.front()) != 0) {
        now_ = began + milliseconds{std::stoi(node)};
        node = words.next();
      }
      told_.push_back(node == "room" ? room_changed(words) : of_master(node, words));
      line.remove_prefix(std::min(end + 2, line.size()));
    }
  }

  events::Event room_changed(Words& words) {
    const int room = std::stoi(words.next());
    const auto phase = words.next();
    const auto taken = words.next();
    const auto occupied = words.next();
    wire::RoomPhase now = wire::RoomPhase::open;
    if (phase == "starting") now = wire::RoomPhase::starting;
    if (phase == "draining") now = wire::RoomPhase::draining;
    if (phase == "closed") now = wire::RoomPhase::closed;
    const auto count = [](const std::string& text) {
      return text.empty() ? 0U : static_cast<std::uint32_t>(std::stoul(text));
    };
    return {worker(room).text(), now_,
            events::RoomChanged{place(room), GroupKey{group_}, creation(room), now, 8, count(taken),
                                count(occupied)}};
  }

  events::Event of_master(const std::string& master, Words& words) {
    const auto verb = words.next();
    const auto first = words.next();
    const GroupKey group{first.empty() || first.front() < 'a' ? group_ : first};
    const auto number = [](const std::string& text) { return text.empty() ? 0 : std::stoi(text); };
    const auto ticket = [&] { return TicketId{static_cast<std::uint64_t>(number(first))}; };
    const auto event = [&](events::What what) { return events::Event{master, now_, what}; };
    constexpr std::uint64_t question = 100;
    if (verb == "wants") return event(events::LockWanted{group});
    if (verb == "granted") {
      const MasterId self{static_cast<std::uint16_t>(master.back() - '0')};
      return event(events::LockGranted{group, {1, self}});
    }
    if (verb == "left") return event(events::LockLeft{group});
    if (verb == "fences") return event(events::FenceAsked{WorkerId{first}, 1, GroupKey{group_}});
    if (verb == "fenced") return event(events::FenceAnswered{WorkerId{first}, 1});
    if (verb == "match") return event(events::MatchAsked{ticket(), GroupKey{group_}, 1});
    if (verb == "refused") return event(events::MatchAnswered{ticket(), {}});
    if (verb == "matched") {
      return event(events::MatchAnswered{ticket(), to_string(place(number(words.next())))});
    }
    const int room = number(first);
    const auto request = static_cast<std::uint64_t>(room);
    if (verb == "sent-to") {
      return event(events::OrderAnswered{worker(room), request, words.next() == "yes"});
    }
    if (verb == "asks") {
      return event(
          events::SeatsAsked{worker(room), question, place(room).number, numbers(words.next())[0]});
    }
    if (verb == "answered") return event(events::SeatsAnswered{worker(room), question});
    EXPECT_EQ(verb, "orders");
    return event(ordered(master, room, words));
  }

  events::RoomOrdered ordered(const std::string& master, int room, Words& words) {
    const auto claims = numbers(words.next());
    int hold = room;
    events::KeptBack kept;
    GroupKey group{group_};
    while (!words.done()) {
      const auto word = words.next();
      const auto value = word.substr(word.find('=') + 1);
      if (word.starts_with("hold=")) {
        hold = std::stoi(value);
      } else if (word.starts_with("kept=")) {
        kept = {numbers(value)[0], numbers(value)[1]};
      } else {
        group = GroupKey{word == "nothing" ? "" : word};
      }
    }
    const auto number = static_cast<std::uint16_t>(master.back() - '0');
    const auto id = creations_.try_emplace(room, order_of(room, hold, number)).first->second;
    return {worker(room), static_cast<std::uint64_t>(room), group, id, 8, claims, kept};
  }

  [[nodiscard]] CollisionBill found(milliseconds news = {}) const {
    return find_collisions(told_, news);
  }
  [[nodiscard]] std::vector<events::Event> in_order() const {
    auto seen = told_;
    put_in_order(seen);
    return seen;
  }

  std::string collisions(const std::string& news_ms) {
    std::ostringstream text;
    const auto bill = found(milliseconds{news_ms.empty() ? 0 : std::stoi(news_ms)});
    for (const auto& each : bill.collisions) {
      text << (text.tellp() > 0 ? "; " : "") << room_of(each.order) << " of " << each.master
           << " while " << room_of(each.other) << " has " << each.seats
           << (each.carried_out ? "" : ", refused");
    }
    text << (bill.collisions.empty() ? "none" : "") << " of " << bill.orders;
    return text.str();
  }
  std::string bill() {
    const auto all = found();
    std::ostringstream text;
    text << all.wasted_room_seconds << " room-seconds, " << all.wasted_seat_seconds
         << " seat-seconds";
    return text.str();
  }
  std::string stages() {
    const auto times = find_stages(in_order());
    std::ostringstream text;
    text << times.matches << ":";
    for (std::size_t stage = 0; stage < stage_count; ++stage) {
      if (times.ms.at(stage) != 0)
        text << ' ' << stage_names.at(stage) << ' ' << times.ms.at(stage);
    }
    text << ", sum " << times.sum();
    return text.str();
  }
  std::string timeline(int end_ms) {
    const auto told =
        tell_timeline(in_order(), found(), {.began = began, .end_ms = static_cast<double>(end_ms)});
    std::ostringstream text;
    for (const auto& room : told.rooms) {
      text << room_of(room.creation) << " of " << (room.master.empty() ? "?" : room.master)
           << ": ordered " << room.ordered_ms << ", starting " << room.starting_ms << ", open "
           << room.open_ms << ", closed " << room.closed_ms;
      if (room.collided) text << ", collided with " << room_of(room.other.value());
      text << '\n';
    }
    text << "curve";
    for (const auto& [x, y] : told.curve) text << ' ' << x << ':' << y;
    return text.str();
  }
  std::string story(int most_lines) {
    const auto bill = found();
    if (bill.collisions.empty()) return "none";
    const auto told = tell_collision(in_order(), bill.collisions.front(), began);
    std::ostringstream text;
    text << told.group << ':';
    for (const auto& node : told.nodes) text << ' ' << node;
    text << "; " << told.steps.size() << " steps and " << told.left_out << " left out";
    for (const auto& step : told.steps) {
      if (--most_lines < 0 && !step.bad) continue;
      text << '\n' << step.at_ms << ' ' << step.from;
      if (step.to != step.from) text << " to " << step.to;
      text << (step.bad ? " ! " : ": ") << step.text;
    }
    return text.str();
  }
  // What was told since the last sweep is heard; with a time, it is judged until then.
  std::string sweep(const std::string& until) {
    view_.add({told_.begin() + static_cast<std::ptrdiff_t>(swept_), told_.end()});
    swept_ = told_.size();
    if (!until.empty()) view_.judge(began + milliseconds{std::stoi(until)});
    std::ostringstream text;
    for (const auto& room : view_.rooms()) {
      text << "lane " << room.lane << ", m" << room.master << ' ' << room.worker << ": "
           << to_string(room.stage) << ' ' << room.taken << '/' << room.occupied
           << (room.refused ? " refused" : "");
      if (room.collided) text << " collided with number " << room.other.value();
      text << '\n';
    }
    text << view_.rooms_made() << " made" << (view_.all_closed() ? ", all closed" : "")
         << (view_.complete() ? "" : ", not complete") << ", " << view_.cost().collisions
         << " collisions, " << std::round(view_.cost().wasted_room_seconds * 1e6) / 1e6 << '/'
         << std::round(view_.cost().wasted_seat_seconds * 1e6) / 1e6 << " wasted";
    return text.str();
  }
  std::string repeat(std::size_t times) {
    told_.insert(told_.end(), times, events::Event{told_.back()});
    return {};
  }

  static constexpr events::EventTime began{std::chrono::seconds{100}};
  std::string group_ = "duel";
  events::EventTime now_ = began;
  std::vector<events::Event> told_;
  std::map<int, CreationId> creations_;
  RoundView view_{24, 2};
  std::size_t swept_ = 0;
};

const bool event_stories = support::register_scripts("tests/unit/client-sim/judge/stories.txt",
                                                     [] { return std::make_unique<EventStory>(); });

// 100 000 players in one group. When each event looked at every room, this took many minutes.
TEST(Collisions, of_a_hundred_thousand_players_are_found_in_seconds) {
  constexpr int rooms = 12'500;
  EventStory story;
  const auto tell = [&](const std::string& line) { story.run(line); };
  for (int room = 1; room <= rooms; ++room) {
    const auto number = std::to_string(room);
    tell(number + " m1 granted; m1 orders " + number + " 1");
    for (int taken = 1; taken <= 8; ++taken)
      tell(number + " room " + number + " open " + std::to_string(taken));
  }
  tell("12501 m2 orders 12501 1; 12502 m1 orders 12502 1; room 12501 open 1; room 12502 open 1");
  tell("25000 m1 matched 1 1");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(story.run("collisions"), "12502 of m1 while 12501 has 7 of 12502");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
}

}  // namespace
}  // namespace fixkeep::client_sim
