// Games in containers of a real engine, for tests: the worker, the launches of its games, and
// what the engine shows of it.
//
// Thread rule: one thread. Bounds: a limit for each question. Errors: an engine that does not
// answer is thrown as std::runtime_error, so that no test takes its silence for an empty machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/unit/worker/runner/runner_subject.hpp"
#include "worker/runner/containers/container.hpp"
#include "worker/runner/containers/dialect.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::test_docker {

inline constexpr auto socket_path = "/var/run/docker.sock";
inline constexpr auto image = "fixkeep-test-tools";  // of scripts/private-engine.sh

[[nodiscard]] RunnerOptions options_in(const std::string& folder);
[[nodiscard]] Launch launch_of(const std::string& room, std::vector<std::string> command);

// Asks the engine, and returns the body of the answer. The status has to be one of those that mean
// it was done, or that there was nothing to do.
std::string ask_at(const containers::EnginePlace& engine, const std::string& method,
                   const std::string& target, const std::string& body = {});
std::string ask(const std::string& method, const std::string& target, const std::string& body = {});
[[nodiscard]] std::optional<containers::Container> shown(const std::string& name);
[[nodiscard]] std::vector<containers::Container> all_containers();

// The subject of an engine, without `occupy`.
using Make = decltype(RunnerSubject::make);
[[nodiscard]] RunnerSubject subject(const std::string& name, const containers::EnginePlace& engine,
                                    Make make);

}  // namespace fixkeep::worker::test_docker

namespace fixkeep::worker {

[[nodiscard]] RunnerSubject docker_subject();

}  // namespace fixkeep::worker
