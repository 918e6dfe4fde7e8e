// A game that opens calls and takes them back at once, in frames of HTTP/2 (RFC 9113) by hand.
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "common/process/proc.hpp"
#include "tests/unit/worker/sdk/grpc/grpc_game.hpp"

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

// Opens so many calls and resets each, until the worker closes the connection.
void open_and_reset(std::uint16_t port, const std::string& path, bool with_message, int calls) {
  constexpr char data = 0;
  constexpr char headers = 1;
  constexpr char reset = 3;
  constexpr char settings = 4;
  constexpr char end_of_stream = 1;
  constexpr char end_of_headers = 4;
  boost::asio::io_context own;
  boost::asio::ip::tcp::socket client{own};
  client.connect({boost::asio::ip::address_v4::loopback(), port});
  std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, "");
  const std::string fields = fields_of(path);
  boost::system::error_code closed;
  for (std::uint32_t stream = 1; calls > 0 && !closed; stream += 2, --calls) {
    bytes += frame(headers, end_of_headers, stream, fields);
    if (with_message) bytes += frame(data, end_of_stream, stream, std::string(5, '\0'));
    bytes += frame(reset, 0, stream, std::string("\0\0\0\x08", 4));
    boost::asio::write(client, boost::asio::buffer(bytes), closed);
    bytes.clear();
    // What it has to say is read and dropped.
    client.non_blocking(true);
    std::string answers(4096, ' ');
    boost::system::error_code nothing;
    (void)client.read_some(boost::asio::buffer(answers), nothing);
    client.non_blocking(false);
  }
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
      open_and_reset(played->port, path, with_message, calls);
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
