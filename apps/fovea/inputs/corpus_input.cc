#include "inputs/corpus_input.h"

#include <algorithm>

namespace fovea::command {

void CorpusInput::declare(OptionList& options) {
  options.choice("--format", {"lines", "files", "csv", "jsonl"}, format_,
                 tr("what the corpus is; default: by its name"));
  options.text("--field", "NAME", field_,
               tr("the column of a CSV or member of a JSON object that is the text; default: text, review, "
                  "sentence or content"));
  options.integer("--limit", "N", limit_, 0, INT64_MAX,
                  tr("at most N texts; 0: all (corpus attend: 1000 without this)"));
  options.flag("--strict", strict_, tr("stop at the first broken row"));
}

CorpusOptions CorpusInput::options(Index limit) const {
  CorpusOptions options;
  options.format = format_ == "lines"   ? CorpusFormat::lines
                   : format_ == "files" ? CorpusFormat::files
                   : format_ == "csv"   ? CorpusFormat::csv
                   : format_ == "jsonl" ? CorpusFormat::jsonl
                                        : CorpusFormat::automatic;
  options.field = field_.value_or("");
  options.limit = limit_.value_or(limit);
  options.strict = strict_;
  return options;
}

void print_corpus_notes(const CorpusCounts& counts, Language language) {
  const auto note = [&](const Message& message) { print_message("fovea: " + message.in(language)); };
  if (counts.broken > 0) note(tr("{0} broken rows left out", counts.broken));
  for (const BrokenRow& row : counts.listed) print_message("  " + row.why);
  const Index more = counts.broken - static_cast<Index>(counts.listed.size());
  if (more > 0) note(tr("and {0} more", more));
  if (counts.repaired > 0)
    note(tr("{0} texts are not UTF-8 everywhere; U+FFFD stands there", counts.repaired));
  if (counts.empty > 0) note(tr("{0} texts are empty", counts.empty));
}

}  // namespace fovea::command
