// In the handshake, two nodes prove to each other that they belong to one cluster. The handshake
// precedes all other messages.
//
//   dialler  -> listener   greeting: version, cluster, role, name, incarnation, challenge
//   listener -> dialler    greeting
//   dialler  -> listener   proof: HMAC-SHA256(secret, "dialler", both greetings)
//   listener -> dialler    proof: HMAC-SHA256(secret, "listener", both greetings)
//
// This is a mutual challenge-response handshake, similar to ISO/IEC 9798-4. Both greetings are
// signed and have 32 random bytes each. So a recorded handshake is worthless, and a proof cannot be
// reflected to its sender. The secret is never sent. The dialler proves itself first, so a stranger
// that connects to a port gets no signature. Instead of a proof, either side may refuse with an
// Errc and its protocol version. With TLS, the certificate names the other side, and only the two
// ends of this connection know the key of the proofs. Thus the proofs show that nobody changes the
// bytes between the two ends.
//
// Sans-IO: takes and returns the bytes of frames. The caller limits the time.
// Fault model: the other side sends anything. Bounds: handshake_frame_bytes a frame.
// Thread rule: one owner. Errors: Outcome::failed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/auth/hmac.hpp"
#include "common/base/result.hpp"
#include "common/net/node.hpp"
#include "common/net/tls/identity.hpp"

namespace fixkeep::net {

inline constexpr std::size_t handshake_frame_bytes = 1024;

struct HandshakeOptions {
  std::string cluster;
  std::string secret;  // of the cluster; with certificates: of the TLS connection
  std::optional<CertifiedNode> certified;  // the other side must name itself as this node
  Node self;
  std::string admits{};  // see Peer
  // `expected_name`: the node that a dialler expects. `known_masters`: those that a listener
  // accepts.
  std::string expected_name;
  std::vector<std::string> known_masters;
};

// Returns a frame that refuses the other side. For use when no Handshake exists yet.
[[nodiscard]] std::string refusal_frame(Errc reason);

class Handshake {
 public:
  enum class Side : std::uint8_t { dialler, listener };
  enum class Outcome : std::uint8_t {
    more,      // send the output and wait for the next frame
    verified,  // listener only: the dialler has proven itself; call accept() or refuse()
    done,      // both sides are proven
    failed,    // send the output, then close; error() has the reason
  };

  Handshake(Side side, HandshakeOptions options, const auth::Digest& challenge);

  // Returns the first frame; empty for the listener.
  [[nodiscard]] std::string open();
  // Takes the other side's frame: `payload`, without a prefix. Appends our frames, with their
  // prefix, to `out`.
  [[nodiscard]] Outcome receive(std::string_view payload, std::string& out);

  // accept() returns the listener's last frame, refuse() a refusal. REQUIRES: the outcome was
  // `verified`.
  [[nodiscard]] std::string accept() const;
  [[nodiscard]] std::string refuse(Errc reason);

  [[nodiscard]] const Peer& peer() const { return peer_; }  // proven after `verified` or `done`
  [[nodiscard]] Errc error() const { return error_; }
  // Returns the other side's protocol version if the error is wrong_version; otherwise 0.
  [[nodiscard]] std::uint32_t other_version() const { return other_version_; }

 private:
  enum class Step : std::uint8_t { greeting, proof, over };

  Outcome fail(Errc reason, std::string& out);
  Outcome receive_greeting(const std::string& greeting, std::string& out);
  Outcome receive_proof(std::string_view proof, std::string& out);
  [[nodiscard]] std::optional<Errc> check_greeting(const std::string& greeting);
  [[nodiscard]] std::string own_greeting() const;
  [[nodiscard]] auth::Digest proof_of(Side side) const;

  Side side_;
  HandshakeOptions options_;
  Step step_ = Step::greeting;
  Peer peer_;
  Errc error_ = Errc::malformed_message;
  std::uint32_t other_version_ = 0;
  std::string own_;
  std::string theirs_;
};

}  // namespace fixkeep::net
