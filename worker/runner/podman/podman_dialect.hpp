// This dialect is Podman's own API (libpod).
//
// Podman answers nearly every refusal with status 500 and a cause in words. If Podman cannot start
// a container, the container remains "created". If the call to remove a container lacks `volumes`,
// its volume remains. Thread rule: free functions. Bounds: linear in the text. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "worker/runner/containers/dialect.hpp"

namespace fixkeep::worker::podman {

// The body of a new container: a specification of libpod ("SpecGenerator").
[[nodiscard]] std::string specification(const containers::ContainerOrder& order);
[[nodiscard]] std::string remove_target(std::string_view name);
[[nodiscard]] std::string pull_target(std::string_view image);
// Returns the status that Docker would send in the same case.
[[nodiscard]] unsigned dockers_status(unsigned status, std::string_view body);

// Returns the dialect for the version of the API that Podman 4.0 and later serve.
[[nodiscard]] containers::Dialect dialect();

// The socket of `podman system service`: of the system, or of the user `uid`.
[[nodiscard]] std::string usual_socket(unsigned uid, const char* runtime_folder);

}  // namespace fixkeep::worker::podman
