#include "client-sim/output.hpp"

#include <fstream>
#include <ostream>

#include "client-sim/report/page/page.hpp"

namespace fixkeep::client_sim {

bool write_file(const std::string& path, const std::string& text, std::ostream& err) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (file) return true;
  err << "cannot write " << path << '\n';
  return false;
}

bool write_report(const std::string& json, const std::string& json_file,
                  const std::string& page_file, std::ostream& err) {
  bool written = json_file.empty() || write_file(json_file, json, err);
  if (!page_file.empty()) written = write_file(page_file, report_page(json), err) && written;
  return written;
}

}  // namespace fixkeep::client_sim
