#include "client-sim/report/lock_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

namespace {

// The place of a name is its style: a new lock is put at the end.
constexpr auto styled_locks = std::to_array<std::string_view>(
    {"none", "multiphase", "lamport", "ricart-agrawala", "maekawa", "coordinator", "two-phase",
     "redis", "redlock", "etcd", "zookeeper"});
static_assert(styled_locks.size() < lock_styles);

// Paths around 0,0; the second half is drawn hollow.
constexpr std::array<const char*, lock_styles> shapes{
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",                 // circle
    "M-4 -4H4V4H-4Z",                                      // square
    "M0 -5L5 4H-5Z",                                       // triangle
    "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",                         // diamond
    "M0 5L5 -4H-5Z",                                       // triangle, upside down
    "M-5 -1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z",  // cross
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",                 // the same, hollow
    "M-4 -4H4V4H-4Z",                                      //
    "M0 -5L5 4H-5Z",                                       //
    "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",                         //
    "M0 5L5 -4H-5Z",                                       //
    "M-5 -1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z",  //
};
constexpr std::size_t first_hollow = 6;

}  // namespace

std::size_t style_of(std::string_view lock) {
  const auto* found = std::find(styled_locks.begin(), styled_locks.end(), lock);
  return found == styled_locks.end() ? lock_styles - 1
                                     : static_cast<std::size_t>(found - styled_locks.begin());
}

std::string marker_of(std::size_t style, double x, double y) {
  return fmt::format("<path class=\"marker c{}{}\" transform=\"translate({} {})\" d=\"{}\"/>\n",
                     style, style >= first_hollow ? " hollow" : "", svg_number(x), svg_number(y),
                     shapes.at(style));
}

}  // namespace fixkeep::client_sim
