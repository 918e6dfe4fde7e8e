#include "worker/runner/containers/container_engine.hpp"

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/containers/stand_in_engine.hpp"

namespace fixkeep::worker::containers {
namespace {

using testing::ElementsAre, testing::StartsWith;

std::string created(const std::string& name, const std::string& worker) {
  return R"({"Action":"create","Actor":{"Attributes":{"name":")" + name +
         R"(","fixkeep.cluster":"c","fixkeep.worker":")" + worker + "\"}}}\n";
}

// Podman tells events of containers that have one of several labels.
TEST(ContainerEngine, removes_no_container_of_another_worker) {
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  std::vector<std::string> removed;
  std::thread engine{[path = (folder / "engine.sock").string(), &removed] {
    boost::asio::io_context own{1};
    StandInEngine stand_in{
        own, path, [&removed, &own](const std::string& request) {
          const std::string line = request.substr(0, request.find('\r'));
          if (line.find("/events") != std::string::npos) {
            return StandInEngine::ok(created("theirs", "w2") + created("ours", "w1"));
          }
          if (line.starts_with("DELETE")) {
            removed.push_back(line);
            own.stop();
          }
          return StandInEngine::ok("[]");
        }};
    own.run_for(std::chrono::seconds{60});
  }};
  RunnerOptions options;
  options.cluster = "c";
  options.worker = WorkerId{"w1"};
  options.state_folder = (folder / "state").string();
  options.engine_socket = (folder / "engine.sock").string();
  const auto runner = make_container_runner(context, options, {});
  EXPECT_EQ(runner->open(), "");
  runner->end_others();
  std::thread worker{[&] { context.run_for(std::chrono::seconds{60}); }};
  engine.join();
  context.stop();
  worker.join();
  EXPECT_THAT(removed, ElementsAre(StartsWith("DELETE /v1.41/containers/ours?")));
}

}  // namespace
}  // namespace fixkeep::worker::containers
