#include "master/http/identity/invitations.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::master {
namespace {

constexpr std::string_view version = "fixkeep invitation 1";

auth::Key key_of(std::string_view secret) {
  if (secret.empty()) return auth::random_bytes();
  return auth::hmac_sha256(secret, "fixkeep key of invitations 1");
}

std::string signature_of(const auth::Key& key, std::string_view claims) {
  std::string text;
  append_base64url(auth::view_of(auth::hmac_sha256(auth::view_of(key), claims)), text);
  return text;
}

// Version, end, a number of its own, leader and member: ids have no line ends in them.
using Lines = std::array<std::string_view, 5>;

std::optional<Lines> lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    lines[i] = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  lines.back() = text;
  return lines;
}

}  // namespace

Invitations::Invitations(std::string_view secret) : key_(key_of(secret)) {}

std::string Invitations::make(const PlayerId& leader, const PlayerId& member, auth::WallTime now) {
  std::string own;
  append_base64url(auth::view_of(auth::random_bytes()).substr(0, 12), own);
  std::string claims{version};
  claims += '\n' + std::to_string((now + life).time_since_epoch().count()) + '\n' + own + '\n' +
            leader.text() + '\n' + member.text();
  std::string invitation;
  append_base64url(claims, invitation);
  return invitation + '.' + signature_of(key_, invitation);
}

std::variant<PlayerId, Invitations::Fault> Invitations::use(std::string_view invitation,
                                                            const PlayerId& leader,
                                                            auth::WallTime now) {
  const auto dot = invitation.find('.');
  if (dot == std::string_view::npos) return Fault::forged;
  const auto part = invitation.substr(0, dot);
  if (!auth::equal_in_constant_time(signature_of(key_, part), invitation.substr(dot + 1))) {
    return Fault::forged;
  }
  const auto claims = from_base64url(part);
  const auto lines = claims ? lines_of(*claims) : std::nullopt;
  if (!lines || lines->front() != version) return Fault::forged;
  if ((*lines)[3] != leader.text()) return Fault::of_another;
  std::int64_t ends_ms = 0;
  const auto end = (*lines)[1];
  std::from_chars(end.data(), end.data() + end.size(), ends_ms);
  const auth::WallTime ends{std::chrono::milliseconds{ends_ms}};
  if (now >= ends) return Fault::ended;
  if (used_.contains(invitation)) return Fault::used;
  if (used_.size() >= most_used) {
    std::erase_if(used_, [&](const auto& entry) { return now >= entry.second; });
    if (used_.size() >= most_used) return Fault::too_many;
  }
  used_.emplace(invitation, ends);
  return PlayerId{std::string{lines->back()}};
}

void Invitations::give_back(std::string_view invitation) {
  if (const auto used = used_.find(invitation); used != used_.end()) used_.erase(used);
}

std::string_view detail_of(Invitations::Fault fault) {
  switch (fault) {
    case Invitations::Fault::forged:
      return "an invitation is not one of this master; its member asks for another one, there "
             "where you ask";
    case Invitations::Fault::of_another: return "an invitation is made out to another leader";
    case Invitations::Fault::ended:
      return "an invitation has ended, after a minute; its member asks for another one";
    case Invitations::Fault::used:
      return "an invitation was used before, or is there twice; its member asks for another one";
    case Invitations::Fault::too_many:
      return "too many invitations were used within a minute; ask again later";
  }
  return "";
}

}  // namespace fixkeep::master
