// Text files as an archive in the format of POSIX (ustar, pax for long names), which is what an
// engine takes files in.
//
// Thread rule: a free function. Bounds: what it is given, and four blocks of 512 bytes a file and a
// folder. Errors: none; REQUIRES: each path is relative and has no "..".
#pragma once

#include <string>
#include <vector>

#include "worker/keeper/game_program.hpp"

namespace fixkeep::worker::docker {

// The files are in the folder, which is there even without any. Any user may read and change them
// and the folders on their way, since nobody here knows who the image runs its game as.
[[nodiscard]] std::string tar_of(const std::string& folder, const std::vector<GameFile>& files);

}  // namespace fixkeep::worker::docker
