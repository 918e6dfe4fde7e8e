// These texts are said to the API of Kubernetes about the game servers of Agones, and its answers
// are read here (agones.dev/site/docs/reference/gameserverallocation).
//
// What a room needs to know travels with the request that takes its server, in the same update:
// every variable that a game on this machine would have in its environment is an annotation.
//
// Thread rule: free functions; sans-IO. Bounds: a name of at most `most_name` bytes, a server with
// more ports than a room may have is read with one too many. Fault model: whoever answers may be a
// proxy, and say anything; a member may be missing. Errors: no value for what is no server; an
// answer that is none is AskAnswer::Kind::lost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/kubernetes/core/api_call.hpp"
#include "common/net/kubernetes/core/json.hpp"
#include "worker/runner/agones/fleet_rooms.hpp"

namespace fixkeep::worker::agones {

inline constexpr std::size_t most_name = 253;  // a subdomain of the DNS
inline constexpr std::size_t most_label = 63;

// A worker's servers have these two labels, and that of their room.
struct FleetOwner {
  std::string cluster;
  std::string worker;
};
inline constexpr auto cluster_label = "fixkeep/cluster";
inline constexpr auto worker_label = "fixkeep/worker";
inline constexpr auto room_label = "fixkeep/room";
inline constexpr auto attempt_annotation = "fixkeep/attempt";

// The text as a label may have it: letters, digits, "-", "_" and ".". Where it has something else,
// or is too long, it is changed and cut, and a hash of the whole keeps it unique.
[[nodiscard]] std::string label_value(std::string_view text);
[[nodiscard]] std::string selector_of(const FleetOwner& owner);
[[nodiscard]] std::string selector_of_room(const std::string& object);

[[nodiscard]] kubernetes::Resource servers_in(const std::string& space);
[[nodiscard]] kubernetes::Resource fleets_in(const std::string& space);

struct ServerRequest {
  std::string object;
  std::string attempt;
  std::vector<std::string> fleets;       // the first that has a free server gives it
  std::vector<std::string> environment;  // "NAME=value"
};
[[nodiscard]] kubernetes::ApiCall allocation(const std::string& space, const FleetOwner& owner,
                                             const ServerRequest& request);
[[nodiscard]] AskAnswer read_allocation(const kubernetes::ApiCall& call,
                                        const kubernetes::ApiAnswer& answer);

// Nothing happens to a later version of the object.
[[nodiscard]] kubernetes::ApiCall release(const std::string& space, const FreeServer& wanted);
[[nodiscard]] FreeAnswer read_release(const kubernetes::ApiCall& call,
                                      const kubernetes::ApiAnswer& answer);

[[nodiscard]] std::optional<FleetServer> read_server(const kubernetes::Json& object);
// Says whether a list has any object; nothing: it is no list.
[[nodiscard]] std::optional<bool> has_objects(const kubernetes::ApiAnswer& answer);
// Says how many servers of a fleet are Ready.
[[nodiscard]] std::uint32_t ready_servers(const kubernetes::Json& fleet);

}  // namespace fixkeep::worker::agones
