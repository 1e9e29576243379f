// fovea info, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations info() {
  return {
      {"show version, instruction sets, threads, linked libraries", "版本、指令集、线程、所用的库"},
      {"which path runs on this machine?", "这台机器上走的是哪条路径？"},
      {"the same with these options", "加上这些选项之后的情况"},
      {"the same, machine-readable", "供程序读取"},
      {"compiler", "编译器"},
      {"instruction sets", "可用指令集"},
      {"in use", "使用中"},
      {"bfloat16 arithmetic", "bfloat16 运算"},
      {"threads", "线程"},
      {"caches", "缓存"},
      {"tiles", "分块"},
      {"linked libraries", "所用的库"},
      {"fovea", "fovea"},
      {"strips of {0} queries × {1} keys, {2} strips share the keys (D = 64)",
       "每条 {0} 个查询 × {1} 个键，{2} 条共用一块键（D = 64）"},
  };
}

}  // namespace fovea::command::zh
