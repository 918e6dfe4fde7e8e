#include "client-sim/progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t bar_width = 24;
constexpr std::chrono::seconds line_every{5};
constexpr const char* clear_line = "\r\x1b[2K";

}  // namespace

std::string progress_line(const Progress& progress) {
  const std::size_t of = std::max<std::size_t>(progress.players, 1);
  const std::size_t filled = std::min(bar_width, bar_width * progress.decided / of);
  char tail[160];
  std::snprintf(tail, sizeof tail,
                "] %zu/%zu connected, %zu waiting, %zu failed, %zu rooms, %.1f s",
                progress.connected, progress.players, progress.asked - progress.decided,
                progress.decided - std::min(progress.connected, progress.decided), progress.rooms,
                progress.elapsed_ms / 1000);
  return "[" + std::string(filled, '#') + std::string(bar_width - filled, '-') + tail;
}

ProgressBar::ProgressBar(std::ostream& out, bool terminal, std::string title)
    : out_(out), terminal_(terminal), title_(std::move(title)) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::show(const Progress& progress) {
  if (terminal_) {
    out_ << clear_line << title_ << ' ' << progress_line(progress) << std::flush;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (progress.decided < progress.players && now < next_line_) return;
  next_line_ = now + line_every;
  out_ << title_ << ' ' << progress_line(progress) << '\n' << std::flush;
}

void ProgressBar::note(const std::string& what) {
  if (terminal_) out_ << clear_line << title_ << ' ' << what << std::flush;
}

void ProgressBar::clear() {
  if (terminal_) out_ << clear_line << std::flush;
}

}  // namespace fixkeep::client_sim
