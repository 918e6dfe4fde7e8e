// In the handshake two nodes prove to each other that they belong to one cluster. It comes before
// any other message.
//
//   dialler  -> listener   greeting: version, cluster, role, name, incarnation, challenge
//   listener -> dialler    greeting
//   dialler  -> listener   proof: HMAC-SHA256(secret, "dialler", both greetings)
//   listener -> dialler    proof: HMAC-SHA256(secret, "listener", both greetings)
//
// It is a mutual challenge and response in the manner of ISO/IEC 9798-4. Both greetings are signed
// and have 32 random bytes each: a recorded handshake is worthless and the two directions cannot be
// reflected into each other. The secret never travels. The dialler proves first: a stranger that
// connects to a port gets no signature. Either side may refuse with an Errc instead and then tells
// its version of the protocol. With TLS the certificate names the other side. The key of the proofs
// then belongs to the two ends of the connection only. It shows that the bytes between them are
// unchanged.
//
// Sans-IO: bytes of frames in and out. The caller counts the time.
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
  std::string secret;  // secret of the cluster; with a certificate, of the TLS connection
  std::optional<CertifiedNode> certified;  // the other side has to say that it is this one
  Node self;
  std::string admits{};  // see Peer
  // For a dialler: the expected node. For a listener: the masters that may come.
  std::string expected_name;
  std::vector<std::string> known_masters;
};

// The frame refuses the other side before there is a Handshake.
[[nodiscard]] std::string refusal_frame(Errc reason);

class Handshake {
 public:
  enum class Side : std::uint8_t { dialler, listener };
  enum class Outcome : std::uint8_t {
    more,      // send what is to be sent, wait for the next frame
    verified,  // the listener only: the dialler is the node it says; accept() or refuse() it
    done,      // both sides know each other
    failed,    // send what is to be sent, then close; error() says why
  };

  Handshake(Side side, HandshakeOptions options, const auth::Digest& challenge);

  // The frame that opens the conversation; empty for the listener.
  [[nodiscard]] std::string open();
  // `payload` is a frame without its prefix. Output with prefix is appended to `out`.
  [[nodiscard]] Outcome receive(std::string_view payload, std::string& out);

  // REQUIRES: the outcome was `verified`.
  [[nodiscard]] std::string accept() const;
  [[nodiscard]] std::string refuse(Errc reason);

  [[nodiscard]] const Peer& peer() const { return peer_; }  // unproven until verified or done
  [[nodiscard]] Errc error() const { return error_; }
  // The other side speaks this version of the protocol if the error is wrong_version; else 0.
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
