// What is said to the API about servers of a fleet, and what is read from it.
//
//   label TEXT                     the value of a label for it
//   allocation NAME=VALUE …        the request of room fixkeep-c-w1-5-7 for fleets blue and green
//   allocated STATUS BODY          what its answer means
//   release [name] UID VERSION     the call for it
//   released STATUS BODY
//   server JSON                    what is known of the object
//   any STATUS BODY                whether the list has an object
//   ready JSON                     how many servers of the fleet are free
#include "worker/runner/agones/fleet_texts.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker::agones {
namespace {

using kubernetes::ApiAnswer;
using kubernetes::ApiCall;
using kubernetes::Json;

constexpr auto texts_file = "tests/unit/worker/runner/agones/fleet_texts.txt";

std::string shown(const ApiCall& call) {
  return call.method + " " + call.target + " " + call.content_type + "\n" + call.body;
}

std::string shown(const AskAnswer& answer) {
  constexpr std::array<const char*, 5> kinds{"given", "none", "refused", "not_now", "lost"};
  const std::string kind = kinds.at(static_cast<std::size_t>(answer.kind));
  return answer.why.empty() ? kind : kind + ": " + answer.why;
}

std::string shown(FreeAnswer answer) {
  constexpr std::array<const char*, 3> words{"done", "changed", "failed"};
  return words.at(static_cast<std::size_t>(answer));
}

std::string shown(const FleetServer& server) {
  constexpr std::array<const char*, 3> states{"held", "ending", "free"};
  std::string text = server.name + " " + server.uid + " " + server.version + " room=" + server.room;
  if (!server.attempt.empty()) text += " attempt=" + server.attempt;
  text += std::string{" "} + states.at(static_cast<std::size_t>(server.state));
  if (!server.state_name.empty()) text += "(" + server.state_name + ")";
  if (server.deleted) text += " deleted";
  text += " at " + server.place.host;
  for (const auto& port : server.place.ports) {
    text += " " + port.name + "=" + std::to_string(port.number);
  }
  if (!wire::is_valid(server.place)) text += " (not valid)";
  if (server.players) text += " players=" + std::to_string(*server.players);
  return text;
}

ApiAnswer answer_of(support::Words& words) {
  ApiAnswer answer;
  answer.status = static_cast<unsigned>(std::stoul(words.next()));
  answer.body = words.rest();
  return answer;
}

std::string told(std::string_view command) {
  support::Words words{command};
  const std::string word = words.next();
  const ApiCall asked{.method = "POST",
                      .target =
                          "/apis/allocation.agones.dev/v1/namespaces/games/"
                          "gameserverallocations"};
  if (word == "label") {
    const auto value = label_value(support::bytes_of(words.rest()));
    return value + " (" + std::to_string(value.size()) + ")";
  }
  if (word == "allocation") {
    ServerRequest request{.object = "fixkeep-c-w1-5-7",
                          .attempt = "2",
                          .fleets = {"blue", "green"},
                          .environment = {}};
    for (auto each = words.next(); !each.empty(); each = words.next()) {
      request.environment.push_back(support::bytes_of(each));
    }
    return shown(allocation("games", {"c", "w1"}, request));
  }
  if (word == "allocated") return shown(read_allocation(asked, answer_of(words)));
  if (word == "release") {
    FreeServer wanted;
    std::string uid = words.next();
    wanted.only_name = uid == "name";
    if (wanted.only_name) uid = words.next();
    wanted.server = {.name = "blue-x", .uid = uid, .version = words.next()};
    return shown(release("games", wanted));
  }
  if (word == "released") {
    return shown(read_release({.method = "DELETE", .target = "/x"}, answer_of(words)));
  }
  if (word == "any") {
    const auto any = has_objects(answer_of(words));
    return !any ? "not known" : *any ? "some" : "none";
  }
  const Json object = Json::parse(words.rest(), nullptr, false);
  if (word == "ready") return std::to_string(ready_servers(object));
  const auto server = read_server(object);
  return server ? shown(*server) : "no server of ours";
}

const bool texts_registered = support::register_table(texts_file, told);

}  // namespace
}  // namespace fixkeep::worker::agones
