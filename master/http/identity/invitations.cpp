#include "master/http/identity/invitations.hpp"

#include <array>
#include <charconv>
#include <iterator>

#include "common/auth/signed_lines.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::master {
namespace {

constexpr std::string_view version = "fixkeep invitation 2";

auth::Key key_of(std::string_view secret) {
  if (secret.empty()) return auth::random_bytes();
  return auth::hmac_sha256(secret, "fixkeep key of invitations 1");
}

// The lines are: version, expiry in ms since 1970, unique number, mode, leader and member.
using Lines = std::array<std::string_view, 6>;

}  // namespace

Invitations::Invitations(std::string_view secret) : key_(auth::view_of(key_of(secret))) {}

std::string Invitations::make(const Party& party, const PlayerId& member, auth::WallTime now) {
  std::string own;
  append_base64url(auth::view_of(auth::random_bytes()).substr(0, 12), own);
  const auto end = std::to_string((now + life).time_since_epoch().count());
  return auth::sign_lines(
      key_, {version, end, own, party.mode.text(), party.leader.text(), member.text()});
}

std::variant<PlayerId, Invitations::Fault> Invitations::use(std::string_view invitation,
                                                            const Party& party,
                                                            auth::WallTime now) {
  const auto claims = auth::verified_claims(key_, invitation);
  const auto lines = claims ? auth::lines_of<std::tuple_size_v<Lines>>(*claims) : std::nullopt;
  if (!lines || lines->front() != version) return Fault::forged;
  if ((*lines)[4] != party.leader.text()) return Fault::of_another;
  if ((*lines)[3] != party.mode.text()) return Fault::of_another_mode;
  std::int64_t ends_ms = 0;
  const auto end = (*lines)[1];
  std::from_chars(end.data(), end.data() + end.size(), ends_ms);
  const auth::WallTime ends{std::chrono::milliseconds{ends_ms}};
  if (now >= ends) return Fault::ended;
  const auto of_leader = used_.find(party.leader);
  if (of_leader != used_.end() && of_leader->second.contains(invitation)) return Fault::used;
  if (const auto fault = make_place(party.leader, now)) return *fault;
  used_[party.leader].emplace(invitation, ends);
  ++count_;
  return PlayerId{std::string{lines->back()}};
}

std::optional<Invitations::Fault> Invitations::make_place(const PlayerId& leader,
                                                          auth::WallTime now) {
  const auto forget_ended = [&](OfLeader& of) {
    count_ -= std::erase_if(of, [&](const auto& entry) { return now >= entry.second; });
    return of.empty();
  };
  if (const auto found = used_.find(leader);
      found != used_.end() && found->second.size() >= most_of_leader) {
    forget_ended(found->second);
    if (found->second.size() >= most_of_leader) return Fault::too_many;
  }
  if (count_ >= most_used && now >= next_look_) {
    next_look_ = now + std::chrono::seconds{1};
    for (auto of = used_.begin(); of != used_.end();) {
      of = forget_ended(of->second) ? used_.erase(of) : std::next(of);
    }
  }
  return count_ >= most_used ? std::optional{Fault::full} : std::nullopt;
}

void Invitations::give_back(std::string_view invitation, const PlayerId& leader) {
  const auto of_leader = used_.find(leader);
  if (of_leader == used_.end()) return;
  const auto used = of_leader->second.find(invitation);
  if (used == of_leader->second.end()) return;
  of_leader->second.erase(used);
  --count_;
  if (of_leader->second.empty()) used_.erase(of_leader);
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
    case Invitations::Fault::of_another_mode: return "an invitation is made out for another mode";
    case Invitations::Fault::too_many:
      return "you have used 256 invitations within a minute; ask again later";
    case Invitations::Fault::full:
      return "all players together have used too many invitations within a minute; ask again later";
  }
  return "";
}

}  // namespace fixkeep::master
