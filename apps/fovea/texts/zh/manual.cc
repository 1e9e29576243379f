// The manual page and the completions, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations manual() {
  return {
      {"User Commands", "用户命令"},
      {"NAME", "名称"},
      {"SYNOPSIS", "用法"},
      {"DESCRIPTION", "说明"},
      {"OPTIONS FOR EVERY COMMAND", "通用选项"},
      {"COMMANDS", "命令"},
      {"EXIT STATUS", "退出码"},
      {"ENVIRONMENT", "环境变量"},
      {"fovea computes attention exactly, runs published models, shows what every head looks at, and "
       "explains each step. Without a command it explains a worked example.",
       "fovea 精确计算注意力，运行已发布的模型，展示每个头在看什么，并讲解每一步。不给命令时讲解一个例子。"},
      {"stopped by Ctrl-C", "被 Ctrl-C 中止"},
      {"number of threads, unless --threads is given", "线程数；给出 --threads 时以它为准"},
      {"instruction set, unless --isa is given", "指令集；给出 --isa 时以它为准"},
      {"1: report shapes, path and time of every computation", "设为 1：报告每次计算的形状、路径和耗时"},
      {"if set: no colours", "设置后不用颜色"},
      {"downloaded models are kept below it; default: ~/.cache", "下载的模型存放在其下；默认 ~/.cache"},
      {"print the completions for a shell", "打印 shell 的自动补全脚本"},
      {"make install puts them where bash and zsh look for them. For the current session: "
       "source <(fovea completion bash)",
       "make install 会把它们装到 bash 和 zsh 查找的位置。只在当前会话使用：source <(fovea completion bash)"},
      {"for bash", "用于 bash"},
      {"for zsh: a folder of its fpath", "用于 zsh：放入 fpath 中的一个文件夹"},
      {"bash or zsh", "bash 或 zsh"},
      {"print the manual page", "打印手册页"},
      {"read it without installing it", "不安装直接阅读"},
  };
}

}  // namespace fovea::command::zh
