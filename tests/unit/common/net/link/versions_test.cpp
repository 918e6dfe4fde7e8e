// A hub and a node of the release before, which speaks version 1 of the protocol.
#include "tests/support/version_1.hpp"
#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

TEST_F(LinkHubTest, refuses_who_dials_and_speaks_version_1_in_words_that_it_knows) {
  const auto listener = start(master());
  auto old_worker = stranger(*listener);
  asio::write(old_worker, asio::buffer(test::greeting_of_version_1()));
  std::string said;
  bool closed = false;
  asio::async_read(old_worker, asio::dynamic_buffer(said),
                   [&](error_code, std::size_t) { closed = true; });
  ASSERT_TRUE(until([&] { return closed && !listener->failures.empty(); }));
  EXPECT_EQ(said.substr(4, 2), test::refusal_of_version_1().substr(4));
  const LinkFailure& told = listener->failures.back();
  EXPECT_EQ(told.reason, Errc::wrong_version);
  EXPECT_EQ(told.name, "w1");
  EXPECT_EQ(told.other_version, 1U);
  const auto upgraded = start(worker(), *listener);
  EXPECT_TRUE(until([&] { return listener->is_up() && upgraded->is_up(); }));
}

TEST_F(LinkHubTest, knows_of_a_master_that_refuses_it_which_version_that_speaks) {
  tcp::acceptor old_master{io, {asio::ip::address_v4::loopback(), 0}};
  tcp::socket link{io};
  std::array<char, 1024> greeting{};
  old_master.async_accept(link, [&](error_code) {
    link.async_read_some(asio::buffer(greeting), [&](error_code, std::size_t) {
      asio::write(link, asio::buffer(test::refusal_of_version_1()));
      link.close();
    });
  });
  const auto dialler = start(worker());
  dialler->hub->dial({"m1", "127.0.0.1", old_master.local_endpoint().port()});
  ASSERT_TRUE(until([&] { return !dialler->failures.empty(); }));
  const LinkFailure& told = dialler->failures.front();
  EXPECT_TRUE(told.dialled);
  EXPECT_EQ(told.reason, Errc::wrong_version);
  EXPECT_EQ(told.other_version, 1U);
}

}  // namespace
}  // namespace fixkeep::net
