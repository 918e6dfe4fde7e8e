#include "tests/scenarios/cluster/commands.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "tests/scenarios/cluster/message_words.hpp"

namespace fixkeep::scenarios {
namespace {

using std::chrono::seconds;

using Counters = master::MasterCounters;
constexpr std::array<Counter, 6> all_counters{{
    {"fences", &Counters::fences},
    {"fence-restarts", &Counters::fence_restarts},
    {"ordered", &Counters::spawns_ordered},
    {"stale", &Counters::spawns_refused},
    {"boots-failed", &Counters::boots_failed},
    {"seat-requests", &Counters::seat_requests},
}};

void tune(master::MasterOptions& options, Words& words) {
  options.await_workers = words.duration("await_workers", Duration{0});
  options.worker_reply = words.duration("worker_reply", options.worker_reply);
  options.out_of_sight = words.duration("out_of_sight", Duration{0});
  options.room_start = words.duration("room_start", options.room_start);
  options.locks.lease = words.duration("hold", options.hold()) * 4 / 3;
  options.locks.join_grace = words.duration("join_grace", options.locks.join_grace);
  options.spawn_attempts = small(words.number("spawn_attempts", options.spawn_attempts));
  options.waiting_requests = words.number("waiting_requests", options.waiting_requests);
  options.waiting_requests_per_group =
      words.number("waiting_requests_per_group", options.waiting_requests_per_group);
  options.starting_rooms_per_group =
      words.number("starting_rooms_per_group", options.starting_rooms_per_group);
  options.starting_rooms_per_client =
      small(words.number("starting_rooms_per_client", options.starting_rooms_per_client));
  options.rooms_per_client_per_minute =
      small(words.number("rooms_per_client_per_minute", options.rooms_per_client_per_minute));
  if (words.key("placement") == "fullest") options.placement = master::Placement::fullest;
  if (const auto warm = words.key("warm")) {  // duel/4:1:10:0.1
    const auto parts = split(*warm, ':');
    const auto pool = split(parts.at(0), '/');
    options.modes.warm.push_back(
        {ModeName{pool.at(0)},
         small(number_of(pool.at(1))),
         {small(number_of(parts.at(1))), small(number_of(parts.at(2))), std::stod(parts.at(3))}});
  }
}

}  // namespace

void Commands::perform(Words& words) {
  const std::string command = words.take("a command");
  if (words.take_if(">")) {
    const std::string to = words.take("who hears it");
    if (world_.real(command)) {
      world_.deliver(command, to, words);
    } else {
      world_.say(command, to, words);
    }
  } else if (command.find('#') != std::string::npos) {
    room(command, words);
  } else if (!set_up(command, words) && !of_clients(command, words) &&
             !of_the_lock(command, words) && !of_links(command, words) &&
             !of_time(command, words) && !of_workers(command, words) && !looking(command, words)) {
    node(command, words);
  }
  words.finish();
}

// --- what there is -------------------------------------------------------------------------------

bool Commands::set_up(const std::string& command, Words& words) {
  if (command == "master" || command == "masters") {
    add_masters(command == "master" ? 1 : number_of(words.take("how many")), words);
  } else if (command == "worker") {
    add_worker(words.take("its name"), words);
  } else if (command == "workers") {
    const auto names = names_of({words.take("their names")});
    const auto options = words.rest();
    for (const std::string& name : names) {
      std::string again;
      for (const std::string& each : options) again += each + " ";
      Words same{again};
      add_worker(name, same);
    }
  } else if (command == "mode") {
    add_mode(words);
  } else {
    return false;
  }
  return true;
}

void Commands::add_masters(std::uint64_t count, Words& words) {
  master::MasterOptions options;
  options.record_events = true;
  const auto locks = words.key("locks");
  options.locks.strategy = locks.value_or(options.locks.strategy);
  world_.own_locks = locks.has_value();
  world_.serves_lock = !world_.own_locks && (words.flag("served-lock") || count > 1);
  world_.checks_seats = world_.serves_lock || world_.own_locks;
  world_.needs_fence = words.flag("needs-fence");
  world_.text.contexts = words.flag("contexts");
  world_.capacity = small(words.number("capacity", world_.capacity));
  world_.newcomers = newcomers_named(words.key("newcomers").value_or("always"));
  tune(options, words);
  const std::uint64_t first = words.number("number", 1);
  for (std::uint64_t m = first; m < first + count; ++m) {
    options.self = options.locks.self = MasterId{static_cast<std::uint16_t>(m)};
    options.incarnation = default_run(options.self);
    options.locks.peers.clear();
    for (std::uint64_t peer = 1; world_.own_locks && peer <= count; ++peer) {
      if (peer != m) options.locks.peers.emplace_back(static_cast<std::uint16_t>(peer));
    }
    world_.add_master(to_string(options.self), options);
  }
  if (world_.own_locks) world_.deliver_all();
}

void Commands::add_mode(Words& words) {
  worker::ModeOptions mode;
  mode.name = ModeName{words.take("its name")};
  mode.boot_timeout = words.duration("boot_timeout", mode.boot_timeout);
  mode.stop_grace = words.duration("stop_grace", mode.stop_grace);
  mode.memory_mib = small(words.number("memory_mib", 0));
  mode.seat_time = words.duration("seat_time", Duration{0});
  mode.needs_group = words.flag("needs-group");
  mode.reconnect = words.duration("reconnect", Duration{0});
  constexpr std::array<std::string_view, 4> rules{"told", "counted", "for_a_time", "until_exit"};
  const auto* const rule =
      std::find(rules.begin(), rules.end(), words.key("seats").value_or("told"));
  require(rule != rules.end(), "no such rule of seats");
  mode.seats = static_cast<worker::SeatRule>(rule - rules.begin());
  std::erase_if(modes_, [&](const auto& each) { return each.name == mode.name; });
  modes_.push_back(mode);
}

void Commands::add_worker(const std::string& name, Words& words) {
  worker::RoomHostOptions options;
  options.modes = modes_;
  world_.text.contexts = world_.text.contexts || words.flag("contexts");
  options.address = played_address;
  options.zone = ZoneName{words.key("zone").value_or("a")};
  options.incarnation = Incarnation{words.number("run", 0)};
  options.room_limit = small(words.number("rooms", 100));
  options.memory_mib = small(words.number("memory_mib", 0));
  options.reservation = words.duration("reservation", options.reservation);
  options.hears_first = words.duration("hears_first", Duration{0});
  options.close_empty_after = words.duration("close_empty_after", options.close_empty_after);
  options.unwanted_after = words.duration("unwanted_after", options.unwanted_after);
  options.health_period = words.duration("health_period", options.health_period);
  options.promise_memory = words.duration("promise_memory", options.promise_memory);
  options.boot_backoff.first = words.duration("pause_first", options.boot_backoff.first);
  options.boot_backoff.most = words.duration("pause_most", options.boot_backoff.most);
  options.boot_backoff.lasting = words.duration("lasting", options.boot_backoff.lasting);
  options.starts_queue = words.flag("starts-queue");
  words.finish();
  const bool quiet = world_.on_its_way().empty();
  world_.add_worker(name, options);
  if (quiet) world_.deliver_all();
}

// --- clients and the lock ------------------------------------------------------------------------

std::string Commands::master_in(Words& words) const {
  if (is_master(words.peek())) return words.take("");
  return "m1";
}

bool Commands::of_clients(const std::string& command, Words& words) {
  if (command == "claim") {
    ClaimWords said;
    said.group = GroupKey{words.key("g").value_or("g")};
    said.mode = ModeName{words.key("mode").value_or("duel")};
    said.capacity = small(words.number("capacity", world_.capacity));
    said.wait = words.duration("wait", seconds{30});
    said.client = words.key("client").value_or("");
    said.one_seat_per_group = words.flag("per-group");
    if (const auto match = words.key("match")) {
      said.group = wire::match_group_of(*match);
      said.match.emplace().told = GroupKey{"duel"};
      said.match->teams_hash = words.number("body", 1);
      said.match->joins = words.flag("joins");
    }
    if (const auto in = words.key("in")) {
      const auto [worker, number] = room_of(*in);
      const auto run = world_.has_worker(worker) ? world_.run_of(worker) : Incarnation{1};
      said.room = RoomId{WorkerId{worker}, run, number};
    }
    const bool no_backfill = words.flag("no-backfill");
    std::vector<std::string> names;
    std::vector<std::string> masters;
    for (const std::string& word : words.rest()) {
      (is_master(word.substr(0, word.find(".."))) ? masters : names).push_back(word);
    }
    masters = names_of(masters);
    if (masters.empty()) masters.emplace_back("m1");
    std::size_t next = 0;
    for (wire::Claim claim : world_.text.claims(names)) {
      claim.no_backfill = no_backfill;
      world_.claim(masters.at(next++ % masters.size()), claim, said);
    }
  } else if (command == "cancel") {
    for (const std::string& each : names_of(words.rest())) world_.cancel(each);
  } else if (command == "leave-match") {
    const std::string player = words.take("the player");
    require(world_.seat_of.contains(player), "nobody was told a seat of " + player);
    world_.leave(master_in(words), player, true);
  } else if (command == "leave") {
    const std::string player = words.take("the player");
    require(world_.seat_of.contains(player), "nobody was told a seat of " + player);
    world_.leave(master_in(words), player, false);
  } else {
    return false;
  }
  return true;
}

bool Commands::of_the_lock(const std::string& command, Words& words) {
  if (command == "grant") {
    master::LockGranted grant;
    const std::string master = master_in(words);
    const auto token = words.key("token");
    grant.token = token ? token_of(*token) : world_.next_token(master);
    if (const auto fence = words.key("fence")) grant.fence = token_of(*fence);
    grant.needs_fence = words.flag("needs-fence");
    grant.uncertain = words.flag("uncertain");
    grant.group = GroupKey{words.key("g").value_or("g")};
    bool earlier = false;
    for (const std::string& word : words.rest()) {
      if (word == "earlier") {
        earlier = true;
      } else {
        (earlier ? grant.earlier : grant.hints).push_back(MessageText::hint(word));
      }
    }
    world_.grant(std::move(grant), master);
  } else if (command == "lose") {
    const std::string master = master_in(words);
    auto reason = lock::LostReason::wait_timeout;
    if (words.flag("lease")) reason = lock::LostReason::lease_timeout;
    if (words.flag("engine")) reason = lock::LostReason::engine_failure;
    world_.lose(GroupKey{words.key("g").value_or("g")}, reason, master);
  } else {
    return false;
  }
  return true;
}

// --- links and time ------------------------------------------------------------------------------

bool Commands::of_links(const std::string& command, Words& words) {
  if (command == "cut" || command == "join") {
    const auto masters = range_of(words.take("the master"));
    for (const std::string& worker : range_of(words.take("the worker"))) {
      for (const std::string& master : masters) {
        if (command == "cut") {
          world_.cut(master, worker);
        } else {
          const auto run = world_.has_worker(worker) ? world_.run_of(worker) : Incarnation{1};
          world_.connect(master, worker, run);
        }
      }
    }
  } else if (command == "run") {
    world_.deliver_all();
  } else if (command == "some") {
    some();
  } else if (command == "deliver") {
    for (auto left = number_of(words.take("how many")); left > 0; --left) world_.deliver_next();
  } else {
    return false;
  }
  return true;
}

void Commands::some() {
  require(!more_, "`some` stands once in a scenario");
  int done = 0;
  while (done < some_ && world_.deliver_next()) ++done;
  more_ = done == some_;
}

bool Commands::of_time(const std::string& command, Words& words) {
  if (command[0] == '+') {
    world_.pass(duration_of(command.substr(1)), false);
  } else if (command == "pass") {
    world_.pass(duration_of(words.take("how long")), true);
  } else if (command == "asleep") {  // time passes, and no timer goes off
    world_.now += duration_of(words.take("how long"));
  } else if (command == "boot") {
    world_.boot();
  } else if (command == "fail-boots") {
    world_.fail_boots(words.take_or("exit code 3"));
  } else if (command == "finish") {
    world_.finish();
  } else {
    return false;
  }
  return true;
}

// --- looking -------------------------------------------------------------------------------------

bool Commands::looking(const std::string& command, Words& words) {
  if (command == "rooms") {
    if (words.done()) {
      for (const std::string& worker : world_.workers()) world_.see_rooms(worker);
    }
    for (const std::string& worker : words.rest()) world_.see_rooms(worker);
  } else if (command == "directory") {
    const std::string master = master_in(words);
    world_.see_directory(master, words.take_or(""));
  } else if (command == "duplicates") {
    world_.see_duplicates();
  } else if (command == "answers") {
    world_.see_answers();
  } else if (command == "rooms-started") {
    world_.see(std::to_string(world_.rooms_started()));
  } else if (command == "room-counts") {
    std::string line;
    for (const std::string& worker : world_.workers()) {
      line += (line.empty() ? "" : " ") + worker + "=";
      line += std::to_string(world_.host(worker).rooms().size());
    }
    world_.see(line);
  } else if (command == "on-its-way") {
    for (std::string& line : world_.on_its_way()) world_.see(std::move(line));
  } else if (command == "waiting") {
    for (const std::string& name : world_.masters()) {
      world_.see(name + " requests=" + std::to_string(world_.master(name).waiting()) +
                 " groups=" + std::to_string(world_.master(name).groups()));
    }
  } else if (command == "tokens-that-do-not-grow") {
    world_.see_tokens();
  } else if (command == "events") {
    world_.see_events(master_in(words));
  } else if (command == "count-anew") {
    counted_ = {};
    for (const Counter& each : all_counters) counted_[each.name] = sum_of(each);
  } else if (command == "counters") {
    counters(words);
  } else {
    return false;
  }
  return true;
}

// Of all masters together, since `count-anew`.
void Commands::counters(Words& words) {
  std::string line;
  for (const std::string& word : words.rest()) {
    const auto* const found = std::find_if(all_counters.begin(), all_counters.end(),
                                           [&](const auto& each) { return each.name == word; });
    require(found != all_counters.end(), "no such counter: " + word);
    const auto count = sum_of(*found) - counted_[found->name];
    line += (line.empty() ? "" : " ") + word + "=" + std::to_string(count);
  }
  world_.see(line);
}

std::uint64_t Commands::sum_of(const Counter& counter) {
  std::uint64_t sum = 0;
  for (const std::string& name : world_.masters()) {
    sum += world_.master(name).counters().*counter.member;
  }
  return sum;
}

}  // namespace fixkeep::scenarios
