// What the command says in Chinese, by subject.
#pragma once

#include "texts/catalogue.h"

namespace fovea::command::zh {

Translations analyze();
Translations attend();
Translations bench();
Translations corpus();
Translations demo();
Translations explain();
Translations finds();
Translations generate();
Translations help();
Translations info();
Translations inputs();
Translations learn();
Translations manual();
Translations mask();
Translations model();
Translations pictures();
Translations plot();
Translations serve();
Translations shared();
Translations study();
Translations tokens();
Translations train();
Translations translate();
Translations view();
Translations whatif();

std::vector<Translations> texts();  // all of them

}  // namespace fovea::command::zh
