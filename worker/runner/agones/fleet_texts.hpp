// Requests to the API of Kubernetes about the game servers of Agones and the readers of its answers
// (agones.dev/site/docs/reference/gameserverallocation).
//
// The facts of a room travel in the same update as the request that takes its server. Every
// variable that a game on this machine would have in its environment is an annotation.
//
// Thread rule: free functions; sans-IO. Bounds: a name of at most `most_name` bytes; a server with
// more ports than a room may have is read with one too many. Fault model: a proxy may answer and
// say anything; a member may be missing. Errors: no value for an object that is no server; a
// malformed answer is AskAnswer::Kind::lost.
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

// A worker's servers have these two labels and their room's.
struct FleetOwner {
  std::string cluster;
  std::string worker;
};
inline constexpr auto cluster_label = "fixkeep/cluster";
inline constexpr auto worker_label = "fixkeep/worker";
inline constexpr auto room_label = "fixkeep/room";
inline constexpr auto attempt_annotation = "fixkeep/attempt";

// The text as a label: letters, digits, "-", "_" and ".". Other characters are replaced and a long
// text is cut. A hash of the whole then keeps it unique.
[[nodiscard]] std::string label_value(std::string_view text);
[[nodiscard]] std::string selector_of(const FleetOwner& owner);
[[nodiscard]] std::string selector_of_room(const std::string& object);

[[nodiscard]] kubernetes::Resource servers_in(const std::string& space);
[[nodiscard]] kubernetes::Resource fleets_in(const std::string& space);

struct ServerRequest {
  std::string object;
  std::string attempt;
  std::vector<std::string> fleets;       // the first one with a free server gives it
  std::vector<std::string> environment;  // "NAME=value"
};
[[nodiscard]] kubernetes::ApiCall allocation(const std::string& space, const FleetOwner& owner,
                                             const ServerRequest& request);
[[nodiscard]] AskAnswer read_allocation(const kubernetes::ApiCall& call,
                                        const kubernetes::ApiAnswer& answer);

// A later version of the object is left alone.
[[nodiscard]] kubernetes::ApiCall release(const std::string& space, const FreeServer& wanted);
[[nodiscard]] FreeAnswer read_release(const kubernetes::ApiCall& call,
                                      const kubernetes::ApiAnswer& answer);

[[nodiscard]] std::optional<FleetServer> read_server(const kubernetes::Json& object);
// Says whether a list has any object; nullopt: not a list.
[[nodiscard]] std::optional<bool> has_objects(const kubernetes::ApiAnswer& answer);
// Returns the number of Ready servers in a fleet.
[[nodiscard]] std::uint32_t ready_servers(const kubernetes::Json& fleet);

}  // namespace fixkeep::worker::agones
