#include "tests/containers/podman_subject.hpp"

#include "tests/containers/docker_subject.hpp"
#include "worker/runner/podman/podman_dialect.hpp"
#include "worker/runner/podman/podman_engine.hpp"

namespace fixkeep::worker {

RunnerSubject podman_subject() {
  const containers::EnginePlace engine{podman::dialect().usual_socket, podman::dialect()};
  RunnerSubject subject = test_docker::subject(
      "podman", engine, [](boost::asio::io_context& context, const std::string& folder) {
        return make_podman_runner(context, test_docker::options_in(folder));
      });
  subject.occupy = [engine](const std::string&, const Launch& launch) {
    test_docker::ask_at(
        engine, "POST", "/containers/create",
        R"({"image":")" + launch.container.image + R"(","name":")" + launch.object + R"("})");
  };
  return subject;
}

}  // namespace fixkeep::worker
