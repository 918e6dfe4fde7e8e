// A Dialect describes the differences between an engine and Docker. The default is Docker itself.
//
// Thread rule: values. Bounds: none. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "worker/runner/containers/container.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {

[[nodiscard]] inline unsigned same_status(unsigned status, std::string_view /*body*/) {
  return status;
}

struct Dialect {
  std::string usual_socket = "/var/run/docker.sock";
  std::string_view api{};  // before every target; empty: a version that is agreed with the engine
  std::string_view bridge = "bridge";  // name of the usual network
  std::string (*create_target)(std::string_view name) = containers::create_target;
  std::string (*create_body)(const ContainerOrder& order) = containers::create_body;
  std::string (*remove_target)(std::string_view name) = containers::remove_target;
  std::string (*pull_target)(std::string_view image) = containers::pull_target;
  // Converts a status to the status that Docker would send in the same case.
  unsigned (*status_of)(unsigned status, std::string_view body) = same_status;
};

struct EnginePlace {
  // If only a path is given, the engine is Docker.
  EnginePlace(std::string at, Dialect of = {}) : socket(std::move(at)), dialect(std::move(of)) {}
  EnginePlace(const char* at) : socket(at) {}

  std::string socket;
  Dialect dialect;
};

}  // namespace fixkeep::worker::containers
