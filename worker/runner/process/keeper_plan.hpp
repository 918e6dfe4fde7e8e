// Makes the part of a keeper's plan that depends only on the launch.
// Thread rule: free functions.
// Bounds: those of the launch. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "common/net/tls/expiry_watch.hpp"
#include "common/net/tls/https_certificate.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/room_files.hpp"

namespace fixkeep::worker {

// Makes a path absolute: the keeper runs in another folder.
[[nodiscard]] std::string absolute(const std::string& path);

// Makes a plan without user, control group and output: the runner adds these. `program` is a path.
[[nodiscard]] keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files,
                                       const std::string& program);

inline constexpr auto room_tls_program = "fixkeep-room-tls";

// If the room has a port for TLS and there is a certificate, adds the command of fixkeep-room-tls
// to the plan. Warns of a certificate that expires soon. `folders` are searched for the program.
// Returns the error, or an empty text.
[[nodiscard]] std::string end_tls(const Launch& launch, const net::HttpsFiles& files,
                                  const std::vector<std::string>& folders, net::ExpiryWatch& expiry,
                                  keeper::Plan& plan);

}  // namespace fixkeep::worker
