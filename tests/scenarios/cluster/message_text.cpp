#include "tests/scenarios/cluster/message_text.hpp"
#include "tests/scenarios/cluster/message_words.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "common/wire/codec.hpp"

namespace fixkeep::scenarios {

using wire::RoomPhase;

namespace {

template <class Direction>
Direction through_the_codec(const wire::Message& message) {
  std::string frame;
  wire::append_frame(message, frame);
  auto read = wire::decode<Direction>(std::string_view{frame}.substr(wire::prefix_bytes));
  require(read.has_value(), "the codec refuses the message");
  return std::move(*read);
}

}  // namespace

wire::Report carried(const wire::Report& report) {
  return std::get<wire::Report>(through_the_codec<wire::FromWorker>(report));
}
wire::Order carried(const wire::Order& order) {
  return std::get<wire::Order>(through_the_codec<wire::ToWorker>(order));
}
wire::BetweenMasters carried(const wire::BetweenMasters& message) {
  return through_the_codec<wire::BetweenMasters>(message);
}

void Dialogue::asked(const wire::Order& order) {
  if (std::holds_alternative<wire::SeatRequest>(order) ||
      std::holds_alternative<wire::SpawnRoom>(order) ||
      std::holds_alternative<wire::PrepareSpawn>(order)) {
    unanswered.push_back(order);
  }
}

// --- players, claims, rooms, hints ---------------------------------------------------------------

wire::Claim MessageText::claim(const std::string& text) {
  const auto brace = std::min(text.find('{'), text.size());
  const auto names = names_of(split(text.substr(0, brace), '+'));
  require(!names.empty(), "a claim has a player");
  wire::Claim claim{PlayerId{names[0]}, {}};
  if (brace < text.size()) {
    const auto end = text.find_first_of("~}", brace);
    claim.context.request_id = text.substr(brace + 1, end - brace - 1);
    if (text[end] == '~') claim.context.trace = TraceContext{{1, 2}, 3, true};
  }
  for (std::size_t i = 1; i < names.size(); ++i) claim.party.push_back(PlayerId{names[i]});
  return claim;
}

std::vector<wire::Claim> MessageText::claims(const std::vector<std::string>& words) {
  std::vector<wire::Claim> claims;
  for (const std::string& word : words) {
    for (const std::string& each :
         word.find('+') == std::string::npos ? range_of(word) : std::vector<std::string>{word}) {
      claims.push_back(claim(each));
    }
  }
  return claims;
}

std::string MessageText::show(const wire::Claim& claim) const {
  std::string text = claim.player.text();
  for (const PlayerId& each : claim.party) text += "+" + each.text();
  return text + show(claim.context);
}

std::vector<wire::RoomInfo> MessageText::rooms(const std::string& text) {
  std::string_view head;
  const std::string_view inside = inner(text, head);
  if (head.starts_with('+')) head.remove_prefix(1);
  const auto dots = head.find("..");
  const wire::RoomInfo first = room(head.substr(0, dots), inside);
  const auto last = dots == std::string_view::npos ? first.number.number()
                                                   : small(number_of(head.substr(dots + 2)));
  const auto begin = first.number.number();
  require(begin <= last, "there are no such rooms: " + text);
  std::vector<wire::RoomInfo> all(last - begin + 1, first);
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].number = RoomNumber{begin + i};
  return all;
}

wire::RoomInfo MessageText::room(std::string_view head, std::string_view inside) {
  Words words{inside};
  wire::RoomInfo room;
  room.number = room_number(head);
  room.mode = ModeName{words.key("mode").value_or("duel")};
  room.place = place(words);
  room.occupied = small(words.number("in", 0));
  room.unknown = words.flag("unknown");
  if (words.flag("running")) room.stage = RoomStage::running;
  if (words.flag("no-newcomers")) room.stage = RoomStage::no_newcomers;
  room.opened_at = words.duration("opened", Duration{0});
  if (const auto by = words.key("by")) room.creation = creation_of(*by);
  room.group = GroupKey{words.take("the group")};
  room.phase = RoomPhase::open;
  if (const auto phase = phase_named(words.peek())) {
    room.phase = *phase;
    words.take("");
  }
  const auto seats = split(words.take("the capacity"), '/');
  room.capacity = small(number_of(seats.back()));
  for (const std::string& each : names_of(words.rest())) room.players.push_back(PlayerId{each});
  return room;
}

std::string MessageText::show(const std::vector<PlayerId>& players) const {
  std::vector<std::string> names;
  names.reserve(players.size());
  for (const PlayerId& each : players) {
    const bool untold = each.text().starts_with('\0');  // who is inside and was never told of
    names.push_back(untold ? "somebody" : each.text());
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& each : names) text += " " + each;
  return text;
}

std::string MessageText::show(const wire::RoomInfo& room) const {
  std::string text = "#" + std::to_string(room.number.number()) + "(" + room.group.text() + " " +
                     std::string{phases.at(static_cast<std::size_t>(room.phase))} + " " +
                     std::to_string(room.players.size()) + "/" + std::to_string(room.capacity) +
                     show(room.players);
  if (room.occupied > 0) text += " in=" + std::to_string(room.occupied);
  if (room.mode != ModeName{"duel"}) text += " mode=" + room.mode.text();
  if (room.creation != CreationId{}) text += " by=" + text_of(room.creation);
  if (room.unknown) text += " unknown";
  if (room.stage == RoomStage::no_newcomers) text += " no-newcomers";
  if (room.place) text += show(*room.place);
  if (room.match) {
    text += " list=" + std::to_string(room.match->teams_hash);
    for (const auto& each : room.match->players) text += "," + each.player.text();
  }
  return text + ")";
}

wire::RoomPlace usual_place() {
  return wire::at_port(20'000);
}

std::optional<wire::RoomPlace> MessageText::place(Words& words) {
  if (words.flag("nowhere")) return std::nullopt;
  const auto at = words.key("at");
  if (!at) return usual_place();
  const auto parts = split(*at, ':');
  wire::RoomPlace place{parts.at(0), {}};
  for (const std::string& each : split(parts.at(1), ',')) {
    const auto port = split(each, '/');
    place.ports.push_back({port.size() > 1 ? port[0] : std::string{wire::main_port_name},
                           static_cast<std::uint16_t>(number_of(port.back()))});
  }
  return place;
}

std::string MessageText::show(const wire::RoomPlace& place) {
  const bool is_usual = place.host.empty() || place.host == played_address;
  if (is_usual && place.ports == usual_place().ports) return "";
  std::string text = " at=" + place.host + ":";
  for (const wire::NamedPort& port : place.ports) {
    if (text.back() != ':') text += ",";
    if (port.name != wire::main_port_name) text += port.name + "/";
    text += std::to_string(port.number);
  }
  return text;
}

wire::RoomChange MessageText::change(const std::string& text) {
  std::string_view head;
  Words words{inner(text, head)};
  wire::RoomChange change;
  change.number = room_number(head);
  change.occupied = small(words.number("in", 0));
  change.unknown = words.flag("unknown");
  if (words.flag("no-newcomers")) change.stage = RoomStage::no_newcomers;
  change.opened_at = words.duration("opened", Duration{0});
  const auto phase = phase_named(words.take("the phase"));
  require(phase.has_value(), "expected a phase in " + text);
  change.phase = *phase;
  for (const std::string& word : words.rest()) {
    if (const auto reason = enumerator_named(word, wire::last_close_reason)) {
      change.reason = *reason;
      continue;
    }
    require(word[0] == '+' || word[0] == '-', "expected +p1 or -p1, not `" + word + "`");
    for (const std::string& each : range_of(word.substr(1))) {
      (word[0] == '+' ? change.seated : change.left).push_back(PlayerId{each});
    }
  }
  return change;
}

std::string MessageText::show(const wire::RoomChange& change) const {
  std::string text = "#" + std::to_string(change.number.number()) + "(" +
                     std::string{phases.at(static_cast<std::size_t>(change.phase))};
  if (change.reason != wire::CloseReason::none) text += " " + std::string{to_string(change.reason)};
  for (const std::string& each : split(show(change.seated), ' ')) {
    if (!each.empty()) text += " +" + each;
  }
  for (const std::string& each : split(show(change.left), ' ')) {
    if (!each.empty()) text += " -" + each;
  }
  if (change.occupied > 0) text += " in=" + std::to_string(change.occupied);
  if (change.unknown) text += " unknown";
  if (change.stage == RoomStage::no_newcomers) text += " no-newcomers";
  return text + ")";
}

wire::RoomResult MessageText::result(const std::string& text) {
  std::string_view head;
  Words words{inner(text, head)};
  wire::RoomResult result;
  result.room = room_number(head);
  result.creation = creation_of(words.key("by").value_or("1.m1.0"));
  result.room_ended = words.flag("ended");
  result.group = GroupKey{words.take("the group")};
  result.value = words.take("the result");
  if (result.value == "none") result.value.clear();
  words.finish();
  return result;
}

std::string MessageText::show(const wire::RoomResult& result) {
  return "#" + std::to_string(result.room.number()) + "(" + result.group.text() + " " +
         (result.value.empty() ? "none" : result.value) + " by=" + text_of(result.creation) +
         (result.room_ended ? " ended)" : ")");
}

std::string MessageText::show(const wire::RequestContext& context) const {
  if (!contexts || context.empty()) return "";
  return "{" + context.request_id + (context.trace ? "~}" : "}");
}

wire::RoomHint MessageText::hint(const std::string& text) {
  std::string_view head;
  Words words{inner(text, head)};
  wire::RoomHint hint;
  const auto slash = head.find('/');
  require(slash != std::string_view::npos, "a hint names the run of its worker: " + text);
  const auto number = std::min(head.find('#'), head.size());
  hint.room.worker = WorkerId{std::string{head.substr(0, slash)}};
  hint.room.incarnation = Incarnation{number_of(head.substr(slash + 1, number - slash - 1))};
  if (number < head.size()) {
    hint.room.number = room_number(head.substr(number));
  } else {
    hint.ordered = creation_of(words.take("the order"));
  }
  hint.mode = ModeName{words.key("mode").value_or("duel")};
  const auto seats = split(words.take("free/capacity"), '/');
  hint.free = small(number_of(seats.at(0)));
  hint.capacity = small(number_of(seats.at(1)));
  words.finish();
  return hint;
}

std::string MessageText::show(const wire::RoomHint& hint) {
  std::string text = hint.room.worker.text() + "/" + std::to_string(hint.room.incarnation.number());
  if (!hint.ordered) text += "#" + std::to_string(hint.room.number.number());
  text += "(";
  if (hint.ordered) text += text_of(*hint.ordered) + " ";
  return text + std::to_string(hint.free) + "/" + std::to_string(hint.capacity) + ")";
}

}  // namespace fixkeep::scenarios
