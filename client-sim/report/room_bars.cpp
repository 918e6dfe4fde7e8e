#include "client-sim/report/room_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/svg_axes.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double bars_width = 900;
constexpr double bars_left = 270;
constexpr double bars_right = 90;  // for the word at the end of a bar
constexpr double bars_top = 30;
constexpr double bars_bottom = 56;
constexpr double room_height = 17;
constexpr double room_bar_height = 11;
constexpr std::size_t most_characters = 36;  // of a label

double order_time(const RoomLife& room) {
  return std::min(room.ordered_ms, room.starting_ms);
}

class RoomScale {
 public:
  explicit RoomScale(double end_ms) : end_ms_(std::max(end_ms, 1e-9)) {}
  [[nodiscard]] double x(double ms) const {
    return bars_left + (bars_width - bars_left - bars_right) * std::clamp(ms / end_ms_, 0.0, 1.0);
  }

 private:
  double end_ms_;
};

std::string label_of(const RoomLife& room) {
  const auto master = room.master.empty() ? std::string{"?"} : room.master;
  const auto path = fmt::format("{} → {}", master, room.worker.text());
  const auto rest = most_characters - std::min(most_characters, path.size());
  return fmt::format("{}  {}", shorten(room.group.text(), std::max<std::size_t>(rest, 8)), path);
}

std::string ms_text(double ms) {
  return std::isinf(ms) ? "not in the run" : fmt::format("{:.1f} ms", ms);
}

std::string draw_room(const RoomLife& room, std::size_t style, double y, const RoomScale& scale) {
  const double middle = y + room_height / 2;
  const double started = scale.x(room.starting_ms);
  const double ended = scale.x(room.closed_ms);
  const double opened = std::min(scale.x(room.open_ms), ended);
  std::string svg = svg_text({.x = bars_left - 10,
                              .y = middle + 4,
                              .anchor = "end",
                              .css = room.collided ? "alarm" : "tick"},
                             label_of(room));
  const auto hint = fmt::format(
      "{}, ordered by {}, on {}: ordered {}, starting {}, open {}, closed {}{}", room.group.text(),
      room.master, room.worker.text(), ms_text(room.ordered_ms), ms_text(room.starting_ms),
      ms_text(room.open_ms), ms_text(room.closed_ms), room.collided ? "; the order collided" : "");
  svg += fmt::format("<g><title>{}</title>\n", escape_html(hint));
  svg += svg_line("wait", scale.x(order_time(room)), middle, started, middle);
  svg += svg_line("wait", scale.x(order_time(room)), middle - 4, scale.x(order_time(room)),
                  middle + 4);
  const auto colour = room.collided ? std::string{"collided"} : fmt::format("c{}", style);
  const auto part = [&](double from, double to, const char* more) {
    constexpr auto rect =
        "<rect class=\"bar {}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n";
    svg +=
        fmt::format(rect, colour, more, svg_number(from), svg_number(middle - room_bar_height / 2),
                    svg_number(std::max(to - from, 0.0)), svg_number(room_bar_height));
  };
  part(started, opened, " starting");
  part(opened, ended, "");
  if (!std::isinf(room.closed_ms)) svg += svg_line("mark", ended, middle - 7, ended, middle + 7);
  svg += "</g>\n";
  if (room.collided) svg += svg_text({.x = ended + 8, .y = middle + 4, .css = "alarm"}, "collided");
  return svg;
}

}  // namespace

ChosenRooms choose_rooms(const Timeline& timeline, std::size_t most) {
  std::set<std::pair<GroupKey, CreationId>> wanted;
  for (const auto& room : timeline.rooms) {
    if (!room.collided || wanted.size() >= most) continue;
    wanted.insert({room.group, room.creation});
    if (room.other && wanted.size() < most) wanted.insert({room.group, *room.other});
  }
  for (const auto& room : timeline.rooms) {
    if (wanted.size() < most) wanted.insert({room.group, room.creation});
  }
  ChosenRooms chosen;
  for (const auto& room : timeline.rooms) {
    if (wanted.contains({room.group, room.creation})) {
      chosen.rooms.push_back(&room);
    } else {
      ++chosen.left_out;
      chosen.collided_left_out += room.collided ? 1 : 0;
    }
  }
  std::stable_sort(chosen.rooms.begin(), chosen.rooms.end(),
                   [](const RoomLife* one, const RoomLife* other) {
                     return std::tuple{one->group, order_time(*one)} <
                            std::tuple{other->group, order_time(*other)};
                   });
  return chosen;
}

Drawing room_bars(const std::string& lock, const Timeline& timeline, const ChosenRooms& chosen) {
  const RoomScale scale{timeline.end_ms};
  const double end = bars_top + room_height * static_cast<double>(chosen.rooms.size());
  std::string svg;
  for (const double tick : nice_ticks(timeline.end_ms, 8)) {
    svg += svg_line("grid", scale.x(tick), bars_top, scale.x(tick), end);
    svg += svg_text({.x = scale.x(tick), .y = end + 19, .anchor = "middle"}, svg_number(tick));
  }
  svg += svg_text({.x = bars_left - 10, .y = bars_top - 10, .anchor = "end", .css = "label"},
                  "group, master → worker");
  svg += svg_text({.x = (bars_left + bars_width - bars_right) / 2,
                   .y = end + 44,
                   .anchor = "middle",
                   .css = "label"},
                  "time since the first request (ms)");
  double y = bars_top;
  for (const auto* room : chosen.rooms) {
    svg += draw_room(*room, style_of(lock), y, scale);
    y += room_height;
  }
  return make_drawing(bars_width, end + bars_bottom, "The rooms of a run over time, " + lock, svg);
}

}  // namespace fixkeep::client_sim
