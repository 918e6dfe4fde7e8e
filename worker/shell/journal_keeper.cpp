#include "worker/shell/journal_keeper.hpp"

#include <chrono>
#include <utility>

#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

using journal::Reading;

constexpr std::chrono::seconds pause_after_failure{1};

}  // namespace

JournalKeeper::JournalKeeper(const std::string& folder, journal::Identity fresh,
                             journal::Games games)
    : path_(folder + "/journal"), identity_(std::move(fresh)) {
  Reading found = journal::read(path_, identity_.boot, games, identity_.epoch);
  switch (found.state) {
    case Reading::State::none: break;
    case Reading::State::found: go_on_with(std::move(found)); break;
    case Reading::State::another_boot:
      obs::log_info("the machine was started anew: no game of an earlier run can be there",
                    {{"journal", path_}});
      break;
    case Reading::State::unreadable:
      obs::log_error("cannot read the journal: games of an earlier run will be ended",
                     {{"journal", path_}});
      break;
  }
  journal_ = std::make_unique<journal::Journal>(path_, identity_);
}

void JournalKeeper::go_on_with(Reading&& found) {
  identity_ = found.identity;
  const auto rooms = found.memory.rooms.size();
  if (found.complete) {
    obs::log_info("goes on with the journal", {{"journal", path_}, {"rooms", rooms}});
  } else {
    obs::log_error(
        "the journal is not complete: its rooms take no new players, and end when they are empty",
        {{"journal", path_}, {"rooms", rooms}, {"lost_bytes", found.lost_bytes}});
  }
  recovered_ = Recovered{.memory = std::move(found.memory), .complete = found.complete};
}

void JournalKeeper::begin(RoomHost& core, TimePoint now) {
  (void)core.take_records();
  make_snapshot(core, now);
}

bool JournalKeeper::note(RoomHost& core, TimePoint now) {
  const Records records = core.take_records();
  if (next_try_ == TimePoint::min()) {
    const auto written = journal_->append(records);
    if (written && !journal_->wants_snapshot()) return true;
  }
  if (now >= next_try_) make_snapshot(core, now);
  return next_try_ == TimePoint::min();
}

void JournalKeeper::make_snapshot(const RoomHost& core, TimePoint now) {
  const auto written = journal_->rewrite(core.snapshot());
  if (written) {
    if (!complains_) obs::log_info("the journal is written again", {{"journal", path_}});
    complains_ = true;
    next_try_ = TimePoint::min();
    return;
  }
  next_try_ = now + pause_after_failure;
  if (!std::exchange(complains_, false)) return;
  obs::log_error("cannot write the journal: the next run of this worker will miss something",
                 {{"journal", path_}, {"reason", written.error().message()}});
}

std::optional<JournalKeeper> keep_journal(Settings& settings, const std::string& folder,
                                          journal::Games games) {
  if (settings.outlive_worker <= std::chrono::milliseconds{0}) return {};
  JournalKeeper keeper{folder,
                       journal::Identity{.incarnation = settings.core.incarnation,
                                         .epoch = net::steady_now(),
                                         .boot = journal::boot_id(),
                                         .seat_root = settings.core.seat_root},
                       games};
  settings.core.keep_records = true;
  settings.core.incarnation = keeper.identity().incarnation;
  settings.core.seat_root = keeper.identity().seat_root;
  settings.links.self.incarnation = settings.core.incarnation;
  return keeper;
}

}  // namespace fixkeep::worker
