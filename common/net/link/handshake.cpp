#include "common/net/link/handshake.hpp"

#include <algorithm>
#include <utility>

#include "common/record/record.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::net {
namespace {

using record::Form;

// The fields of Greeting in fixkeep.proto. Bounds of the fields are checked only if the other side
// has our version.
struct Greeting {
  std::uint32_t version = 0;
  std::string cluster;
  std::uint32_t role = 0;
  std::string name;
  Incarnation incarnation;
  std::string challenge;
  std::uint64_t start = 0;
  std::string admits;
};
void describe(auto& fields, Described<Greeting> auto& greeting) {
  fields.number(1, greeting.version);
  fields.text(2, greeting.cluster, handshake_frame_bytes);
  fields.number(3, greeting.role);
  fields.text(4, greeting.name, handshake_frame_bytes);
  fields.fixed(5, greeting.incarnation);
  fields.text(6, greeting.challenge, handshake_frame_bytes);
  fields.fixed(8, greeting.start);
  fields.text(9, greeting.admits, handshake_frame_bytes);
}

// Each frame has a Greeting, a proof, or a refusal with the protocol version.
constexpr std::uint32_t greeting_field = 1;
constexpr std::uint32_t proof_field = 2;
constexpr std::uint32_t refusal_field = 3;
constexpr std::uint32_t version_field = 4;

std::string framed(const std::string& payload) {
  std::string bytes;
  for (std::size_t i = 0; i < wire::prefix_bytes; ++i) {
    bytes += static_cast<char>(payload.size() >> (8 * (wire::prefix_bytes - 1 - i)) & 0xFFU);
  }
  return bytes + payload;
}

std::string proof_frame(const auth::Digest& proof) {
  std::string frame;
  record::Writer{frame}.put(proof_field, auth::view_of(proof));
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
  std::string frame;
  record::Writer writer{frame};
  writer.number(refusal_field, static_cast<std::uint32_t>(reason));
  writer.number(version_field, wire::limits::protocol_version);
  return framed(frame);
}

Handshake::Handshake(Side side, HandshakeOptions options, const auth::Digest& challenge)
    : side_(side), options_(std::move(options)) {
  append_record(Greeting{.version = wire::limits::protocol_version,
                         .cluster = options_.cluster,
                         .role = static_cast<std::uint32_t>(options_.self.role),
                         .name = options_.self.name,
                         .incarnation = options_.self.incarnation,
                         .challenge = std::string{auth::view_of(challenge)},
                         .start = static_cast<std::uint64_t>(options_.self.start),
                         .admits = options_.admits},
                own_);
}

std::string Handshake::own_greeting() const {
  std::string frame;
  record::Writer{frame}.put(greeting_field, own_);
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
  record::Reader fields{payload};
  std::uint32_t body = 0;  // field number of the last body
  std::string_view text;
  std::uint32_t refusal = 0;
  std::uint32_t version = 0;
  while (fields.next()) {
    for (const std::uint32_t each : {greeting_field, proof_field}) {
      if (!fields.is(each, Form::length)) continue;
      body = each;
      text = fields.payload();
    }
    if (fields.is(refusal_field, Form::number)) body = refusal_field;
    fields.number(refusal_field, refusal);
    fields.number(version_field, version);
  }
  if (payload.size() > handshake_frame_bytes || !fields.good() || body == 0) {
    return fail(Errc::malformed_message, out);
  }
  if (body == refusal_field) {
    step_ = Step::over;
    error_ = told_reason(refusal);
    if (error_ == Errc::wrong_version)
      other_version_ = std::max(version, 1U);  // version 1 does not send it
    return Outcome::failed;
  }
  if (step_ != (body == greeting_field ? Step::greeting : Step::proof)) {
    return fail(Errc::unexpected_message, out);
  }
  return body == greeting_field ? receive_greeting(std::string{text}, out)
                                : receive_proof(text, out);
}

std::optional<Errc> Handshake::check_greeting(const std::string& bytes) {
  Greeting greeting;
  if (!record::Reader{bytes}.read(greeting)) return Errc::malformed_message;
  if (greeting.version != wire::limits::protocol_version) {
    other_version_ = greeting.version;
    if (greeting.name.size() <= wire::limits::id_bytes) peer_.name = greeting.name;
    if (options_.certified) peer_.name = options_.certified->name;
    return Errc::wrong_version;
  }
  if (greeting.cluster != options_.cluster) return Errc::wrong_cluster;
  const bool role_known = greeting.role == static_cast<std::uint32_t>(Role::master) ||
                          greeting.role == static_cast<std::uint32_t>(Role::worker);
  if (!role_known || greeting.name.empty() || greeting.name.size() > wire::limits::id_bytes ||
      greeting.challenge.size() != auth::Digest{}.size() || greeting.admits.size() > admits_bytes) {
    return Errc::malformed_message;
  }
  peer_.role = static_cast<Role>(greeting.role);
  peer_.name = greeting.name;
  peer_.incarnation = greeting.incarnation;
  peer_.start = StartNumber{greeting.start};
  peer_.admits = greeting.admits;

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
