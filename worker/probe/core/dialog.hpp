// A Dialog is one try over UDP: the question to send and the meaning of an answer.
//
// Sans-IO. There are two dialogs with the same functions: packets from the description of a game,
// and Valve's A2S_INFO. Both dialogs accept only expected answers, and store other answers as the
// reason for a failure. Fault model: a datagram has any content, arrives twice or answers an
// earlier question. Thread rule: one owner.
// Bounds: those of the probe; at most `a2s_rounds` challenges. Errors: Failure.
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
  nothing,   // not expected; the question stays the same
  question,  // an expected answer; send the next question
  answer,    // the complete answer
};

class UdpDialog {
 public:
  explicit UdpDialog(const UdpProbe& probe) : probe_(probe) {}

  [[nodiscard]] std::string question() const;
  [[nodiscard]] Heard take(std::string_view datagram);
  [[nodiscard]] const std::optional<PlayerCount>& players() const { return players_; }
  // Returns why there is no answer yet; `no_answer` if nothing came at all.
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  UdpProbe probe_;
  std::size_t at_ = 0;    // number of the current exchange
  std::string previous_;  // the previous answer
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
