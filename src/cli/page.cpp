#include "cli/page.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/memory.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"

namespace faro::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view empty_content =
    R"(<script type="application/json" id="content">null</script>)";

void check_page(std::uint64_t bytes, const std::string& name) {
  if (bytes > limits::page_schedule_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{} has more than {} bytes, too many for a page",
                                              name, limits::page_schedule_bytes_max));
}

// Installed beside the program, or built beside it.
std::string page_path() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = folder / "../share/faro/explorer.html";
  for (const fs::path& path : {installed, folder / "../wasm/explorer.html"})
    if (fs::is_regular_file(path, error)) return path.string();
  throw Error(
      ErrorCode::environment,
      fmt::format("the page is not here: no {}. It is built apart, with Debian's emscripten: "
                  "./page in faro's sources, then cmake --install build/release",
                  installed.lexically_normal().string()));
}

std::string text_of(const PageContent& content) {
  if (content.schedule && !Report::holds(*content.schedule))
    throw Error(ErrorCode::usage, content.name + " is no text in UTF-8, so it is no schedule");
  Report object;
  object["link"] = content.link;
  if (content.schedule) {
    object["schedule"] = *content.schedule;
    object["name"] = content.name;
  }
  if (content.goal) object["goal"] = *content.goal;
  if (content.verdict) object["verdict"] = *content.verdict;
  // Nothing in it may end the script that it stands in.
  std::string safe;
  for (const char c : object.json()) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return safe;
}

}  // namespace

std::string schedule_text(const std::string& path) {
  return whole_file(path, check_page);
}

std::size_t write_page(const PageContent& content, const std::string& path, Output& out) {
  const std::string source = page_path();
  std::string page = whole_file(source, check_page);
  const std::size_t at = page.find(empty_content);
  if (at == std::string::npos)
    throw Error(ErrorCode::environment, source + " is no page of this program");
  page.replace(at + empty_content.find("null"), 4, text_of(content));
  if (path == "-") {
    out.write(page);
    return page.size();
  }
  Replacement file(path);
  file.write(page);
  file.commit();
  return page.size();
}

}  // namespace faro::cli
