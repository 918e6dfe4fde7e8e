#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

// Not one more than are open now, until the end of the scope.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest_free = ::dup(0);
    ::close(lowest_free);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(lowest_free);
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(LinkHubTest, says_that_it_cannot_accept_and_does_once_it_can) {
  const auto listener = start(master());
  tcp::socket waiting{io};
  waiting.open(tcp::v4());
  ::testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    waiting.connect({asio::ip::address_v4::loopback(), listener->hub->port()});
    // The acceptor is ready at once, and tries again and again.
    io.run_for(200ms);
  }
  const auto told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, ::testing::HasSubstr("cannot accept a link"));
  EXPECT_THAT(told, ::testing::HasSubstr("Too many open files"));
  const auto dialler = start(worker(), *listener);
  EXPECT_TRUE(until([&] { return listener->is_up() && dialler->is_up(); }));
}

}  // namespace
}  // namespace fixkeep::net
