// A Dialog is one try over UDP: the question to send and the meaning of an answer.
//
// Sans-IO. There are two dialogs of one shape: packets from the description of a game and Valve's
// A2S_INFO. Both hear only expected answers and remember the others for the reason. Fault model: a
// datagram holds anything, comes twice or belongs to an earlier question. Thread rule: one owner.
// Bounds: see the probe; a2s_rounds challenges. Errors: Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "worker/probe/core/players.hpp"
#include "worker/probe/core/probe_options.hpp"
#include "worker/probe/core/reasons.hpp"

namespace fixkeep::probe {

enum class Heard : std::uint8_t {
  nothing,   // no use; the question is as before
  question,  // the expected answer; another question is to be sent
  answer,    // the complete answer
};

class UdpDialog {
 public:
  explicit UdpDialog(const UdpProbe& probe) : probe_(probe) {}

  [[nodiscard]] std::string question() const;
  [[nodiscard]] Heard take(std::string_view datagram);
  [[nodiscard]] const std::optional<PlayerCount>& players() const { return players_; }
  // The reason for no answer yet; `no_answer` if nothing came at all.
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  UdpProbe probe_;
  std::size_t at_ = 0;    // number of the present exchange
  std::string previous_;  // the answer before
  std::optional<PlayerCount> players_;
  Failure failure_;
};

class A2sDialog {
 public:
  explicit A2sDialog(const A2sProbe& probe) : probe_(probe) {}

  [[nodiscard]] std::string question() const;
  [[nodiscard]] Heard take(std::string_view datagram);
  [[nodiscard]] const std::optional<PlayerCount>& players() const { return players_; }
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  A2sProbe probe_;
  std::string challenge_;
  int challenges_ = 0;
  std::optional<PlayerCount> players_;
  Failure failure_;
};

using Dialog = std::variant<UdpDialog, A2sDialog>;

}  // namespace fixkeep::probe
