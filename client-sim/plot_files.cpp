#include "client-sim/plot_files.hpp"

#include <chrono>
#include <fstream>
#include <ostream>
#include <sstream>

#include "client-sim/output.hpp"
#include "common/process/child_process.hpp"
#include "common/process/program.hpp"

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes convert_limit{1};
constexpr const char* zoom = "2";  // pixels for each unit of a drawing, for dense screens

// Returns what went wrong.
std::string convert(const std::string& converter, const fs::path& svg, const fs::path& png) {
  const auto log = fs::path{png}.replace_extension(".log");
  auto started = process::ChildProcess::start(
      {converter, "--zoom", zoom, "--output", png.string(), svg.string()}, log);
  std::string failure;
  if (!started) {
    failure = started.error().message();
  } else if (!started->wait(convert_limit)) {
    failure = "it took too long";
  } else if (started->how_it_ended() != "exit code 0") {
    std::ostringstream said;
    said << std::ifstream{log}.rdbuf();
    failure = started->how_it_ended() + ": " + said.str();
  }
  std::error_code ignored;  // a log that stays behind does no harm
  fs::remove(log, ignored);
  return failure;
}

}  // namespace

bool write_plots(const std::vector<Picture>& pictures, const PlotFolder& folder,
                 std::ostream& err) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  if (error) {
    err << "cannot make " << folder.path.string() << ": " << error.message() << '\n';
    return false;
  }
  for (const auto& picture : pictures) {
    const auto file = folder.path / (picture.name + ".svg");
    if (!write_file(file.string(), picture_file(picture, folder.origin), err)) return false;
  }
  const auto found = process::find_program(folder.converter, process::program_folders());
  if (found.path.empty()) {
    err << "No PNG was written, since " << folder.converter << " is " << found.problem
        << ": install the package librsvg2-bin (apt-get install librsvg2-bin)\n";
    return false;
  }
  for (const auto& picture : pictures) {
    const auto svg = folder.path / (picture.name + ".svg");
    const auto png = folder.path / (picture.name + ".png");
    if (const auto failure = convert(found.path, svg, png); !failure.empty()) {
      err << "cannot write " << png.string() << ": " << failure << '\n';
      return false;
    }
  }
  return true;
}

}  // namespace fixkeep::client_sim
