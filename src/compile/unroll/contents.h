// What is known of the elements of a buffer or a tile: defined, or undefined and why.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tilewright/compile/unroll/causes.h"
#include "tilewright/compile/unroll/defined_map.h"

namespace tilewright::compile {

class Contents {
 public:
  Contents() = default;
  // All defined, or with a cause all undefined.
  Contents(int64_t rows, int64_t cols, CauseId undefined)
      : defined_(rows, cols, undefined == kNoCause), birth_(undefined) {}

  bool complete() const { return defined_.complete(); }
  bool covers(const ir::Rect& r) const { return defined_.covers(r); }
  bool covers(const ir::TensorRef& window) const;
  int64_t rows() const { return defined_.rows(); }
  int64_t cols() const { return defined_.cols(); }
  ir::Rect whole() const { return {0, rows(), 0, cols()}; }

  void define(const ir::Rect& r);
  void spoil(const ir::Rect& r, CauseId cause);
  // A write may have happened: what is undefined is so for this reason from now on.
  void doubt(const ir::Rect& r, CauseId cause);

  // Rectangles that together are exactly the undefined elements of `within`, each with its cause.
  using Visit = std::function<void(const ir::Rect&, CauseId)>;
  void for_each_undefined(const ir::Rect& within, const Visit& visit) const;

 private:
  struct Stain {
    ir::Rect rect;
    CauseId cause;
  };
  void stain(const ir::Rect& r, CauseId cause);
  void find_undefined(const ir::Rect& within, const Visit& visit) const;

  DefinedMap defined_;
  CauseId birth_ = kNoCause;
  // Causes of undefined elements, later ones over earlier ones and all of them over birth_. They
  // may lie over defined elements, too: defined_ decides.
  std::vector<Stain> stains_;
  // What was undefined of many rows when it was last asked for, until something changes: where data
  // choose what is loaded, every load asks for all that it may take.
  struct Undefined {
    ir::Rect within;
    std::vector<Stain> parts;
  };
  mutable std::shared_ptr<const Undefined> last_;
};

}  // namespace tilewright::compile
