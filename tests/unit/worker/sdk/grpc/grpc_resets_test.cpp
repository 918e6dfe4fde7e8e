// A game that opens calls and takes them back at once, in frames of HTTP/2 (RFC 9113) by hand.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_posix.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/process/proc.hpp"
#include "tests/unit/worker/sdk/grpc/grpc_game.hpp"
#include "worker/sdk/grpc/call_bound.hpp"

namespace fixkeep::worker::test {
namespace {

constexpr std::size_t megabyte = 1U << 20U;

std::string frame(char type, char flags, std::uint32_t stream, const std::string& payload) {
  constexpr std::size_t head_bytes = 9;
  std::string head(head_bytes, '\0');
  head[2] = static_cast<char>(payload.size());
  head[3] = type;
  head[4] = flags;
  for (std::uint32_t i = 0; i < 4; ++i) head[5 + i] = static_cast<char>(stream >> (24 - 8 * i));
  return head + payload;
}

// Literals without indexing: RFC 7541, 6.2.2.
std::string fields_of(const std::string& path) {
  std::string block;
  for (const auto& [name, value] : {std::pair<std::string, std::string>{":method", "POST"},
                                    {":scheme", "http"},
                                    {":path", path},
                                    {":authority", "localhost"},
                                    {"te", "trailers"},
                                    {"content-type", "application/grpc"}}) {
    block += '\0';
    block += static_cast<char>(name.size()) + name + static_cast<char>(value.size()) + value;
  }
  return block;
}

using Tcp = boost::asio::ip::tcp;

// What the worker has to say is read and dropped. False: it has closed the connection.
bool drop_answers(Tcp::socket& client) {
  client.non_blocking(true);
  std::string answers(4096, ' ');
  boost::system::error_code error;
  while (client.read_some(boost::asio::buffer(answers), error) > 0) {}
  client.non_blocking(false);
  return error == boost::asio::error::would_block;
}

const std::string begin_of_connection =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "");  // SETTINGS

std::string opening(std::uint32_t stream, const std::string& path) {
  constexpr char headers = 1;
  constexpr char end_of_headers = 4;
  return frame(headers, end_of_headers, stream, fields_of(path));
}

std::string reset(std::uint32_t stream) {
  return frame(3, 0, stream, std::string("\0\0\0\x08", 4));
}

// Opens so many calls and resets each, until the worker closes the connection.
void open_and_reset(Tcp::socket& client, const std::string& path, bool with_message, int calls) {
  constexpr char data = 0;
  constexpr char end_of_stream = 1;
  std::string bytes = begin_of_connection;
  boost::system::error_code closed;
  for (std::uint32_t stream = 1; calls > 0 && !closed; stream += 2, --calls) {
    bytes += opening(stream, path);
    if (with_message) bytes += frame(data, end_of_stream, stream, std::string(5, '\0'));
    bytes += reset(stream);
    boost::asio::write(client, boost::asio::buffer(bytes), closed);
    bytes.clear();
    (void)drop_answers(client);
  }
}

// Calls that last until all of them end, so that they live at once.
struct EndlessCalls final : grpc::CallbackGenericService {
  struct Call final : grpc::ServerGenericBidiReactor {
    void OnDone() override {}
  };
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    const std::lock_guard lock{mutex};
    auto* const call = calls.emplace_back(std::make_unique<Call>()).get();
    if (over) call->Finish(grpc::Status::CANCELLED);
    return call;
  }
  std::size_t began() {
    const std::lock_guard lock{mutex};
    return calls.size();
  }
  void end_all() {
    const std::lock_guard lock{mutex};
    over = true;
    for (const auto& call : calls) call->Finish(grpc::Status::CANCELLED);
  }
  std::mutex mutex;
  bool over = false;
  std::vector<std::unique_ptr<Call>> calls;
};

// Opens as many calls as may live, resets them, which ends none of them, and opens one more.
TEST(CallBound, counts_calls_that_were_reset_and_still_live) {
  EndlessCalls service;
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(&service);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> bounds;
  bounds.push_back(std::make_unique<CallBound>());
  builder.experimental().SetInterceptorCreators(std::move(bounds));
  const auto server = builder.BuildAndStart();
  boost::asio::io_context own;
  Tcp::acceptor acceptor{own, {boost::asio::ip::address_v4::loopback(), 0}};
  Tcp::socket client{own};
  client.connect(acceptor.local_endpoint());
  Tcp::socket served = acceptor.accept();
  served.non_blocking(true);
  grpc::AddInsecureChannelFromFd(server.get(), served.release());
  const auto is_open_when_so_many_began = [&](std::size_t calls) {
    while (service.began() < calls && drop_answers(client)) std::this_thread::yield();
    return drop_answers(client);
  };

  constexpr std::uint32_t most = CallBound::live_calls_most;
  std::string bytes = begin_of_connection;
  for (std::uint32_t i = 0; i < most; ++i) bytes += opening(2 * i + 1, "/any");
  boost::asio::write(client, boost::asio::buffer(bytes));
  EXPECT_TRUE(is_open_when_so_many_began(most));
  bytes.clear();
  for (std::uint32_t i = 0; i < most; ++i) bytes += reset(2 * i + 1);
  boost::asio::write(client, boost::asio::buffer(bytes + opening(2 * most + 1, "/any")));
  EXPECT_FALSE(is_open_when_so_many_began(most + 1));

  service.end_all();
  server->Shutdown();
}

#ifdef FIXKEEP_SANITIZED
constexpr std::size_t most_megabytes = 800;  // what was freed is put aside for a while
#else
constexpr std::size_t most_megabytes = 100;
#endif

// Without the bound of calls it is 290 MB.
TEST_F(GrpcTest, calls_that_are_reset_at_once_cost_little_and_nobody_elses_connection) {
  constexpr int calls = 15'000;
  ASSERT_EQ(state(), "Scheduled");
  process::reset_peak_memory(::getpid());
  const std::size_t before = process::peak_memory(::getpid());
  for (const auto& [path, with_message] : {std::pair{"/agones.dev.sdk.SDK/GetGameServer", false},
                                           {"/agones.dev.sdk.SDK/GetGameServer", true},
                                           {"/agones.dev.sdk.SDK/Health", true},
                                           {"/agones.dev.sdk.SDK/NoSuchCall", false}}) {
    game([&] {
      boost::asio::io_context own;
      Tcp::socket client{own};
      client.connect({boost::asio::ip::address_v4::loopback(), played->port});
      open_and_reset(client, path, with_message, calls);
      return true;
    });
    game([] {  // gRPC reads on for a while
      std::this_thread::sleep_for(std::chrono::milliseconds{1500});
      return true;
    });
    EXPECT_EQ(state(), "Scheduled") << "over the connection that the game had before";
  }
  const std::size_t most = process::peak_memory(::getpid());
  EXPECT_LT(most - before, most_megabytes * megabyte);
  RecordProperty("megabytes", std::to_string((most - before) / megabyte));
}

}  // namespace
}  // namespace fixkeep::worker::test
