// A Dialog is what is said over UDP in one try: the question to send, and what an answer means.
//
// Sans-IO. Two dialogs of one shape: of packets that the description of a game gives, and Valve's
// A2S_INFO. Both hear only what is as expected; everything else is remembered for the reason.
// Fault model: a datagram holds anything, comes twice, or belongs to an earlier question.
// Thread rule: one owner. Bounds: those of the probe; a2s_rounds challenges. Errors: Failure.
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
  nothing,   // of interest; the question is as before
  question,  // what there was to hear; there is another question to send
  answer,    // all there is to hear
};

class UdpDialog {
 public:
  explicit UdpDialog(const UdpProbe& probe) : probe_(probe) {}

  [[nodiscard]] std::string question() const;
  [[nodiscard]] Heard take(std::string_view datagram);
  [[nodiscard]] const std::optional<PlayerCount>& players() const { return players_; }
  // Why there is no answer yet; `no_answer` if nothing came at all.
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  UdpProbe probe_;
  std::size_t at_ = 0;    // which exchange
  std::string previous_;  // the answer to the one before
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
