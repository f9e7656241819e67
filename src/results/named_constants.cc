#include "tilewright/results/named_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"
#include "tilewright/results/numbers_in_text.h"

namespace tilewright::results {
namespace {

constexpr std::size_t kMostVariants = 4;  // of one key

// The program with some keys changed.
struct Variant {
  std::map<std::string, int64_t> changed;
  std::string text;
  NumberedText cut;
};

std::optional<std::string> text_at(const catalog::ProgramDef& def, catalog::Config config,
                                   const std::map<std::string, int64_t>& changed,
                                   const ir::Dialect& dialect) {
  try {
    for (const auto& [key, value] : changed) config.set(key, value);
    const ir::Program p = def.build(config);
    if (!p.diagnostics.has_errors()) return ir::print(p, dialect);
  } catch (const UserError&) {  // the builder refuses the value
  }
  return std::nullopt;
}

std::string constant_name(const std::string& key) {
  std::string out = key;
  for (char& c : out)
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
            : '_';
  return out;
}

// A number as a function of keys: whole * product of `times` / product of `over`.
struct Relation {
  int64_t whole = 1;
  std::vector<std::string> times, over;

  std::string text() const {
    std::vector<std::string> factors, divisors;
    if (whole != 1 || times.empty()) factors.push_back(std::to_string(whole));
    for (const std::string& k : times) factors.push_back(constant_name(k));
    for (const std::string& k : over) divisors.push_back(constant_name(k));
    if (divisors.empty()) return join(factors, " * ");
    const std::string divisor = join(divisors, " * ");
    return fmt::format("{} // {}", join(factors, " * "),
                       divisors.size() > 1 ? "(" + divisor + ")" : divisor);
  }
};

class Naming {
 public:
  Naming(const catalog::ProgramDef& def, const catalog::Config& config, const ir::Dialect& dialect)
      : def_(def),
        config_(config),
        dialect_(dialect),
        text_(ir::print(def.build(config), dialect)),
        cut_(cut_at_numbers(text_)) {
    for (const catalog::Key& k : config.keys())
      if (!k.choices.empty() && k.value > 0 && !k.literal) add_variants(k);
  }

  std::string run() {
    for (;;) {
      std::string named = with_names();
      const std::optional<std::string> wrong = first_unproved(named);
      if (!wrong) return named;
      variants_.erase(*wrong);  // this key cannot be named; the others are tried again without it
    }
  }

 private:
  void add_variants(const catalog::Key& key) {
    std::vector<int64_t> values = key.choices;
    std::erase_if(values, [&](int64_t v) { return v == key.value || v <= 0; });
    std::ranges::stable_sort(values, {}, [&](int64_t v) {
      return std::max(v, key.value) / std::min(v, key.value);
    });
    std::vector<Variant> found;
    for (int64_t v : values) {
      if (found.size() >= kMostVariants) break;
      auto text = text_at(def_, config_, {{key.name, v}}, dialect_);
      if (!text || *text == text_) continue;
      NumberedText cut = cut_at_numbers(*text);
      if (cut.between == cut_.between)
        found.push_back({{{key.name, v}}, std::move(*text), std::move(cut)});
    }
    if (!found.empty()) variants_[key.name] = std::move(found);
  }

  // Whether a number is proportional to a key (Times), inversely proportional (Over), independent
  // (Not), or anything else (Other).
  enum class Follows { Not, Times, Over, Other };
  Follows follows(std::size_t number, const std::string& key) const {
    const int64_t n0 = cut_.numbers[number], k0 = config_[key];
    bool changes = false, times = true, over = true;
    for (const Variant& v : variants_.at(key)) {
      const int64_t n = v.cut.numbers[number], k = v.changed.at(key);
      changes = changes || n != n0;
      times = times && n * k0 == n0 * k;
      over = over && n * k == n0 * k0;
    }
    return !changes ? Follows::Not : times ? Follows::Times : over ? Follows::Over : Follows::Other;
  }

  // Nothing when the number depends on no key. A key on which it depends in another way cannot be
  // named and is added to `other`.
  std::optional<Relation> relation(std::size_t number, std::set<std::string>& other) const {
    Relation r;
    int64_t above = cut_.numbers[number], below = 1;
    for (const auto& [key, variants] : variants_) switch (follows(number, key)) {
        case Follows::Not: break;
        case Follows::Other: other.insert(key); break;
        case Follows::Times:
          r.times.push_back(key);
          below *= config_[key];
          break;
        case Follows::Over:
          r.over.push_back(key);
          above *= config_[key];
          break;
      }
    if (r.times.empty() && r.over.empty()) return std::nullopt;
    if (above % below != 0) {
      other.insert(r.times.begin(), r.times.end());
      return std::nullopt;
    }
    r.whole = above / below;
    return r;
  }

  // An expression needs no parentheses where it is all of an argument or list element.
  bool stands_alone(std::size_t number) const {
    const std::string &left = cut_.between[number], &right = cut_.between[number + 1];
    const std::size_t before = left.find_last_not_of(' ');
    return before != std::string::npos &&
           std::string("([,=").find(left[before]) != std::string::npos && !right.empty() &&
           std::string(")],").find(right[0]) != std::string::npos;
  }

  std::string with_names() {
    std::set<std::string> other;
    do {
      for (const std::string& key : std::exchange(other, {})) variants_.erase(key);
      for (std::size_t i = 0; i < cut_.numbers.size(); ++i) relation(i, other);
    } while (!other.empty());
    std::vector<std::string> words;
    for (std::size_t i = 0; i < cut_.numbers.size(); ++i) {
      const auto r = relation(i, other);
      std::string word = r ? r->text() : std::to_string(cut_.numbers[i]);
      if (r && word.find(' ') != std::string::npos && !stands_alone(i)) word = "(" + word + ")";
      words.push_back(std::move(word));
    }
    return with_header(cut_.with(words));
  }

  std::string with_header(std::string text) const {
    std::string constants;
    for (const auto& [key, variants] : variants_)
      constants += fmt::format("{} = {}\n", constant_name(key), config_[key]);
    if (constants.empty()) return text;
    const std::size_t import = text.find("import pypto.language as pl\n");
    const std::size_t at = import == std::string::npos ? 0 : text.find('\n', import) + 1;
    return text.insert(at, "\n" + constants);
  }

  // Proves the text: for every variant it must read as the program that the builder makes. Returns
  // the first key for which it does not.
  std::optional<std::string> first_unproved(const std::string& named) const {
    const auto file = frontend::File::parse("named.py", named);
    const auto reads_as = [&](const std::map<std::string, int64_t>& changed,
                              const std::string& expected) {
      std::map<std::string, std::string> args;
      for (const auto& [key, value] : changed) args[constant_name(key)] = std::to_string(value);
      try {
        return ir::print(file.lower("", args).program, dialect_) == expected;
      } catch (const UserError&) {
        return false;
      }
    };
    for (const auto& [key, variants] : variants_)
      for (const Variant& v : variants)
        if (!reads_as(v.changed, v.text)) return key;
    return std::nullopt;
  }

  const catalog::ProgramDef& def_;
  const catalog::Config& config_;
  const ir::Dialect& dialect_;
  std::string text_;
  NumberedText cut_;
  std::map<std::string, std::vector<Variant>> variants_;  // by key; only keys that can be named
};

}  // namespace

std::string text_with_constants(const catalog::ProgramDef& def, const catalog::Config& config,
                                const ir::Dialect& dialect) {
  return Naming(def, config, dialect).run();
}

}  // namespace tilewright::results
