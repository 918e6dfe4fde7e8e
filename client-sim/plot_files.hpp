// Writes pictures into a folder: each as SVG, and as PNG by rsvg-convert (Debian's librsvg2-bin).
//
// Thread rule: from the main thread of a single-threaded process; blocks until done. Bounds: a
// picture is converted within a minute. Errors: a text to `err`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "client-sim/report/picture.hpp"

namespace fixkeep::client_sim {

struct PlotFolder {
  std::filesystem::path path;  // it is made if it is not there
  std::string origin;          // stands in each picture: how it was made
  std::string converter = "rsvg-convert";
};

// False: not all of them are there. Without the converter the SVG files are written all the same.
[[nodiscard]] bool write_plots(const std::vector<Picture>& pictures, const PlotFolder& folder,
                               std::ostream& err);

}  // namespace fixkeep::client_sim
