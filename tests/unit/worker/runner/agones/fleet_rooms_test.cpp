// Rooms and servers of a fleet, told one by one.
//
//   start ROOM | adopt ROOM [HOST] | others | end ROOM          what the worker wants
//   answer ROOM given|none|refused|not_now|lost [WHY]           what the API answers
//   freed UID done|changed|failed | looked ROOM yes|no|unknown
//   list SERVER … | change SERVER | gone UID | cut | on         what the watch shows
//   after MILLISECONDS
//   last                                                        nothing is asked for any more
//
// A SERVER is UID/ROOM/STATE[/ATTEMPT][/deleted][/nowhere][/players=N]; its host is that of its
// uid. Rooms are numbers.
#include "worker/runner/agones/fleet_rooms.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker::agones {
namespace {

constexpr auto rooms_file = "tests/unit/worker/runner/agones/fleet_rooms.txt";

FleetServer server_of(std::string_view text) {
  FleetServer server;
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  server.uid = parts.at(0);
  server.name = "server-" + server.uid;
  server.version = "v";
  server.room = parts.at(1);
  const std::string state = parts.at(2);
  if (state == "held") server.state = ServerState::held;
  if (state == "ending") server.state = ServerState::ending;
  server.state_name = state == "ending" ? "Unhealthy" : state;
  server.attempt = "1";
  server.place = {"host-" + server.uid, {{"default", 7000}}};
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (parts[i] == "deleted") {
      server.deleted = true;
    } else if (parts[i] == "nowhere") {
      server.place = {};
    } else if (parts[i].starts_with("players=")) {
      server.players = static_cast<std::uint32_t>(std::stoul(parts[i].substr(8)));
    } else {
      server.attempt = parts[i];
    }
  }
  return server;
}

std::string shown(const AskForServer& wanted) {
  return "ask " + wanted.object + " " + wanted.attempt;
}
std::string shown(const FreeServer& wanted) {
  return (wanted.only_name ? "take the name off " : "delete ") + wanted.server.uid;
}
std::string shown(const LookForServer& wanted) {
  return "look for " + wanted.object;
}
std::string shown(const FleetShown& told) {
  if (told.sight.place) return "runs " + told.object + " at " + told.sight.place->host;
  const GameEnd& end = told.sight.end.value();
  return "ended " + told.object +
         (end.kind == GameEnd::Kind::not_started ? " not_started" : " unknown") +
         (end.blameless ? " blameless" : "") + ": " + end.how;
}
std::string shown(const FleetClosing& told) {
  return "closing " + told.object + (told.why.empty() ? "" : ": " + told.why);
}
std::string shown(const FleetCounted& told) {
  return "players " + told.object + " " + std::to_string(told.players);
}

AskAnswer::Kind kind_of(const std::string& word) {
  using Kind = AskAnswer::Kind;
  if (word == "given") return Kind::given;
  if (word == "none") return Kind::none;
  if (word == "refused") return Kind::refused;
  return word == "not_now" ? Kind::not_now : Kind::lost;
}

class Driver final : public support::ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    support::Words words{command};
    FleetActions out;
    take(words.next(), words, out);
    std::string text;
    for (const FleetAction& action : out) {
      text += (text.empty() ? "" : "\n") +
              std::visit([](const auto& each) { return shown(each); }, action);
    }
    return text;
  }

 private:
  void take(const std::string& word, support::Words& words, FleetActions& out) {
    const std::string about = words.next();
    if (word == "start") return rooms_.start(about, now_, out);
    if (word == "adopt") {
      const std::string host = words.next();
      return rooms_.adopt(
          about,
          host.empty() ? std::nullopt : std::optional{wire::RoomPlace{host, {{"default", 7000}}}},
          now_, out);
    }
    if (word == "others") return rooms_.end_others(now_, out);
    if (word == "end") return rooms_.end(about, now_, out);
    if (word == "answer") {
      const AskAnswer::Kind kind = kind_of(words.next());
      return rooms_.answered(about, {kind, words.rest()}, now_, out);
    }
    if (word == "freed") {
      const std::string how = words.next();
      return rooms_.freed(about,
                          how == "done"      ? FreeAnswer::done
                          : how == "changed" ? FreeAnswer::changed
                                             : FreeAnswer::failed,
                          now_, out);
    }
    if (word == "looked") {
      const std::string what = words.next();
      return rooms_.looked(about, what == "unknown" ? std::nullopt : std::optional{what == "yes"},
                           now_, out);
    }
    if (word == "cut") return rooms_.cut_off();
    if (word == "last") return rooms_.ask_no_more();
    if (word == "on") return rooms_.goes_on(now_, out);
    if (word == "gone") return rooms_.gone(about, now_, out);
    if (word == "change") return rooms_.changed(server_of(about), now_, out);
    if (word == "after") {
      now_ += std::chrono::milliseconds{std::stoi(about)};
      return rooms_.pass_time(now_, out);
    }
    std::vector<FleetServer> servers;
    for (auto each = about; !each.empty(); each = words.next()) servers.push_back(server_of(each));
    rooms_.listed(servers, now_, out);
  }

  FleetRooms rooms_{{.at_once = 2, .most_lost = 3}};
  TimePoint now_{std::chrono::seconds{1000}};
};

const bool rooms_registered =
    support::register_scripts(rooms_file, [] { return std::make_unique<Driver>(); });

}  // namespace
}  // namespace fixkeep::worker::agones
