// A pod as the worker orders it and as the cluster shows it.
//
// Thread rule: values. Bounds: see the configuration and the bounds of an API server's answer.
// Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker::kubernetes {

// A worker finds its own pods by these labels; the annotation names a pod's owner.
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

// The container beside the game that brings the SDK (worker/sdk/relay/relay.hpp).
struct SdkRelayOrder {
  std::string image;  // empty: no relay
  std::string host;   // the worker's host
  std::uint16_t port = 0;
  std::string token;
  std::chrono::milliseconds alone{0};
};

struct PodOrder {
  std::string name;  // unique in a namespace, which refuses a second one
  Owner owner;
  std::string room;      // name in all runs of all workers
  std::string creation;  // its order
  std::string mode;
  std::string pod_template;              // JSON from the configuration
  std::vector<std::string> command;      // empty: the template's, or its image's
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<wire::NamedPort> ports;    // listening ports of the node
  std::chrono::seconds grace{0};         // time to end when a node is drained
  SdkRelayOrder sdk;
};

// A pod as the cluster shows it.
struct Pod {
  std::string name;
  std::string uid;
  std::string owner;                   // the form of owner_text(); empty: not ours
  std::string room;                    // empty: not told
  std::vector<wire::NamedPort> ports;  // ports in its annotation
  std::string host;                    // the node's host; empty: it has no node yet
  std::string node;
  bool runs = false;      // its game runs
  bool ended = false;     // its game, or the whole pod, has ended
  bool over = false;      // all its containers have ended
  bool deleting = false;  // it is on its way out
  int exit_code = 0;      // the ended game's, if known
  bool knows_code = false;
  std::string why_ended;      // "OOMKilled", "Evicted: …"; empty: only the code is known
  std::string why_waiting;    // "Unschedulable: …", "ErrImagePull: …"; empty: not known
  bool cannot_start = false;  // the reason is final
  bool unschedulable = false;
};

}  // namespace fixkeep::worker::kubernetes
