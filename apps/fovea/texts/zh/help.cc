// The help, and the options of every command, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations help() {
  return {
      {"output language; default: from LC_ALL, LC_MESSAGES, LANG; errors are in English",
       "输出语言；默认取自 LC_ALL、LC_MESSAGES、LANG；错误信息为英文"},
      {"when to use colour; auto: on a terminal, unless NO_COLOR is set",
       "颜色；auto：仅在终端上，且未设置 NO_COLOR"},
      {"maximum line width; default: the terminal's, at most 100", "最长行宽；默认取终端宽度，最多 100"},
      {"number of threads; default: OMP_NUM_THREADS, or one per core",
       "计算线程数；默认取 OMP_NUM_THREADS，或每核一个"},
      {"instruction set (fovea info lists them); default: the best available, or FOVEA_ISA",
       "计算所用的指令集（fovea info 会列出）；默认最好的，或 FOVEA_ISA"},
      {"show this help", "显示本说明"},
      {"show the version", "显示版本"},
      {"done", "成功"},
      {"failure: mismatched shapes, a file that cannot be read, an unknown word",
       "执行失败：形状不符、文件问题、未知词语"},
      {"invalid command line", "命令行有误"},
      {"explains \"I love AI\" step by step, every matrix printed", "逐步讲解 “I love AI”，打印每一个矩阵"},
      {"all worked examples of attention", "依次演示全部注意力示例"},
      {"prints a mask", "画出一个掩码"},
      {"computes attention from files", "对文件中的 Q、K、V 计算注意力"},
      {"attention in C++: exact, fast, explained", "C++ 注意力机制：精确、快速、讲得清楚"},
      {"Usage: fovea [COMMAND] [options]", "用法：fovea [命令] [选项]"},
      {"Commands (see fovea COMMAND --help)", "命令（fovea 命令 --help 查看详情）"},
      {"Options for every command", "通用选项"},
      {"Options", "选项"},
      {"Examples", "示例"},
      {"Exit codes", "退出码"},
      {"Usage: {0} [options]", "用法：{0} [选项]"},
  };
}

}  // namespace fovea::command::zh
