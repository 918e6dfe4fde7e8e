#include "lab/relay/control.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/net/coroutines.hpp"

namespace fixkeep::relay {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_line = 64U << 10U;

std::string done(const char* command, const std::string& wire) {
  return nlohmann::ordered_json{{"answer", command}, {"wire", wire}}.dump() + "\n";
}

std::string refused(const std::string& why) {
  return nlohmann::json{{"error", why}}.dump() + "\n";
}

}  // namespace

Control::Control(asio::io_context& context, int input, int output, std::uint64_t seed)
    : context_(context), input_(context, input), output_(context, output), random_(seed) {
  asio::co_spawn(context, run(), net::rethrow);
}

asio::awaitable<void> Control::run() {
  std::string text;
  for (;;) {
    const auto [unread, size] = co_await asio::async_read_until(
        input_, asio::dynamic_buffer(text, most_line), '\n', net::use_tuple);
    if (unread) break;
    const auto command = parse_command(std::string_view{text}.substr(0, size));
    text.erase(0, size);
    const auto answer = std::visit([this](const auto& each) { return perform(each); }, command);
    const auto [unwritten, bytes] =
        co_await asio::async_write(output_, asio::buffer(answer), net::use_tuple);
    if (unwritten || std::holds_alternative<Quit>(command)) break;
  }
  context_.stop();
}

std::string Control::perform(const OpenWire& open) {
  if (wires_.contains(open.wire)) return refused("there is a wire " + open.wire + " already");
  auto wire = Wire::open(context_, open, Random{random_.next()});
  if (!wire) {
    return refused("wire " + open.wire + " cannot listen on port " + std::to_string(open.listen) +
                   ": " + wire.error().message());
  }
  wires_.emplace(open.wire, std::move(*wire));
  return done("open", open.wire);
}

std::string Control::perform(const ChangeWire& change) {
  const auto wire = wires_.find(change.wire);
  if (wire == wires_.end()) return refused("there is no wire " + change.wire);
  wire->second->change(change);
  return done("change", change.wire);
}

std::string Control::perform(const Quit& /*quit*/) {
  return done("quit", "");
}

std::string Control::perform(const Mistake& mistake) {
  return refused(mistake.text);
}

}  // namespace fixkeep::relay
