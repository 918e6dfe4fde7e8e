#include "worker/runner/docker/found_containers.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker::docker {
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

}  // namespace
}  // namespace fixkeep::worker::docker
