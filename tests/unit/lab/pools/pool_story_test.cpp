// Stories of pools (pool_stories.txt): what masters and workers told, and what is wrong with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>

#include "client-sim/judge/collisions.hpp"
#include "lab/pools/pool_judge.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;
using support::parts_of;
using support::Words;

// Room n is on worker wn and was made by order n. "ann:2" is the claim of ann for two seats. Times
// are in ms; one thing after "; " another:
//
//   rooms 4 2 [both]             have 4 seats, and may start with 2 players after a second. Limits
//                                are 50 points at once, and 200 after 5 s
//   ann 1500, bob 1520           what they bring
//   0 m1 match ann               ann asks for a seat
//   9 m1 answered ann
//   9 m1 dies                    it is killed, with all requests that wait there
//   5 m1 granted                 the lock; from then on this is another decision
//   6 m1 fences w1, m1 fenced w1
//   7 m1 fills 1 ann,bob         asks for seats in room 1
//   7 m1 orders 2 ann,bob:2
//   8 room 2 open +ann,bob       who has a seat now; -ann has none any more
class PoolStory : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    Words words{line};
    if (line.starts_with("rooms ")) return make_rules(words), "";
    if (line == "judge") return judge();
    if (line == "words") return in_words();
    if (std::isdigit(line.front()) != 0) return tell(line), "";
    return bring(line), "";
  }

 private:
  using Claims = std::vector<std::pair<PlayerId, std::uint32_t>>;

  void make_rules(Words& words) {
    words.next();
    rules_.numbers = {"rating"};
    rules_.size.most = rules_.size.best = static_cast<std::uint32_t>(std::stoul(words.next()));
    rules_.size.least = static_cast<std::uint32_t>(std::stoul(words.next()));
    rules_.size.after = milliseconds{1000};
    rules_.distances = {{.number = 0,
                         .steps = {{milliseconds{0}, 50}, {milliseconds{5000}, 200}},
                         .widening = words.next() == "both" ? master::plan::Widening::both
                                                            : master::plan::Widening::older}};
  }

  void bring(std::string_view line) {
    for (const std::string& part : parts_of(line)) {
      Words words{part};
      const PlayerId player{words.next()};
      brought_[player] = {std::stoll(words.next())};
    }
  }

  static Claims claims_of(const std::string& text) {
    Claims claims;
    for (const std::string& part : parts_of(text)) {
      const auto colon = part.find(':');
      const auto seats = colon == std::string::npos ? 1 : std::stoul(part.substr(colon + 1));
      claims.emplace_back(part.substr(0, colon), static_cast<std::uint32_t>(seats));
    }
    return claims;
  }
  static std::vector<PlayerId> players_of(const Claims& claims) {
    std::vector<PlayerId> players;
    for (const auto& [player, seats] : claims) players.push_back(player);
    return players;
  }

  void tell(std::string_view line) {
    while (!line.empty()) {
      const auto end = std::min(line.find("; "), line.size());
      Words words{line.substr(0, end)};
      auto node = words.next();
      if (std::isdigit(node.front()) != 0) {
        now_ = events::EventTime{milliseconds{std::stoi(node)}};
        node = words.next();
      }
      if (node == "room") {
        room_changed(words);
      } else {
        of_master(node, words);
      }
      line.remove_prefix(std::min(end + 2, line.size()));
    }
  }

  static WorkerId worker(const std::string& room) { return WorkerId{"w" + room}; }
  static RoomNumber number(const std::string& room) {
    return RoomNumber{static_cast<std::uint32_t>(std::stoul(room))};
  }

  void room_changed(Words& words) {
    const auto room = words.next();
    const auto phase = words.next();
    events::RoomChanged changed;
    changed.room = {worker(room), Incarnation{1}, number(room)};
    changed.group = pool_;
    changed.creation = creations_.at(room);
    changed.phase = phase == "starting" ? wire::RoomPhase::starting
                    : phase == "closed" ? wire::RoomPhase::closed
                                        : wire::RoomPhase::open;
    changed.capacity = rules_.size.most;
    while (!words.done()) {
      const auto word = words.next();
      auto& players = word.front() == '+' ? changed.seated : changed.left;
      players = players_of(claims_of(word.substr(1)));
    }
    told_.push_back({worker(room).text(), now_, std::move(changed)});
  }

  void of_master(const std::string& master, Words& words) {
    const auto verb = words.next();
    if (verb == "dies") return ends_.push_back({master, now_});
    const auto first = words.next();
    const auto add = [&](events::What what) { told_.push_back({master, now_, std::move(what)}); };
    if (verb == "match") {
      const auto [player, seats] = claims_of(first).front();
      tickets_[first] = TicketId{tickets_.size() + 1};
      add(events::MatchAsked{tickets_[first], pool_, seats, player});
    } else if (verb == "answered") {
      add(events::MatchAnswered{tickets_[first], "somewhere"});
    } else if (verb == "granted") {
      token_[master] = {++grants_, MasterId{static_cast<std::uint16_t>(master.back() - '0')}};
      add(events::LockGranted{pool_, token_[master]});
    } else if (verb == "fences") {
      add(events::FenceAsked{WorkerId{first}, grants_, pool_});
    } else if (verb == "fenced") {
      add(events::FenceAnswered{WorkerId{first}, grants_});
    } else if (verb == "fills") {
      const auto players = players_of(claims_of(words.next()));
      const auto seats = static_cast<std::uint32_t>(players.size());
      add(events::SeatsAsked{worker(first), 1, number(first), seats, players});
    } else {
      ASSERT_EQ(verb, "orders");
      add(ordered(master, first, claims_of(words.next())));
    }
  }

  events::RoomOrdered ordered(const std::string& master, const std::string& room,
                              const Claims& claims) {
    creations_[room] = {token_[master], number(room).number(), Incarnation{1}};
    events::RoomOrdered order;
    order.worker = worker(room);
    order.group = pool_;
    order.creation = creations_[room];
    order.capacity = rules_.size.most;
    for (const auto& [player, seats] : claims) order.claims.push_back(seats);
    order.players = players_of(claims);
    return order;
  }

  [[nodiscard]] PoolBill bill() {
    put_in_order(told_);
    return judge_pools(told_, rules_, brought_, {}, ends_);
  }
  std::string judge() {
    const PoolBill all = bill();
    return fmt::format(
        "{} decisions, {} fills, {} orders, {} refused: {} wide, {} needless, {} loose, {} twice",
        all.decisions, all.fills, all.orders, all.refused, all.too_wide, all.needless, all.loose,
        all.seated_twice);
  }
  std::string in_words() {
    std::string text;
    for (const std::string& each : bill().words) text += (text.empty() ? "" : "\n") + each;
    return text.empty() ? "nothing is wrong" : text;
  }

  const GroupKey pool_{"duel"};
  master::plan::Rules rules_;
  Brought brought_;
  events::EventTime now_;
  std::vector<events::Event> told_;
  std::vector<NodeEnd> ends_;
  std::map<std::string, CreationId> creations_;
  std::map<std::string, TicketId> tickets_;
  std::map<std::string, FencingToken> token_;
  std::uint64_t grants_ = 0;
};

const bool pool_stories = support::register_scripts("tests/unit/lab/pools/pool_stories.txt",
                                                    [] { return std::make_unique<PoolStory>(); });

}  // namespace
}  // namespace fixkeep::client_sim
