// The handshake of a link: frames from a stranger, and frames of one that knows the secret.
//
// The first byte says which side we are and what else is set up, then come frames: a byte of
// length, or 0 for the true next frame of the other side, and so many bytes.
#include <optional>
#include <string>

#include "common/base/assert.hpp"
#include "common/net/link/handshake.hpp"
#include "common/wire/codec.hpp"
#include "tests/fuzz/script.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

using net::Handshake;

net::HandshakeOptions handshake_options(bool dialler, unsigned setting) {
  net::HandshakeOptions options;
  options.cluster = "c";
  options.secret = "a secret of the cluster";
  options.self = {.role = net::Role::master,
                  .name = dialler ? "m1" : "m2",
                  .incarnation = Incarnation{dialler ? 11U : 22U},
                  .start = net::StartNumber{7}};
  options.expected_name = dialler ? "m2" : "m1";
  options.known_masters = {"m1", "m2"};
  if ((setting & 2U) != 0) options.certified = {"c", net::Role::master, options.expected_name};
  return options;
}

std::string payload_of(std::string frame) {
  return frame.size() < wire::prefix_bytes ? std::string{} : frame.substr(wire::prefix_bytes);
}

// Whether a payload has what the honest one has, a greeting or a proof, whatever is around it: here
// the challenges do not change, so libFuzzer sees proofs in comparisons, and learns them.
bool repeats(std::string_view payload, std::string_view honest) {
  constexpr std::size_t head = 2;  // tag and length
  return honest.size() > head && payload.find(honest.substr(head)) != std::string_view::npos;
}

// The two ends: ours hears the script, the other one is honest and answers what ours says.
class HandshakeRun {
 public:
  explicit HandshakeRun(unsigned setting)
      : dialler_((setting & 1U) != 0),
        ours_(dialler_ ? Handshake::Side::dialler : Handshake::Side::listener,
              handshake_options(dialler_, setting), auth::Digest{1}),
        other_(dialler_ ? Handshake::Side::listener : Handshake::Side::dialler,
               handshake_options(!dialler_, 0), auth::Digest{2}) {
    other_says_ = payload_of(other_.open());
    hear_other(payload_of(ours_.open()));
  }

  // False: it is over.
  bool receive(std::optional<std::string_view> lie) {
    const std::string payload = lie ? std::string{*lie} : other_says_;
    lied_ = lied_ || (lie && !repeats(*lie, other_says_));
    other_says_.clear();
    std::string out;
    const auto outcome = ours_.receive(payload, out);
    FIXKEEP_ASSERT(out.size() <= wire::prefix_bytes + net::handshake_frame_bytes, "a long frame");
    switch (outcome) {
      case Handshake::Outcome::more: hear_other(payload_of(out)); return true;
      case Handshake::Outcome::verified:
        FIXKEEP_ASSERT(!dialler_ && !lied_, "a listener believed a lie");
        FIXKEEP_ASSERT(!ours_.accept().empty(), "nothing to accept with");
        return false;
      case Handshake::Outcome::done:
        FIXKEEP_ASSERT(dialler_ && !lied_, "a dialler believed a lie");
        return false;
      case Handshake::Outcome::failed: return false;
    }
    return false;
  }

 private:
  void hear_other(const std::string& payload) {
    if (payload.empty()) return;
    std::string out;
    const auto outcome = other_.receive(payload, out);
    if (outcome == Handshake::Outcome::verified) out = other_.accept();
    other_says_ = payload_of(out);
  }

  bool dialler_;
  bool lied_ = false;
  Handshake ours_;
  Handshake other_;
  std::string other_says_;
};

}  // namespace

void fuzz_handshake(std::string_view bytes) {
  Script script{bytes};
  HandshakeRun run{script.byte()};
  while (!script.empty()) {
    const std::size_t length = script.byte();
    const bool honest = length == 0;
    if (!run.receive(honest ? std::nullopt : std::optional{script.take(length)})) return;
  }
}

}  // namespace fixkeep::fuzz
