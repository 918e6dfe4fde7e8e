#include "tests/unit/master/core/pools/pool_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tests/support/plan_judge.hpp"

namespace fixkeep::test {

using namespace master;
using std::chrono::seconds;

namespace {

const GroupKey pool{"battle"};
const plan::Budget plenty{.work = 1'000'000'000, .looks_per_ticket = 1'000'000, .from = {}};
constexpr std::size_t most_waiting = 7;

}  // namespace

PoolWorld::PoolWorld(std::uint64_t seed, const PoolFaults& faults)
    : random_(seed), faults_(faults), now_(seconds{1'000}) {
  rules_.numbers = {"rating"};
  rules_.distances = {{0, {{Duration{0}, 20}, {seconds{20}, 60}}, {}}};
  rules_.size = {.least = 2, .best = 3, .most = 4, .after = seconds{10}};
  rules_.party = 2;
  for (Node node = 1; node <= 3; ++node) masters_[node];
  for (Node node = 4; node <= 5; ++node) workers_.try_emplace(node);
}

void PoolWorld::run(int steps) {
  for (int step = 0; step < steps && wrong_.empty(); ++step) {
    now_ += std::chrono::milliseconds{100};
    if (random_.chance(0.1)) arrive();
    strike();
    grant();
    for (auto many = random_.below(6); many > 0; --many) deliver();
  }
}

void PoolWorld::come_to_rest() {
  faults_ = {};
  // Longer than any step of the rules, so that whoever is left has the widest limits.
  for (int round = 0; round < 60 && wrong_.empty(); ++round) {
    now_ += seconds{1};
    for (auto& [node, master] : masters_) master.news = true;
    grant();
    for (int many = 0; many < 200; ++many) deliver();
  }
  PlanCase rest{rules_, {}, {}, now_};
  for (const auto& [node, worker] : workers_) {
    for (const auto& [id, room] : worker.rooms) rest.rooms.push_back(room);
  }
  for (const auto& [node, master] : masters_) {
    for (const auto& [id, ticket] : master.tickets) rest.tickets.push_back(ticket);
  }
  for (const auto& line : judge_plan(rest, {}, true)) wrong_.push_back("at rest: " + line);
}

void PoolWorld::arrive() {
  std::size_t waiting = 0;
  for (const auto& [node, master] : masters_) waiting += master.tickets.size();
  if (waiting >= most_waiting) return;
  const auto node = static_cast<Node>(1 + random_.below(masters_.size()));
  plan::Ticket ticket;
  ticket.id = TicketId{++ids_};
  ticket.since = now_;
  for (auto member = 1 + random_.below(2); member > 0; --member) {
    ticket.members.push_back({PlayerHash{ids_ * 8 + member}, 0});
    ticket.sums[0] += 10 * random_.between(0, 8);
  }
  masters_[node].loans.add(ticket.id);
  masters_[node].tickets[ticket.id] = ticket;
  masters_[node].news = true;
}

// --- faults --------------------------------------------------------------------------------------

void PoolWorld::strike() {
  if (holder_ && random_.chance(faults_.lost_lock)) { holder_.reset(); }
  const auto some = [&] { return static_cast<Node>(1 + random_.below(masters_.size())); };
  if (random_.chance(faults_.broken_link)) {
    const Node a = some();
    const Node b = some();
    if (a != b) break_link(a, b);
  }
  if (random_.chance(faults_.crash)) crash(some());
  const Node late = some();
  if (masters_[late].holding && masters_[late].holding->stage == Stage::gathering &&
      random_.chance(faults_.late_answer)) {
    masters_[late].holding->gathering.give_up_waiting();
    go_on(late);
  }
}

void PoolWorld::break_link(Node a, Node b) {
  for (const auto& way : {std::pair{a, b}, std::pair{b, a}}) {
    links_[way].clear();
    links_[way].push_back(Broke{});
  }
}

void PoolWorld::crash(Node node) {
  for (const auto& [other, master] : masters_) {
    if (other == node) continue;
    break_link(node, other);
    links_[{other, node}].clear();
  }
  for (const auto& [other, worker] : workers_) links_[{other, node}].clear();
  masters_[node] = {};
  if (holder_ != node) return;
  holder_.reset();
}

// --- the lock ------------------------------------------------------------------------------------

void PoolWorld::grant() {
  if (holder_) return;
  std::vector<Node> wanting;
  for (const auto& [node, master] : masters_) {
    if (!master.holding && (master.news || (!master.tickets.empty() && random_.chance(0.05))))
      wanting.push_back(node);
  }
  if (wanting.empty()) return;
  const Node node = wanting[random_.below(wanting.size())];
  holder_ = node;
  newest_ = token_after(newest_, MasterId{node});
  Master& master = masters_[node];
  master.news = false;
  Holding& holding = master.holding.emplace(Holding{});
  holding.token = newest_;
  holding.basis = fence_;
  holding.rooms = value_;
  std::vector<MasterId> all;
  for (const auto& [other, one] : masters_) all.emplace_back(other);
  holding.gathering.begin(newest_, all);
  for (const auto& [other, one] : masters_) {
    if (other != node) send(node, other, Gather{newest_});
  }
  hear(node, node, Gather{newest_});
}

void PoolWorld::go_on(Node at) {
  Holding& holding = *masters_[at].holding;
  if (holding.stage == Stage::gathering && holding.gathering.complete()) {
    holding.stage = Stage::fencing;
    holding.basis = holding.token;
    for (const auto& [node, worker] : workers_) {
      holding.waits_for.insert(node);
      send(at, node, Prepare{holding.token});
    }
  } else if (holding.stage == Stage::fencing && holding.waits_for.empty()) {
    decide(at);
  } else if (holding.stage == Stage::seating && holding.replies == 0) {
    finish(at);
  }
}

PlanCase PoolWorld::as_case(const Holding& holding) const {
  PlanCase c{rules_, {}, {}, now_};
  std::set<PlayerHash> inside;
  for (const auto& [id, room] : holding.rooms) {
    c.rooms.push_back(room);
    inside.insert(room.players.begin(), room.players.end());
  }
  holding.gathering.tickets().each([&](const plan::Ticket& ticket) {
    if (!inside.contains(ticket.members.front().player)) c.tickets.push_back(ticket);
  });
  return c;
}

void PoolWorld::decide(Node at) {
  Holding& holding = *masters_[at].holding;
  holding.stage = Stage::seating;
  const PlanCase c = as_case(holding);
  // Whoever sits already has been seated by a holder that could not say so.
  std::vector<TicketId> sitting;
  plan::TicketPool tickets;
  std::map<TicketId, plan::Ticket> by_id;
  for (const plan::Ticket& ticket : c.tickets) {
    tickets.insert(ticket);
    by_id[ticket.id] = ticket;
  }
  holding.gathering.tickets().each([&](const plan::Ticket& ticket) {
    if (!by_id.contains(ticket.id)) sitting.push_back(ticket.id);
  });
  for (const TicketId id : sitting) tell_seated(at, id);
  plan::Decision decision;
  plan::Planner{}.plan(rules_, tickets, c.rooms, now_, plenty, decision);
  for (auto& line : judge_plan(c, decision, true)) wrong_.push_back(std::move(line));
  std::map<std::uint64_t, Ask> fills;
  for (const plan::Fill& fill : decision.fills) {
    Ask& ask = fills[fill.room];
    ask.room = fill.room;
    ask.tickets.push_back(by_id.at(fill.ticket));
  }
  std::vector<Ask> asks;
  for (auto& [room, ask] : fills) asks.push_back(std::move(ask));
  for (std::uint32_t i = 0; i < decision.orders.size(); ++i) {
    const plan::Order& order = decision.orders[i];
    Ask& ask = asks.emplace_back();
    ask.order = true;
    ask.index = i;
    // The worker's number is in the room's, so that everybody knows where a room is.
    ask.room = ++ids_ * 8 + 4 + random_.below(workers_.size());
    for (std::uint32_t p = order.first; p < order.first + order.count; ++p) {
      ask.tickets.push_back(by_id.at(decision.placed[p].ticket));
    }
  }
  for (Ask& ask : asks) {
    ask.hold = holding.token;
    ask.basis = holding.basis;
    ++holding.replies;
    const auto worker = static_cast<Node>(ask.room % 8);
    send(at, worker, std::move(ask));
  }
  go_on(at);
}

void PoolWorld::tell_seated(Node at, TicketId planned) {
  const Holding& holding = *masters_[at].holding;
  const Gathering::Lender lender = holding.gathering.lender(planned);
  const Seated seated{holding.token, lender.ticket};
  if (lender.master.number() == at) {
    hear(at, at, seated);
  } else {
    send(at, lender.master.number(), seated);
  }
}

void PoolWorld::finish(Node at) {
  Master& master = masters_[at];
  const Holding holding = *std::exchange(master.holding, std::nullopt);
  for (const auto& [node, other] : masters_) {
    const Close close{holding.token};
    if (node == at) {
      hear(at, at, close);
    } else {
      send(at, node, close);
    }
  }
  if (holder_ != at || newest_ != holding.token) return;
  holder_.reset();
  fence_ = std::max(fence_, holding.basis);
  value_ = holding.rooms;
  for (auto& [id, room] : value_) room.players.clear();  // a lock value names rooms and seats only
}

// --- what masters hear ---------------------------------------------------------------------------

void PoolWorld::deliver() {
  std::vector<std::pair<Node, Node>> ways;
  for (const auto& [way, messages] : links_) {
    if (!messages.empty()) ways.push_back(way);
  }
  if (ways.empty()) return;
  const auto way = ways[random_.below(ways.size())];
  Message message = std::move(links_[way].front());
  links_[way].pop_front();
  std::visit([&](auto& one) { hear(way.second, way.first, std::move(one)); }, message);
}

void PoolWorld::hear(Node at, Node from, Broke) {
  Master& master = masters_[at];
  (void)master.loans.link_broke(MasterId{from});
  if (!master.holding || master.holding->stage != Stage::gathering) return;
  master.holding->gathering.gone(MasterId{from});
  go_on(at);
}

void PoolWorld::hear(Node at, Node from, Gather gather) {
  Master& master = masters_[at];
  const auto lent = master.loans.lend(gather.hold, MasterId{from}, now_).value_or(Loans::Claims{});
  ClaimsPart part{gather.hold, 0, true, {}};
  for (const TicketId id : lent) {
    const plan::Ticket& ticket = master.tickets.at(id);
    part.claims.push_back({ticket, now_ - ticket.since});
  }
  if (at == from) {
    hear(at, at, std::move(part));
  } else {
    send(at, from, std::move(part));
  }
}

void PoolWorld::hear(Node at, Node from, ClaimsPart part) {
  auto& holding = masters_[at].holding;
  if (!holding || holding->stage != Stage::gathering) return;
  if (holding->gathering.heard(MasterId{from}, std::move(part), now_) == Gathering::Heard::broken) {
    wrong_.push_back(fmt::format("m{} does not keep to the protocol", from));
  }
  go_on(at);
}

void PoolWorld::hear(Node at, Node, const Seated& seated) {
  Master& master = masters_[at];
  const auto ticket = master.tickets.find(seated.ticket);
  if (master.loans.seated(seated.hold, seated.ticket)) master.tickets.erase(ticket);
}

void PoolWorld::hear(Node at, Node, Close close) {
  (void)masters_[at].loans.close(close.hold);
}

void PoolWorld::hear(Node at, Node from, const Reply& reply) {
  auto& holding = masters_[at].holding;
  if (!holding || holding->token != reply.hold) return;
  for (const plan::Room& room : reply.rooms) holding->rooms[room.id] = room;
  if (holding->stage == Stage::fencing) {
    if (!reply.promised) {
      // Somebody has fenced later, so this hold is over.
      holding->refused = true;
      holding->gathering.give_up_waiting();
      return finish(at);
    }
    holding->waits_for.erase(from);
  } else {
    --holding->replies;
    holding->refused = holding->refused || reply.rooms.empty();
    for (const TicketId id : reply.seated) tell_seated(at, id);
  }
  go_on(at);
}

// --- what workers hear ---------------------------------------------------------------------------

void PoolWorld::hear(Node at, Node from, Prepare prepare) {
  Worker& worker = workers_.at(at);
  Reply reply;
  reply.hold = prepare.hold;
  reply.promised = worker.promises.promise(pool, prepare.hold, now_);
  for (const auto& [id, room] : worker.rooms) reply.rooms.push_back(room);
  send(at, from, std::move(reply));
}

void PoolWorld::hear(Node at, Node from, Ask ask) {
  Worker& worker = workers_.at(at);
  Reply reply{ask.hold, {}, {}, false};
  const CreationId creation{ask.hold, ask.index, Incarnation{from}};
  const bool allowed = ask.order ? worker.promises.allow(pool, creation, ask.basis, now_)
                                 : !worker.promises.has_passed(pool, ask.basis);
  if (!allowed) {
    ++refused_;
    return send(at, from, std::move(reply));
  }
  if (ask.order) {
    ++rooms_made_;
    plan::Room& room = worker.rooms[ask.room];
    room.id = ask.room;
    room.since = now_;
    room.teams = {{0, rules_.size.most, 0, {}}};
  }
  plan::Room& room = worker.rooms.at(ask.room);
  for (const plan::Ticket& ticket : ask.tickets) {
    if (room.teams[0].free < ticket.members.size()) continue;
    seat(room, ticket);
    reply.seated.push_back(ticket.id);
  }
  reply.rooms.push_back(room);
  send(at, from, std::move(reply));
}

void PoolWorld::seat(plan::Room& room, const plan::Ticket& ticket) {
  const auto size = static_cast<std::int64_t>(ticket.members.size());
  const std::int64_t mean = ticket.sums[0] / size;
  const bool first = room.teams[0].players == 0;
  room.low[0] = first ? mean : std::min(room.low[0], mean);
  room.high[0] = first ? mean : std::max(room.high[0], mean);
  for (const plan::Member& member : ticket.members) {
    ++room.teams[0].players;
    --room.teams[0].free;
    room.players.push_back(member.player);
    ++seats_;
    const auto [other, fresh] = sits_.emplace(member.player, room.id);
    if (!fresh) {
      wrong_.push_back(fmt::format("player {} has seats in rooms {} and {}", member.player.number(),
                                   other->second, room.id));
    }
  }
}

}  // namespace fixkeep::test
