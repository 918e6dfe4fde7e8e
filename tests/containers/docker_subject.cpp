#include "tests/containers/docker_subject.hpp"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "tests/containers/podman_subject.hpp"
#include "worker/runner/containers/engine_client.hpp"
#include "worker/runner/containers/engine_texts.hpp"
#include "worker/runner/docker/docker_engine.hpp"

namespace fixkeep::worker {
namespace test_docker {

RunnerOptions options_in(const std::string& folder) {
  RunnerOptions options;
  options.cluster = "test";
  options.worker = WorkerId{"w1"};
  options.state_folder = folder + "/state";
  options.output.file_bytes = 65536;
  return options;
}

Launch launch_of(const std::string& room, std::vector<std::string> command) {
  Launch launch;
  launch.name = room;
  launch.object = "fixkeep-test-" + room;
  launch.game.command = std::move(command);
  launch.game.environment = {"FIXKEEP_ROOM_ID=" + room, "OUT=/var"};
  launch.container.image = image;
  launch.container.network = ContainerNetwork::host;
  launch.alone = std::chrono::minutes{1};
  return launch;
}

std::string ask_at(const containers::EnginePlace& engine, const std::string& method,
                   const std::string& target, const std::string& body) {
  net::HttpCall call;
  call.method = method;
  call.target = target;
  call.fields = {{"Content-Type", "application/json"}};
  call.body = body;
  const auto answer =
      containers::ask_engine_and_wait(engine, std::move(call), std::chrono::seconds{60});
  if (answer.status == 0 || answer.status == 400 || answer.status >= 500) {
    throw std::runtime_error{"the engine says to " + method + " " + target + ": " + answer.body};
  }
  return answer.body;
}

std::string ask(const std::string& method, const std::string& target, const std::string& body) {
  return ask_at(socket_path, method, target, body);
}

std::optional<containers::Container> shown(const std::string& name) {
  return containers::parse_container(ask("GET", containers::container_target(name, "json")));
}

std::vector<containers::Container> all_containers() {
  return containers::parse_containers(ask("GET", containers::list_target("test", "w1"))).value();
}

namespace {

// An engine tells late of a container of the last test: no name is used again.
Launch launch_in(const std::string& folder, const std::string& room,
                 std::vector<std::string> command) {
  Launch launch = launch_of(room, std::move(command));
  launch.object += "-" + std::filesystem::path{folder}.filename().string();
  return launch;
}

}  // namespace

RunnerSubject subject(const std::string& name, const containers::EnginePlace& engine, Make make) {
  return {.name = name,
          .make = std::move(make),
          .launch =
              [](const std::string& folder, const std::string& room, const std::string& script) {
                return launch_in(folder, room, {"/bin/sh", "-c", script});
              },
          .broken =
              [](const std::string& folder, const std::string& room) {
                // A program that is not there begins, since the container's first process is
                // another one, and ends with 127.
                Launch launch = launch_in(folder, room, {"/bin/true"});
                launch.user = "nobody-of-this-name";
                return launch;
              },
          .exists =
              [engine](const std::string&, const Launch& launch) {
                const auto target = containers::container_target(launch.object, "json");
                return containers::parse_container(ask_at(engine, "GET", target)).has_value();
              },
          .has_made =
              [engine](const std::string&, const Launch& launch, const std::string& file) {
                const auto target = containers::archive_target(launch.object, "/var/" + file);
                const auto said = ask_at(engine, "GET", target);
                return !said.empty() && said.find(R"("message":)") == std::string::npos;
              },
          .remove =
              [engine](const std::string&, const Launch& launch) {
                ask_at(engine, "DELETE", engine.dialect.remove_target(launch.object));
              },
          .places = false};
}

}  // namespace test_docker

RunnerSubject docker_subject() {
  RunnerSubject subject =
      test_docker::subject("docker", test_docker::socket_path,
                           [](boost::asio::io_context& context, const std::string& folder) {
                             return make_docker_runner(context, test_docker::options_in(folder));
                           });
  subject.occupy = [](const std::string&, const Launch& launch) {
    test_docker::ask("POST", containers::create_target(launch.object),
                     std::string{R"({"Image":")"} + test_docker::image + R"("})");
  };
  return subject;
}

std::vector<RunnerSubject> runner_subjects() {
  return {docker_subject(), podman_subject()};
}

}  // namespace fixkeep::worker
