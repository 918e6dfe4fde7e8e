#include "client-sim/report/run_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/room_bars.hpp"
#include "client-sim/report/seed_bands.hpp"
#include "client-sim/report/sequence_diagram.hpp"
#include "client-sim/report/svg_plot.hpp"
#include "client-sim/report/svg_rows.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double headroom = 1.08;  // of a plot above its highest value
constexpr const char* since_first = "time since the first request (ms)";

// With players leaving, how many rooms are needed changes all the time: there is no line for it.
bool has_one_need(const std::vector<RunResult>& runs) {
  return runs.front().arrival != "churn";
}

std::vector<Reference> needed_rooms(const std::vector<RunResult>& runs) {
  if (!has_one_need(runs)) return {};
  const auto ideal = static_cast<double>(runs.front().verdict.ideal_rooms);
  return {{.label = "needed: " + format_whole(ideal), .value = ideal}};
}

// All lines in one plot, or each in its own if there are too many of them.
void add_lines(Picture& picture, const Axes& axes, const std::vector<std::string>& locks,
               const std::vector<Line>& lines, const std::vector<Reference>& references) {
  if (locks.size() <= most_locks_in_a_plot) {
    picture.locks = locks;
    picture.cells = {{.lock = {}, .note = {}, .drawing = line_plot(axes, lines, references)}};
    return;
  }
  for (std::size_t index = 0; index < locks.size(); ++index) {
    auto own = axes;
    own.description += ": " + locks[index];
    picture.cells.push_back(
        {.lock = locks[index], .note = {}, .drawing = line_plot(own, {lines[index]}, references)});
  }
}

Picture made_picture(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  std::vector<Row> rows;
  for (const auto& lock : locks) {
    std::vector<double> made;
    for (const auto* run : runs_of(runs, lock)) {
      made.push_back(static_cast<double>(run->verdict.rooms));
    }
    const auto span = spread(std::move(made));
    rows.push_back({.label = lock,
                    .style = style_of(lock),
                    .bars = {{.value = span.median,
                              .text = format_span(span, format_whole),
                              .low = span.min,
                              .high = span.max}}});
  }
  Picture picture{.name = "rooms-made",
                  .title = "Rooms made and needed",
                  .words =
                      "Median of the seeds, and what they span. Every room beyond the line is "
                      "one that nobody needed."};
  picture.cells.push_back({.lock = {},
                           .note = {},
                           .drawing = rows_plot({.description = "Rooms made with each lock",
                                                 .x_label = "rooms",
                                                 .references = needed_rooms(runs)},
                                                rows)});
  return picture;
}

Picture rooms_picture(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  double x_max = 0;
  double y_max = 1;
  bool polled = false;
  std::vector<Line> lines;
  for (const auto& lock : locks) {
    std::vector<const std::vector<CurvePoint>*> curves;
    double end = 0;
    for (const auto* run : runs_of(runs, lock)) {
      polled = polled || run->told == nullptr;
      curves.push_back(&run->curve);
      for (const auto& point : run->curve) y_max = std::max(y_max, point.y);
      end = std::max({end, run->load_ms, run->curve.empty() ? 0 : run->curve.back().x});
    }
    x_max = std::max(x_max, end);
    lines.push_back(band_of_steps(style_of(lock), curves));
    auto& line = lines.back();
    for (auto* points : {&line.points, &line.lower, &line.upper}) {
      if (!points->empty()) points->push_back({.x = end, .y = points->back().y});
    }
  }
  const auto references = needed_rooms(runs);
  for (const auto& reference : references) y_max = std::max(y_max, reference.value);
  Picture picture{.name = "rooms-over-time",
                  .title = "Rooms over time",
                  .words = polled
                               ? "Rooms that are starting or open, as a master listed them when "
                                 "it was asked now and then: the times are later than the true "
                                 "ones, because the events of some node are missing."
                               : "Rooms that are starting or open, by the events of the workers. "
                                 "Of several seeds the line is the median, the band spans "
                                 "them."};
  add_lines(picture,
            {.description = "Rooms over time",
             .x_label = since_first,
             .y_label = "rooms",
             .x_max = x_max,
             .y_max = y_max * headroom},
            locks, lines, references);
  return picture;
}

Picture times_picture(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  double x_max = 0;
  std::vector<Line> lines;
  for (const auto& lock : locks) {
    std::vector<std::vector<double>> times;
    for (const auto* run : runs_of(runs, lock)) {
      for (const double time : run->verdict.match_times) x_max = std::max(x_max, time);
      times.push_back(match_times_of_all(*run));
    }
    lines.push_back(band_of_times(style_of(lock), std::move(times)));
  }
  Picture picture{.name = "time-to-match",
                  .title = "Time to match",
                  .words =
                      "How many of all players had their seat after how long, retries and boot "
                      "of the game included. Of several seeds the line is the median, the "
                      "band spans them."};
  add_lines(picture,
            {.description = "Share of players that have a seat, by time to match",
             .x_label = "time to match (ms)",
             .y_label = "players seated (%)",
             .x_max = x_max * 1.02,
             .y_max = 100},
            locks, lines, {});
  return picture;
}

Picture fill_picture(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  Picture picture{.name = "fill",
                  .title = "Fill of each room",
                  .words =
                      "A bar for each room that was made with the first seed: its players when "
                      "it was fullest, by group."};
  for (const auto& lock : locks) {
    const auto& run = *runs_of(runs, lock).front();
    const auto& fills = run.verdict.fills;
    std::vector<Bar> bars;
    double most = run.capacity;
    for (const auto& fill : fills) {
      if (bars.size() == most_fill_bars) break;
      bars.push_back(
          {.value = static_cast<double>(fill.inside),
           .hint = fmt::format("{}: {} of {}", fill.group_key, fill.inside, fill.capacity)});
      most = std::max(most, static_cast<double>(fill.inside));
    }
    const auto shown = bars.size() < fills.size()
                           ? fmt::format("the first {} of {}", bars.size(), fills.size())
                           : std::to_string(bars.size());
    const Axes axes{.description = "Players in each room, " + lock,
                    .x_label = shown + " rooms, by group",
                    .y_label = "players",
                    .y_max = most * 1.15};
    const auto seats = static_cast<double>(run.capacity);
    picture.cells.push_back(
        {.lock = lock,
         .note = fmt::format(": {} % full on average", std::lround(run.verdict.mean_fill * 100)),
         .drawing = bar_plot(axes, bars, style_of(lock),
                             {{.label = fmt::format("seats: {}", run.capacity), .value = seats}})});
  }
  return picture;
}

// "with redis", "without a lock".
std::string with_lock(const std::string& lock) {
  return promises_no_duplicates(lock) ? "with " + lock : "without a lock";
}

// Finds the first run of the lock in which orders collided, or else its first run.
const RunResult* told_run(const std::vector<RunResult>& runs, const std::string& lock) {
  const RunResult* first = nullptr;
  for (const auto* run : runs_of(runs, lock)) {
    if (run->told == nullptr) continue;
    if (run->told->first_collision) return run;
    if (first == nullptr) first = run;
  }
  return first;
}

Picture collision_picture(const RunResult& run) {
  const auto& story = *run.told->first_collision;
  auto words = fmt::format(
      "Group {}, seed {}. Room A had free seats when room B was ordered: the master that ordered B "
      "did not know of it. Times are ms since the first request, each by the clock of the node "
      "that told it.",
      story.group, run.seed);
  if (story.left_out > 0)
    words += fmt::format(" {} steps further from the collision are left out.", story.left_out);
  return {.name = "first-collision-" + run.lock,
          .title = "The first collision " + with_lock(run.lock),
          .words = std::move(words),
          .cells = {{.lock = {}, .note = {}, .drawing = sequence_diagram(story)}},
          .wide = true};
}

Picture bars_picture(const RunResult& run) {
  const auto& timeline = run.told->timeline;
  const auto chosen = choose_rooms(timeline, most_room_bars);
  const auto collided = std::count_if(timeline.rooms.begin(), timeline.rooms.end(),
                                      [](const RoomLife& room) { return room.collided; });
  auto words = fmt::format(
      "Seed {}: {} rooms, {} of them from orders that collided (red). The thin line is the order "
      "on its way, the pale bar the boot of the game, the full bar the open room; a stroke at its "
      "end: it closed.",
      run.seed, timeline.rooms.size(), collided);
  if (chosen.left_out > 0) {
    words += fmt::format(" Left out: {}, of which {} collided.", chosen.left_out,
                         chosen.collided_left_out);
  }
  return {.name = "room-bars-" + run.lock,
          .title = "Every room " + with_lock(run.lock),
          .words = std::move(words),
          .cells = {{.lock = {}, .note = {}, .drawing = room_bars(run.lock, timeline, chosen)}},
          .wide = true,
          .folded = collided == 0};
}

}  // namespace

std::vector<Picture> pictures_of(const std::vector<RunResult>& runs, const std::string& suffix) {
  const auto locks = strategies(runs);
  std::vector<Picture> pictures;
  if (has_one_need(runs)) pictures.push_back(made_picture(runs, locks));
  pictures.push_back(rooms_picture(runs, locks));
  for (const auto& lock : locks) {
    const auto* run = told_run(runs, lock);
    if (run == nullptr) continue;
    if (run->told->first_collision) pictures.push_back(collision_picture(*run));
    pictures.push_back(bars_picture(*run));
  }
  pictures.push_back(times_picture(runs, locks));
  pictures.push_back(fill_picture(runs, locks));
  for (auto& picture : pictures) picture.name += suffix;
  return pictures;
}

}  // namespace fixkeep::client_sim
