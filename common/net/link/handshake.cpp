#include "common/net/link/handshake.hpp"

#include <algorithm>
#include <utility>

#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::net {
namespace {

std::string framed(const wire::pb::HandshakeFrame& frame) {
  const auto payload = frame.SerializeAsString();
  std::string bytes;
  for (std::size_t i = 0; i < wire::prefix_bytes; ++i) {
    bytes += static_cast<char>(payload.size() >> (8 * (wire::prefix_bytes - 1 - i)) & 0xFFU);
  }
  return bytes + payload;
}

std::string proof_frame(const auth::Digest& proof) {
  wire::pb::HandshakeFrame frame;
  frame.set_proof(std::string{auth::view_of(proof)});
  return framed(frame);
}

// The reasons that the other side may send. Any other code is malformed.
Errc told_reason(std::uint32_t code) {
  const auto reason = static_cast<Errc>(code);
  const bool known = reason == Errc::wrong_cluster || reason == Errc::wrong_secret ||
                     reason == Errc::wrong_version || reason == Errc::unknown_node ||
                     reason == Errc::duplicate_node || reason == Errc::too_many_links ||
                     reason == Errc::stopping || reason == Errc::certificate_of_another ||
                     reason == Errc::not_tls;
  return known ? reason : Errc::malformed_message;
}

}  // namespace

std::string refusal_frame(Errc reason) {
  wire::pb::HandshakeFrame frame;
  frame.set_refusal(static_cast<std::uint32_t>(reason));
  frame.set_version(wire::limits::protocol_version);
  return framed(frame);
}

Handshake::Handshake(Side side, HandshakeOptions options, const auth::Digest& challenge)
    : side_(side), options_(std::move(options)) {
  wire::pb::Greeting greeting;
  greeting.set_version(wire::limits::protocol_version);
  greeting.set_cluster(options_.cluster);
  greeting.set_role(static_cast<std::uint32_t>(options_.self.role));
  greeting.set_name(options_.self.name);
  greeting.set_incarnation(options_.self.incarnation.number());
  greeting.set_start(static_cast<std::uint64_t>(options_.self.start));
  greeting.set_challenge(std::string{auth::view_of(challenge)});
  greeting.set_admits(options_.admits);
  own_ = greeting.SerializeAsString();
}

std::string Handshake::own_greeting() const {
  wire::pb::HandshakeFrame frame;
  frame.set_greeting(own_);
  return framed(frame);
}

std::string Handshake::open() {
  return side_ == Side::dialler ? own_greeting() : std::string{};
}

Handshake::Outcome Handshake::fail(Errc reason, std::string& out) {
  out += refuse(reason);
  return Outcome::failed;
}

std::string Handshake::refuse(Errc reason) {
  step_ = Step::over;
  error_ = reason;
  return refusal_frame(reason);
}

Handshake::Outcome Handshake::receive(std::string_view payload, std::string& out) {
  wire::pb::HandshakeFrame frame;
  if (payload.size() > handshake_frame_bytes ||
      !frame.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return fail(Errc::malformed_message, out);
  }
  switch (frame.body_case()) {
    case wire::pb::HandshakeFrame::kRefusal:
      step_ = Step::over;
      error_ = told_reason(frame.refusal());
      if (error_ == Errc::wrong_version) other_version_ = std::max(frame.version(), 1U);
      return Outcome::failed;
    case wire::pb::HandshakeFrame::kGreeting:
      if (step_ != Step::greeting) return fail(Errc::unexpected_message, out);
      return receive_greeting(frame.greeting(), out);
    case wire::pb::HandshakeFrame::kProof:
      if (step_ != Step::proof) return fail(Errc::unexpected_message, out);
      return receive_proof(frame.proof(), out);
    case wire::pb::HandshakeFrame::BODY_NOT_SET: break;
  }
  return fail(Errc::malformed_message, out);
}

std::optional<Errc> Handshake::check_greeting(const std::string& bytes) {
  wire::pb::Greeting greeting;
  if (!greeting.ParseFromString(bytes)) return Errc::malformed_message;
  if (greeting.version() != wire::limits::protocol_version) {
    other_version_ = greeting.version();
    if (greeting.name().size() <= wire::limits::id_bytes) peer_.name = greeting.name();
    if (options_.certified) peer_.name = options_.certified->name;
    return Errc::wrong_version;
  }
  if (greeting.cluster() != options_.cluster) return Errc::wrong_cluster;
  const bool role_known = greeting.role() == static_cast<std::uint32_t>(Role::master) ||
                          greeting.role() == static_cast<std::uint32_t>(Role::worker);
  if (!role_known || greeting.name().empty() || greeting.name().size() > wire::limits::id_bytes ||
      greeting.challenge().size() != auth::Digest{}.size() ||
      greeting.admits().size() > admits_bytes) {
    return Errc::malformed_message;
  }
  peer_.role = static_cast<Role>(greeting.role());
  peer_.name = greeting.name();
  peer_.incarnation = Incarnation{greeting.incarnation()};
  peer_.start = StartNumber{greeting.start()};
  peer_.admits = greeting.admits();

  if (options_.certified &&
      *options_.certified != CertifiedNode{options_.cluster, peer_.role, peer_.name}) {
    return Errc::certificate_of_another;
  }
  if (side_ == Side::dialler) {
    const bool expected = peer_.role == Role::master && peer_.name == options_.expected_name;
    return expected ? std::nullopt : std::optional{Errc::unknown_node};
  }
  if (peer_.role == Role::worker) return {};
  const auto& known = options_.known_masters;
  if (std::find(known.begin(), known.end(), peer_.name) == known.end()) return Errc::unknown_node;
  if (peer_.name == options_.self.name) return Errc::duplicate_node;
  return {};
}

Handshake::Outcome Handshake::receive_greeting(const std::string& greeting, std::string& out) {
  if (const auto problem = check_greeting(greeting)) return fail(*problem, out);
  theirs_ = greeting;
  step_ = Step::proof;
  out += side_ == Side::listener ? own_greeting() : proof_frame(proof_of(Side::dialler));
  return Outcome::more;
}

Handshake::Outcome Handshake::receive_proof(std::string_view proof, std::string& out) {
  const auto other = side_ == Side::dialler ? Side::listener : Side::dialler;
  if (!auth::equal_in_constant_time(proof, auth::view_of(proof_of(other)))) {
    return fail(Errc::wrong_secret, out);
  }
  step_ = Step::over;
  return side_ == Side::listener ? Outcome::verified : Outcome::done;
}

std::string Handshake::accept() const {
  return proof_frame(proof_of(Side::listener));
}

auth::Digest Handshake::proof_of(Side side) const {
  const auto& first = side_ == Side::dialler ? own_ : theirs_;
  const auto& second = side_ == Side::dialler ? theirs_ : own_;
  std::string text = side == Side::dialler ? "fixkeep link 1 dialler " : "fixkeep link 1 listener ";
  text += std::to_string(first.size());
  text += ' ';
  text += first;
  text += second;
  return auth::hmac_sha256(options_.secret, text);
}

}  // namespace fixkeep::net
