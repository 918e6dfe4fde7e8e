#include "worker/runner/agones/fleet_texts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <utility>

#include "common/base/printable.hpp"

namespace fixkeep::worker::agones {
namespace {

using kubernetes::ApiAnswer;
using kubernetes::ApiCall;
using kubernetes::ApiProblem;
using kubernetes::at;
using kubernetes::Json;
using kubernetes::number_at;
using kubernetes::text_at;

constexpr auto api = "/apis/agones.dev/v1";
constexpr auto allocation_api = "/apis/allocation.agones.dev/v1";
constexpr auto counted = "players";  // name of the list or counter in Agones' own examples
constexpr std::string_view ours = "FIXKEEP_";
// These variables apply to the worker's machine or to an SDK that a server of Agones does not
// have.
constexpr std::array<std::string_view, 4> of_no_use{"PATH", "HOME", "AGONES_", "FIXKEEP_SDK_"};

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
}
bool may_be_in_label(char c) {
  return is_alnum(c) || c == '-' || c == '_' || c == '.';
}
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= most_label && is_alnum(text.front()) &&
         is_alnum(text.back()) && std::all_of(text.begin(), text.end(), may_be_in_label);
}

// FNV-1a, 64 bits.
unsigned long long hash_of(std::string_view text) {
  unsigned long long hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= most_name && wire::is_plain(text);
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_of_no_use(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return std::any_of(of_no_use.begin(), of_no_use.end(), [&](std::string_view each) {
    return each.back() == '_' ? name.starts_with(each) : name == each;
  });
}

// FIXKEEP_SEAT_KEY becomes "fixkeep/seat-key" and MAP becomes "fixkeep/env.MAP".
std::string annotation_of(std::string_view name) {
  if (!name.starts_with(ours)) return "fixkeep/env." + std::string{name};
  std::string word{name.substr(ours.size())};
  for (char& c : word) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return "fixkeep/" + word;
}

Json annotations_of(const ServerRequest& request) {
  Json annotations{{attempt_annotation, request.attempt}};
  for (const std::string& each : request.environment) {
    const auto end = each.find('=');
    if (end == std::string::npos || is_of_no_use(each)) continue;
    annotations[annotation_of(std::string_view{each}.substr(0, end))] = each.substr(end + 1);
  }
  return annotations;
}

ServerState state_of(std::string_view word) {
  if (word == "Shutdown" || word == "Unhealthy" || word == "Error") return ServerState::ending;
  // Agones gives away servers in these two states. A server in an unknown state counts as held,
  // because it must not be forgotten.
  return word == "Ready" || word == "RequestReady" ? ServerState::free : ServerState::held;
}

wire::RoomPlace place_of(const Json& status) {
  wire::RoomPlace place{text_at(status, "address"), {}};
  const Json& ports = at(status, "ports");
  if (!ports.is_array()) return place;
  for (const Json& each : ports) {
    if (place.ports.size() > wire::limits::ports) break;
    const auto number = number_at(each, "port").value_or(0);
    auto name = text_at(each, "name");
    if (name.empty()) {
      name = place.ports.empty() ? wire::main_port_name : wire::unnamed_port(place.ports.size());
    }
    place.ports.push_back({std::move(name), std::in_range<std::uint16_t>(number)
                                                ? static_cast<std::uint16_t>(number)
                                                : std::uint16_t{0}});
  }
  return place;
}

std::optional<std::uint32_t> to_count(std::optional<std::int64_t> number) {
  if (!number || !std::in_range<std::uint32_t>(*number)) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// Uses the newest method that the server has: a list, a counter or player tracking.
std::optional<std::uint32_t> players_of(const Json& status) {
  const Json& list = at(at(status, "lists"), counted);
  if (list.is_object()) {
    const Json& values = at(list, "values");  // missing while the list is empty
    return values.is_array() ? static_cast<std::uint32_t>(values.size()) : 0U;
  }
  const Json& counter = at(at(status, "counters"), counted);
  if (counter.is_object()) return to_count(number_at(counter, "count").value_or(0));
  const Json& players = at(status, "players");
  return players.is_object() ? to_count(number_at(players, "count").value_or(0)) : std::nullopt;
}

}  // namespace

// --- names ---------------------------------------------------------------------------------------

std::string label_value(std::string_view text) {
  if (is_label(text)) return std::string{text};
  std::string value{text.substr(0, most_label - 17)};
  for (char& c : value) c = may_be_in_label(c) ? c : '-';
  if (!value.empty() && !is_alnum(value.front())) value.front() = 'x';
  std::array<char, 18> hash{};
  std::snprintf(hash.data(), hash.size(), "-%016llx", hash_of(text));
  return (value.empty() ? "x" : value) + hash.data();
}

std::string selector_of(const FleetOwner& owner) {
  return std::string{cluster_label} + "=" + label_value(owner.cluster) + "," + worker_label + "=" +
         label_value(owner.worker);
}

std::string selector_of_room(const std::string& object) {
  return std::string{room_label} + "=" + label_value(object);
}

kubernetes::Resource servers_in(const std::string& space) {
  return {api, space, "gameservers"};
}

kubernetes::Resource fleets_in(const std::string& space) {
  return {api, space, "fleets"};
}

// --- taking a server -----------------------------------------------------------------------------

ApiCall allocation(const std::string& space, const FleetOwner& owner,
                   const ServerRequest& request) {
  Json selectors = Json::array();
  for (const std::string& fleet : request.fleets) {
    selectors.push_back({{"matchLabels", {{"agones.dev/fleet", fleet}}}});
  }
  const Json labels{{cluster_label, label_value(owner.cluster)},
                    {worker_label, label_value(owner.worker)},
                    {room_label, label_value(request.object)}};
  const Json body{{"apiVersion", "allocation.agones.dev/v1"},
                  {"kind", "GameServerAllocation"},
                  {"spec",
                   {{"selectors", std::move(selectors)},
                    {"metadata", {{"labels", labels}, {"annotations", annotations_of(request)}}}}}};
  return {
      .method = "POST",
      .target = kubernetes::Resource{allocation_api, space, "gameserverallocations"}.collection(),
      .body = dump(body)};
}

AskAnswer read_allocation(const ApiCall& call, const ApiAnswer& answer) {
  using Kind = AskAnswer::Kind;
  const auto [problem, words, pause] = kubernetes::judge(call, answer);
  switch (problem) {
    case ApiProblem::none: break;
    case ApiProblem::lost:
    case ApiProblem::conflict:
    case ApiProblem::already_exists: return {Kind::lost, words};
    case ApiProblem::unauthorized:
    case ApiProblem::not_found:  // the API server may be starting
    case ApiProblem::gone:
    case ApiProblem::too_many: return {Kind::not_now, words};
    case ApiProblem::forbidden:
    case ApiProblem::exceeded_quota:
    case ApiProblem::invalid:
    case ApiProblem::refused: return {Kind::refused, words};
  }
  // The HTTP status alone does not show whether the request took a server.
  const Json status = at(kubernetes::parsed(answer.body), "status");
  const std::string state = text_at(status, "state");
  if (state == "Allocated") return {Kind::given, {}};
  if (state == "UnAllocated") return {Kind::none, "no server of its fleets is free"};
  if (state == "Contention") return {Kind::not_now, "others took the same server"};
  return {Kind::lost, "the answer is no allocation: " + printable(answer.body.substr(0, 100))};
}

// --- releasing a server --------------------------------------------------------------------------

ApiCall release(const std::string& space, const FreeServer& wanted) {
  const FleetServer& server = wanted.server;
  const Json version{{"uid", server.uid}, {"resourceVersion", server.version}};
  ApiCall call{.method = "DELETE", .target = servers_in(space).item(server.name)};
  if (!wanted.only_name) {
    call.body = dump({{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", version}});
    return call;
  }
  Json metadata = version;
  for (const char* each : {cluster_label, worker_label, room_label}) {
    metadata["labels"][each] = nullptr;
  }
  metadata["annotations"] = {{attempt_annotation, nullptr}, {"fixkeep/seat-key", nullptr}};
  call.method = "PATCH";
  call.content_type = "application/merge-patch+json";
  call.body = dump({{"metadata", metadata}});
  return call;
}

FreeAnswer read_release(const ApiCall& call, const ApiAnswer& answer) {
  switch (kubernetes::judge(call, answer).problem) {
    case ApiProblem::none: return FreeAnswer::done;
    case ApiProblem::conflict:
    case ApiProblem::invalid: return FreeAnswer::changed;
    case ApiProblem::lost:
    case ApiProblem::unauthorized:
    case ApiProblem::forbidden:
    case ApiProblem::exceeded_quota:
    case ApiProblem::not_found:  // server or API missing; the watch will show which
    case ApiProblem::already_exists:
    case ApiProblem::gone:
    case ApiProblem::too_many:
    case ApiProblem::refused: return FreeAnswer::failed;
  }
  return FreeAnswer::failed;
}

// --- servers -------------------------------------------------------------------------------------

std::optional<FleetServer> read_server(const Json& object) {
  const Json& metadata = at(object, "metadata");
  const Json& status = at(object, "status");
  FleetServer server{.name = text_at(metadata, "name"),
                     .uid = text_at(metadata, "uid"),
                     .version = text_at(metadata, "resourceVersion"),
                     .room = text_at(at(metadata, "labels"), room_label),
                     .attempt = text_at(at(metadata, "annotations"), attempt_annotation),
                     .state = ServerState::held,
                     .state_name = text_at(status, "state"),
                     .deleted = !text_at(metadata, "deletionTimestamp").empty(),
                     .place = place_of(status),
                     .players = players_of(status)};
  if (!is_name(server.name) || !is_name(server.uid) || !is_name(server.version)) return {};
  if (!is_label(server.room)) return {};
  server.state = state_of(server.state_name);
  server.state_name = printable(server.state_name.substr(0, most_label));
  return server;
}

std::optional<bool> has_objects(const ApiAnswer& answer) {
  if (answer.status != 200) return std::nullopt;
  const Json list = kubernetes::parsed(answer.body);
  const Json& items = at(list, "items");
  if (!items.is_array()) return std::nullopt;
  return !items.empty();
}

std::uint32_t ready_servers(const Json& fleet) {
  return to_count(number_at(at(fleet, "status"), "readyReplicas").value_or(0)).value_or(0);
}

}  // namespace fixkeep::worker::agones
