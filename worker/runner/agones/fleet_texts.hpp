// Makes requests about game servers of Agones to the API of Kubernetes and reads its answers
// (agones.dev/site/docs/reference/gameserverallocation).
//
// The request that takes a server also writes the facts about the room on the server, in the same
// update. Each environment variable of a game on this machine becomes an annotation of the server.
//
// Thread rule: free functions; sans-IO. Bounds: a name of at most `most_name` bytes; if a server
// has more ports than a room may have, the result has one port more than allowed. Fault model: a
// proxy may answer with any text; a member may be missing. Errors: an object that is not a server
// gives no value; a malformed answer is AskAnswer::Kind::lost.
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

inline constexpr std::size_t most_name = 253;  // the limit of DNS subdomains
inline constexpr std::size_t most_label = 63;

// The owner of servers. Each server has labels for the cluster, the worker and the room.
struct FleetOwner {
  std::string cluster;
  std::string worker;
};
inline constexpr auto cluster_label = "fixkeep/cluster";
inline constexpr auto worker_label = "fixkeep/worker";
inline constexpr auto room_label = "fixkeep/room";
inline constexpr auto attempt_annotation = "fixkeep/attempt";

// Returns a valid label: letters, digits, "-", "_" and ".". Other characters are replaced, and a
// long text is cut. A hash of the whole text then keeps the label unique.
[[nodiscard]] std::string label_value(std::string_view text);
[[nodiscard]] std::string selector_of(const FleetOwner& owner);
[[nodiscard]] std::string selector_of_room(const std::string& object);

[[nodiscard]] kubernetes::Resource servers_in(const std::string& space);
[[nodiscard]] kubernetes::Resource fleets_in(const std::string& space);

struct ServerRequest {
  std::string object;
  std::string attempt;
  std::vector<std::string> fleets;  // the server is from the first fleet that has a free server
  std::vector<std::string> environment;  // "NAME=value"
};
[[nodiscard]] kubernetes::ApiCall allocation(const std::string& space, const FleetOwner& owner,
                                             const ServerRequest& request);
[[nodiscard]] AskAnswer read_allocation(const kubernetes::ApiCall& call,
                                        const kubernetes::ApiAnswer& answer);

// Returns the call that releases a server. If the server's object has a later version, nothing
// happens.
[[nodiscard]] kubernetes::ApiCall release(const std::string& space, const FreeServer& wanted);
[[nodiscard]] FreeAnswer read_release(const kubernetes::ApiCall& call,
                                      const kubernetes::ApiAnswer& answer);

[[nodiscard]] std::optional<FleetServer> read_server(const kubernetes::Json& object);
// Says whether a list contains an object. Nullopt: not a list.
[[nodiscard]] std::optional<bool> has_objects(const kubernetes::ApiAnswer& answer);
// Returns the number of Ready servers in a fleet.
[[nodiscard]] std::uint32_t ready_servers(const kubernetes::Json& fleet);

}  // namespace fixkeep::worker::agones
