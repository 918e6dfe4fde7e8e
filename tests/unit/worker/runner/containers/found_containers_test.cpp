#include "worker/runner/containers/found_containers.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/containers/stand_in_engine.hpp"

namespace fixkeep::worker::containers {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string look_at(const fs::path& socket) {
  return FoundContainers{socket.string(), {"c", "w1"}}.look();
}

// Neither of these is waited for, since it does not come by itself.
TEST(FoundContainers, says_that_what_should_be_the_socket_of_an_engine_is_none) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "docker.sock";
  std::ofstream{path} << "a file";
  EXPECT_THAT(look_at(path), HasSubstr(path.string()));
  EXPECT_THAT(look_at(path), HasSubstr("it is no socket"));
}

TEST(FoundContainers, says_which_group_may_use_the_socket_of_the_engine) {
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms{0755});
  const fs::path path = folder.path() / "docker.sock";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int engine = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(engine, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(engine, 1), 0);
  fs::permissions(path, fs::perms{0});
  constexpr uid_t nobody = 65534;
  const uid_t self = ::geteuid();
  if (self == 0) ASSERT_EQ(::seteuid(nobody), 0);
  const std::string refused = look_at(path);
  ASSERT_EQ(::seteuid(self), 0);
  ::close(engine);
  EXPECT_THAT(refused, HasSubstr("has to be in the group " + std::string{self == 0 ? "root" : ""}));
}

// Else the room would be ended, with all who play in it.
TEST(FoundContainers, are_asked_again_where_the_engine_hangs_up_once) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "docker.sock").string();
  boost::asio::io_context context{1};
  int looks = 0;
  const StandInEngine engine{context, path, [&](const std::string& request) {
                               if (request.find("/containers/json") != std::string::npos) {
                                 return StandInEngine::ok(R"([{"Names":["/a"],"State":"running",
                                   "Labels":{"fixkeep.room":"w1-1"}}])");
                               }
                               if (++looks == 1) return std::string{};
                               return StandInEngine::ok(R"({"State":{"Status":"running"},
                                 "HostConfig":{"NetworkMode":"host"}})");
                             }};
  std::thread thread{[&] { context.run(); }};
  FoundContainers found{path, {"c", "w1"}};
  EXPECT_EQ(found.look(), "");
  EXPECT_TRUE(found.listeners_of("w1-1").has_value());
  context.stop();
  thread.join();
}

}  // namespace
}  // namespace fixkeep::worker::containers
