#include "tilewright/checkpoint/writer.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/checkpoint/layout.h"

namespace tilewright::checkpoint {

SafetensorsWriter::SafetensorsWriter(const std::string& path,
                                     const std::vector<TensorToWrite>& tensors) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  uint64_t data = 0;
  for (const TensorToWrite& t : tensors) {
    const auto bytes = tensor_byte_count(t.type, t.shape);
    check(bytes && block_elements(t.type) == 1, "a tensor that safetensors cannot hold");
    std::string extents;
    for (const int64_t d : t.shape) extents += fmt::format("{}{}", extents.empty() ? "" : ",", d);
    header += fmt::format(",\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          t.name, stored_type_name(t.type), extents, data, data + *bytes);
    data += *bytes;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data then lies aligned
  const uint64_t length = header.size();
  file_.emplace(path, sizeof length + length + data);
  file_->write(std::as_bytes(std::span(&length, 1)));
  file_->write(header);
}

}  // namespace tilewright::checkpoint
