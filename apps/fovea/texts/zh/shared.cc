// Texts of several commands, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations shared() {
  return {
      {"decimals; default: 4", "小数位数；默认 4"},
      {"linear", "线性"},
      {"ratio", "倍数"},
      {"print JSON", "输出 JSON"},
      {", ", "、"},
  };
}

}  // namespace fovea::command::zh
