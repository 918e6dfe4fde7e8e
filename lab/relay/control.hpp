// Takes the commands of core/command.hpp from one descriptor and answers on another.
//
// {"answer":"open","wire":W} or {"error":TEXT} for each line in their order. A wire works once it
// is answered. The end of the input or a line of more than 64 KiB ends the relay.
// Thread rule: the thread of the io_context. Errors: in the answers. Bounds: a line of 64 KiB.
// While the answers are not read no further line is taken; the wires go on.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <memory>
#include <string>

#include "lab/relay/core/command.hpp"
#include "lab/relay/wire.hpp"

namespace fixkeep::relay {

class Control {
 public:
  // Takes the descriptors over. The io_context is stopped at the end of the input.
  Control(boost::asio::io_context& context, int input, int output, std::uint64_t seed);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  boost::asio::awaitable<void> run();
  // One for each command; each returns the answer.
  std::string perform(const OpenWire& open);
  std::string perform(const ChangeWire& change);
  std::string perform(const Quit& quit);
  std::string perform(const Mistake& mistake);

  boost::asio::io_context& context_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::posix::stream_descriptor output_;
  Random random_;
  std::map<std::string, std::unique_ptr<Wire>> wires_;
};

}  // namespace fixkeep::relay
