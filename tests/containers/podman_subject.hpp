// Games in containers of a real Podman, for tests.
//
// Thread rule, bounds and errors: as docker_subject.hpp.
#pragma once

#include "tests/unit/worker/runner/runner_subject.hpp"

namespace fixkeep::worker {

[[nodiscard]] RunnerSubject podman_subject();

}  // namespace fixkeep::worker
