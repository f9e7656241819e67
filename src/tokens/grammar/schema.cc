#include "tilewright/tokens/grammar/schema.h"

#include "tilewright/base/diagnostic.h"
#include "tilewright/tokens/grammar/opening.h"
#include "tilewright/tokens/grammar/rules.h"

namespace tilewright::tokens::grammar {

std::shared_ptr<const Grammar> compile_schema(std::string_view schema, const std::string& origin,
                                              std::shared_ptr<const Vocabulary> vocabulary,
                                              Opening opening) {
  const auto document = read_schema(schema, origin);
  Budget budget(origin);
  RuleWriter writer(budget);
  Nfa root(budget);
  const Nfa::Node text = add_opening(root, root.start(), opening), last = root.add();
  root.call(text, last, writer.value({&document->root}));
  root.accept(last);
  Automaton automaton = writer.finish(root);
  if (!trim(automaton))
    user_error("schema", "no document satisfies the schema", "at " + origin,
               "a grammar needs a text that it allows",
               "look for required properties that are false or contain themselves, empty lists of "
               "values, and bounds that exclude each other");
  return std::make_shared<const Grammar>(std::move(automaton), std::move(vocabulary));
}

std::shared_ptr<const Grammar> compile_json_object(std::shared_ptr<const Vocabulary> vocabulary,
                                                   Opening opening) {
  return compile_schema(R"({"type": "object"})", "json_object", std::move(vocabulary), opening);
}

}  // namespace tilewright::tokens::grammar
