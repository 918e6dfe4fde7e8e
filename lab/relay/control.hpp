// Reads the commands of core/command.hpp from one descriptor and writes the answers to another.
//
// Each line gets {"answer":COMMAND,"wire":W} or {"error":TEXT}, in order. A wire works as soon as
// its answer is written. The end of the input, or a line of more than 64 KiB, ends the relay.
// Thread rule: the thread of the io_context. Errors: in the answers. Bounds: a line has at most 64
// KiB. While the answers are not read, the relay reads no further line; the wires continue.
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
  // Takes ownership of the descriptors. Stops the io_context at the end of the input.
  Control(boost::asio::io_context& context, int input, int output, std::uint64_t seed);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  boost::asio::awaitable<void> run();
  // One function for each command; returns the answer.
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
