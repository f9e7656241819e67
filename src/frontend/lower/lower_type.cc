// Annotations: what a parameter is, and which of its sizes are known.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/lower/arguments.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {

namespace {

// What an annotation says about the layout. pl.TensorView(valid_shape=..., layout=...) repeats the
// valid shape, which the argument brings along; null when it has no layout.
const Expr* layout_part(const Expr& part) {
  if (part.kind != ExprKind::Call || dotted_path(*part.parts[0]) != "pl.TensorView") return &part;
  for (const Keyword& k : part.keywords)
    if (k.name == "layout") return k.value;
  return nullptr;
}

}  // namespace

bool Lowering::ParameterType::complete() const {
  return typed && std::ranges::all_of(open, [](const std::string& name) { return name.empty(); });
}

// A dimension is a constant, or what stands for the parameter has there.
void Lowering::dimensions(const Expr& list, const Shape* known, ParameterType& out) {
  const Value dims = evaluate(list);
  const auto* items = dims.as<List>();
  if (!items) unsupported(list.at, "a shape that is not a list", "write the dimensions in [ ]");
  const std::size_t rank = items->items().size();
  const bool given = known && known->size() == rank;
  for (std::size_t d = 0; d < rank; ++d) {
    const Expr& at = list.kind == ExprKind::List && d < list.parts.size() ? *list.parts[d] : list;
    const Value& size = items->items()[d];
    const auto* dynamic = size.as<Dynamic>();
    if (dynamic) {
      if (given) frame().sizes.emplace(dynamic->name, (*known)[d]);
      out.type.shape.push_back(given ? (*known)[d] : 1);
      out.open.push_back(given ? "" : dynamic->name);
      continue;
    }
    out.type.shape.push_back(
        constant_of(require_known(size, "a dimension", at.at), at.at, "a dimension"));
    out.open.emplace_back();
  }
}

Lowering::ParameterType Lowering::parameter_type(const Expr& annotation, const Shape* known) {
  const bool subscripted = annotation.kind == ExprKind::Subscript;
  const std::string word = dotted_path(subscripted ? *annotation.parts[0] : annotation);
  ParameterType out;
  if (word == "pl.Tensor" && !subscripted) {
    out.typed = false;
    return out;
  }
  if (subscripted && (word == "pl.Out" || word == "pl.InOut") && annotation.parts.size() == 2) {
    out = parameter_type(*annotation.parts[1], known);
    out.direction = word == "pl.Out" ? ir::Direction::Out : ir::Direction::InOut;
    return out;
  }
  if (subscripted && word == "pl.Array" && annotation.parts.size() == 3) {
    out.kind = ParameterType::Kind::Task;
    return out;
  }
  if (subscripted && word == "pl.Scalar" && annotation.parts.size() == 2) {
    out.kind = ParameterType::Kind::Scalar;
    const Value type = evaluate(*annotation.parts[1]);
    if (type.is_word("TASK_ID")) {
      out.kind = ParameterType::Kind::Task;
      return out;
    }
    if (!type.as<DType>())
      unsupported(annotation.at, "this scalar type",
                  "use pl.Scalar[pl.INDEX] or pl.Scalar[pl.FP32]");
    out.type.dtype = is_float(*type.as<DType>()) ? DType::F32 : DType::Index;
    return out;
  }
  if (!subscripted && word.starts_with("pl."))  // vlen: pl.INDEX is short for pl.Scalar[pl.INDEX]
    if (const Value type = evaluate(annotation); type.as<DType>()) {
      out.kind = ParameterType::Kind::Scalar;
      out.type.dtype = is_float(*type.as<DType>()) ? DType::F32 : DType::Index;
      return out;
    }
  out.window = word == "pld.DistributedTensor";
  const bool array = word == "pl.Tensor" || word == "pl.Tile" || out.window;
  if (!subscripted || !array || annotation.parts.size() < 3)
    unsupported(annotation.at,
                word.empty() ? "this annotation" : fmt::format("the annotation {}", word),
                "use pl.Tensor[[16, 128], pl.BF16], with pl.Out[...] or pl.InOut[...] around it");
  dimensions(*annotation.parts[1], known, out);
  const Value type = evaluate(*annotation.parts[2]);
  if (type.as<Word>())
    fail(annotation.parts[2]->at, "unsupported",
         fmt::format("the element type is {}", word_text(type)),
         "docs/language.md lists the element types", "use one of them, such as pl.BF16");
  if (!type.as<DType>())
    unsupported(annotation.parts[2]->at, "this element type", "use one of pl, such as pl.BF16");
  out.type.dtype = *type.as<DType>();
  for (std::size_t i = 3; i < annotation.parts.size(); ++i) {
    const Expr* layout = layout_part(*annotation.parts[i]);
    if (!layout) continue;
    const Value extra = evaluate(*layout);
    bool understood =
        word == "pl.Tile" && extra.as<Word>();  // a memory space: placement is checked elsewhere
    for (ir::Layout l : {ir::Layout::ND, ir::Layout::DN, ir::Layout::NZ})
      for (const char* spelling : {"Layout.{}", "TensorLayout.{}", "{}"})
        if (extra.is_word(fmt::format(fmt::runtime(spelling), ir::layout_name(l)))) {
          out.layout = l;
          understood = true;
        }
    if (!understood)
      unsupported(annotation.parts[i]->at, "this part of an annotation", "remove it");
  }
  return out;
}

}  // namespace tilewright::frontend
