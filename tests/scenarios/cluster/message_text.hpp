// Messages between masters and workers as words of a scenario, in both directions: what a node
// says is shown as it would be written, and a node that the text plays says what is written.
//
// Requests have no numbers in the text: an answer belongs to the oldest question of its kind that
// is not answered, unless it says `request=N`. What is at its default is neither shown nor needed;
// the README beside the scenarios lists the forms. Thread rule: one owner. Errors: ScenarioError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "tests/scenarios/cluster/words.hpp"

namespace fixkeep::scenarios {

// What one node has asked another and has not been answered, the oldest first.
struct Dialogue {
  std::vector<wire::Order> unanswered;
  std::uint64_t requests = 0;  // the last number, of questions that the text asks
  RoomNumber newest;           // of the rooms that a played worker has shown
  std::uint64_t reservations = 0;

  void asked(const wire::Order& order);
};

// The message as the codec carries it.
[[nodiscard]] wire::Report carried(const wire::Report& report);
[[nodiscard]] wire::Order carried(const wire::Order& order);
[[nodiscard]] wire::BetweenMasters carried(const wire::BetweenMasters& message);

inline constexpr const char* played_address = "10.0.0.1";  // of every worker
[[nodiscard]] wire::RoomPlace usual_place();

class MessageText {
 public:
  // REQUIRES: the words begin with the kind of the message. `asked` is what the master has asked
  // the worker: a report may answer it, an order adds to it.
  [[nodiscard]] wire::Report report(Words& words, Dialogue& asked, Dialogue& own, TimePoint now);
  [[nodiscard]] wire::Order order(Words& words, Dialogue& asked);
  // `asked` as above: names the claims of the answer, and is answered.
  [[nodiscard]] std::string show(const wire::Report& report, Dialogue& asked) const;
  [[nodiscard]] std::string show(const wire::Order& order) const;
  [[nodiscard]] std::string show(const wire::BetweenMasters& message) const;

  [[nodiscard]] wire::Claim claim(const std::string& text);  // "p1+p2", "p1{r1}"
  [[nodiscard]] std::string show(const wire::RequestContext& context) const;
  [[nodiscard]] std::vector<wire::Claim> claims(const std::vector<std::string>& words);
  [[nodiscard]] std::vector<wire::RoomInfo> rooms(const std::string& text);  // "#1..9(g open 4)"
  [[nodiscard]] std::string show(const wire::RoomInfo& room) const;
  // "at=games.example:7777,query/7778"; "nowhere"; else it is usual_place(), which is not shown.
  [[nodiscard]] static std::optional<wire::RoomPlace> place(Words& words);
  [[nodiscard]] static std::string show(const wire::RoomPlace& place);
  [[nodiscard]] std::string show(const wire::Claim& claim) const;
  [[nodiscard]] static wire::RoomHint hint(const std::string& text);  // "w1/5#3(1/2)"
  [[nodiscard]] static std::string show(const wire::RoomHint& hint);

  bool contexts = false;  // claims are shown with their request ids: p1{r1}, traced ones p1{r1~}

 private:
  [[nodiscard]] wire::WorkerState worker_state(Words& words, Dialogue& forth);
  [[nodiscard]] wire::RoomsChanged rooms_changed(Words& words, Dialogue& forth);
  [[nodiscard]] wire::SeatReply seat_reply(Words& words, Dialogue& back, TimePoint now);
  [[nodiscard]] wire::SpawnReply spawn_reply(Words& words, Dialogue& back, TimePoint now);
  [[nodiscard]] wire::PrepareReply prepare_reply(Words& words, Dialogue& back);
  [[nodiscard]] wire::Order question(const std::string& kind, Words& words, Dialogue& asked);
  [[nodiscard]] wire::RoomInfo room(std::string_view head, std::string_view inside);
  [[nodiscard]] wire::RoomChange change(const std::string& text);
  [[nodiscard]] std::string show(const wire::RoomChange& change) const;
  [[nodiscard]] static wire::RoomResult result(const std::string& text);
  [[nodiscard]] static std::string show(const wire::RoomResult& result);
  [[nodiscard]] std::string show(const std::vector<PlayerId>& players) const;

  friend struct ShowMessage;
};

}  // namespace fixkeep::scenarios
