// The worker's order of a pod, and the pod that the cluster shows.
//
// Thread rule: values. Bounds: those of the configuration and of an API server's answer.
// Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker::kubernetes {

// A worker finds its own pods by these labels. The annotation contains a pod's owner.
inline constexpr std::string_view cluster_label = "fixkeep.io/cluster";
inline constexpr std::string_view worker_label = "fixkeep.io/worker";
inline constexpr std::string_view room_label = "fixkeep.io/room";
inline constexpr std::string_view mode_label = "fixkeep.io/mode";
inline constexpr std::string_view owner_annotation = "fixkeep.io/owner";
inline constexpr std::string_view ports_annotation = "fixkeep.io/ports";

struct Owner {
  std::string cluster;
  std::string worker;
};

// A container beside the game. It connects the game to its SDK (worker/sdk/relay/relay.hpp).
struct SdkRelayOrder {
  std::string image;  // empty: no relay
  std::string host;   // the worker's host
  std::uint16_t port = 0;
  std::string token;
  std::chrono::milliseconds alone{0};
};

struct PodOrder {
  std::string name;  // unique: the namespace refuses a second pod of this name
  Owner owner;
  std::string room;      // unique among all rooms of all workers
  std::string creation;  // CreationId of the room
  std::string mode;
  std::string pod_template;              // JSON from the configuration
  std::vector<std::string> command;      // empty: the command of the template or of its image
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<wire::NamedPort> ports;    // listening ports of the node
  std::chrono::seconds grace{0};         // time for the game to end when its node is drained
  SdkRelayOrder sdk;
};

// A pod that the cluster shows.
struct Pod {
  std::string name;
  std::string uid;
  std::string owner;                   // the text of owner_text(); empty: not ours
  std::string room;                    // empty: not known
  std::vector<wire::NamedPort> ports;  // the ports in its annotation
  std::string host;                    // the node's host; empty: no node yet
  std::string node;
  bool runs = false;      // the game runs
  bool ended = false;     // the game or the whole pod has ended
  bool over = false;      // all containers of the pod have ended
  bool deleting = false;  // the cluster is removing it
  int exit_code = 0;      // the game's exit code after its end, if known
  bool knows_code = false;
  std::string why_ended;  // for example "OOMKilled" or "Evicted: …"; empty: only the code is known
  std::string why_waiting;    // for example "ErrImagePull: …"; empty: not known
  bool cannot_start = false;  // `why_waiting` is final
  bool unschedulable = false;
};

}  // namespace fixkeep::worker::kubernetes
