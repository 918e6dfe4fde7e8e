// A pod, as it is ordered of a cluster and as the cluster shows it.
//
// Thread rule: values. Bounds: those of the configuration, and of what an API server's answer may
// have. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker::kubernetes {

// A worker finds its own by these labels; whose a pod is, its annotation says.
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

// The container beside the game that hands it its SDK (worker/sdk/relay/relay.hpp).
struct SdkRelayOrder {
  std::string image;  // empty: there is none
  std::string host;   // of the worker
  std::uint16_t port = 0;
  std::string token;
  std::chrono::milliseconds alone{0};
};

struct PodOrder {
  std::string name;  // unique in a namespace, which refuses a second one
  Owner owner;
  std::string room;      // in all runs of all workers
  std::string creation;  // the order that it carries out
  std::string mode;
  std::string pod_template;              // of the configuration, in JSON
  std::vector<std::string> command;      // empty: that of the template, or of its image
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<wire::NamedPort> ports;    // that the node listens at
  std::chrono::seconds grace{0};         // when a node is drained
  SdkRelayOrder sdk;
};

// A cluster shows this of a pod.
struct Pod {
  std::string name;
  std::string uid;
  std::string owner;                   // as owner_text() writes it; empty: it is none of ours
  std::string room;                    // empty: it does not say
  std::vector<wire::NamedPort> ports;  // as its annotation says them
  std::string host;                    // of its node; empty: it has none yet
  std::string node;
  bool runs = false;      // its game
  bool ended = false;     // its game, or all of it
  bool over = false;      // each of its containers has ended
  bool deleting = false;  // it is on its way out
  int exit_code = 0;      // of a game that has ended, if it is known
  bool knows_code = false;
  std::string why_ended;      // "OOMKilled", "Evicted: …"; empty: no more than the code
  std::string why_waiting;    // "Unschedulable: …", "ErrImagePull: …"; empty: nothing is known
  bool cannot_start = false;  // and will not, for that reason
  bool unschedulable = false;
};

}  // namespace fixkeep::worker::kubernetes
