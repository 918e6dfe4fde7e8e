// A cluster of pods before an API server that lists nothing and refuses every removal.
#include "worker/runner/kubernetes/pod_cluster.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "common/net/http/server.hpp"
#include "common/obs/log.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker::kubernetes {
namespace {

using namespace std::chrono_literals;

// It has a thread of its own, since a worker waits for its first answers.
class RefusingServer {
 public:
  RefusingServer() : server_{net::HttpServer::start(io_, {}, answer).value()} {
    thread_ = std::thread{[this] { io_.run(); }};
  }
  ~RefusingServer() {
    io_.stop();
    thread_.join();
  }
  RefusingServer(const RefusingServer&) = delete;
  RefusingServer& operator=(const RefusingServer&) = delete;
  [[nodiscard]] std::string kubeconfig() const {
    const std::string server = "http://127.0.0.1:" + std::to_string(server_->port());
    return R"({"current-context":"a","clusters":[{"name":"a","cluster":{"server":")" + server +
           R"("}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],)"
           R"("users":[{"name":"a","user":{}}]})";
  }

 private:
  static void answer(net::HttpRequest&& request, const net::HttpResponder& responder) {
    if (request.method_string() == "DELETE") {
      return responder.answer(
          {.status = 403,
           .body = R"({"kind":"Status","reason":"Forbidden","code":403,)"
                   R"("message":"pods \"p\" is forbidden: User \"w1\" cannot delete resource )"
                   R"(\"pods\" in API group \"\" in the namespace \"games\""})"});
    }
    responder.answer({.body = R"({"metadata":{"resourceVersion":"1"},"items":[]})"});
  }

  boost::asio::io_context io_;
  std::unique_ptr<net::HttpServer> server_;
  std::thread thread_;
};

TEST(PodCluster, a_missing_right_is_logged_though_no_room_fails_for_it) {
  const test::TemporaryFolder folder;
  const RefusingServer server;
  std::ofstream{folder.string() + "/cluster.json"} << server.kubeconfig();
  const auto logged = [&] {
    std::ifstream file{folder.string() + "/log"};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  ASSERT_TRUE(obs::start_log({.file = folder.string() + "/log"}));
  boost::asio::io_context io;
  PodCluster cluster{io,
                     {"c", "w1"},
                     {.listed = [](const auto&) {},
                      .changed = [](const Pod&) {},
                      .removed = [](const Pod&) {},
                      .away = [](const std::string&) {},
                      .back = [] {}}};
  std::vector<Pod> earlier;
  ASSERT_EQ(cluster.open({.kubeconfig = folder.string() + "/cluster.json", .name_space = "games"},
                         earlier),
            "");
  cluster.remove_stray("p", {.owner = "c w1 w1-1 7.m1.0", .uid = "u1"});
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (logged().empty() && std::chrono::steady_clock::now() < until) io.run_for(20ms);
  cluster.close();
  obs::stop_log();
  EXPECT_THAT(logged(), testing::HasSubstr("error - this worker lacks a right reason=\"needs the "
                                           "right to delete pods in namespace games: "));
}

}  // namespace
}  // namespace fixkeep::worker::kubernetes
