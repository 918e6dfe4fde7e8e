// The files that a command writes.
//
// Thread rule: free functions without state.
#pragma once

#include <iosfwd>
#include <string>

namespace fixkeep::client_sim {

// Returns false if the file could not be written; `err` gets the reason.
bool write_file(const std::string& path, const std::string& text, std::ostream& err);

// Writes the JSON of a report, and the page that draws it, to the named files. Returns false if a
// file could not be written.
bool write_report(const std::string& json, const std::string& json_file,
                  const std::string& page_file, std::ostream& err);

}  // namespace fixkeep::client_sim
