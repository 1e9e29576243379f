// What a study shows: for people, for programs, in pictures, as a document.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "fovea/study.h"

namespace fovea::command {

// "L2H3" of a head counted through all layers, and back; throws UsageError for a head that is not there.
std::string head_name(const Study& study, Index head);
Index head_of_name(const Study& study, const std::string& name);

// Texts, tokens, and what was left out.
void print_study_summary(const Context& context, const Study& study);
// One line per head.
void print_study_heads(const Context& context, const Study& study);
// All that is known of one head.
void print_study_head(const Context& context, const Study& study, Index head);

// Of all heads, or of one.
std::string study_json(const Study& study, std::optional<Index> head);

// `kind`: measure (of --measure, by layer and head), distances, positions or similarity. To a file, or to
// the terminal if `path` is empty.
void show_study_picture(const Context& context, const Study& study, const std::string& kind,
                        Measure measure, const std::string& path);

// A document about every head, in Markdown. It quotes no text of the corpus, only tokens.
std::string study_atlas(const Study& study, Language language);

}  // namespace fovea::command
