#include "tilewright/serve/page.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/serve/data.h"

namespace tilewright::serve {
namespace {

std::string_view page_file(std::string_view name) {
  const auto& all = data_files();
  const auto it = std::ranges::find(all, name, &DataFile::name);
  check(it != all.end(), "the page is made of files that are embedded");
  return it->text;
}

void fill(std::string& page, std::string_view slot, std::string_view text) {
  const std::size_t at = page.find(slot);
  check(at != std::string::npos, "the frame of the page has a slot for every part");
  page.replace(at, slot.size(), text);
}

std::string made_page() {
  std::string scripts;  // each may use the ones before it
  for (const char* name : {"dom", "api", "settings", "state", "tooltip", "answer", "chat", "start"})
    scripts += page_file(name);
  std::string page(page_file("frame"));
  fill(page, "{{style}}", std::string(page_file("theme")) + std::string(page_file("style")));
  fill(page, "{{script}}", scripts);
  return page;
}

}  // namespace

const std::string& chat_page() {
  static const std::string kPage = made_page();
  return kPage;
}

}  // namespace tilewright::serve
