// fovea bench, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations bench() {
  return {
      {"speed, errors and memory against BLAS, PyTorch and ONNX Runtime",
       "与 BLAS、PyTorch、ONNX Runtime 比较速度、误差与内存"},
      {"the default selection, takes a few minutes", "精选项目，几分钟"},
      {"softmax against linear attention, and how both grow with n",
       "softmax 与线性注意力，以及随 n 的增长"},
      {"two groups, with all results in files", "两组，并将全部结果写入文件"},
      {"everything that can be measured", "列出所有可测项目"},
      {"a selection by name, with the packages of that Python", "按名称选择，并使用该 Python 的包"},
      {"matrix products against OpenBLAS, MultiHeadAttention against PyTorch",
       "矩阵乘积与 OpenBLAS 比较，MultiHeadAttention 与 PyTorch 比较"},
      {"{0}t: time", "{0} 线程：时间"},
      {"best", "最佳"},
      {"FMA peak on {0} threads: {1:.1f} GFLOP/s", "{0} 个线程的 FMA 峰值：{1:.1f} GFLOP/s"},
      {"rows×inner×columns", "行×内×列"},
      {"Matrix products, fovea: median and best of {0} interleaved rounds. OpenBLAS: multiples of fovea's "
       "time",
       "矩阵乘积，fovea：{0} 轮交替运行的中位数与最佳。OpenBLAS：耗时是 fovea 的几倍"},
      {"batch×tokens × width", "批×词元 × 宽度"},
      {"MultiHeadAttention, forward without weights: median and best of {0} rounds. "
       "nn.MultiheadAttention: multiples of fovea's time",
       "MultiHeadAttention 前向，不求权重：{0} 轮的中位数与最佳。nn.MultiheadAttention：耗时的倍数"},
      {"training steps, against PyTorch, eager and compiled", "训练步，与 PyTorch（即时与编译）比较"},
      {"model, batch × tokens", "模型，批 × 词元"},
      {"a step", "一步"},
      {"compiled", "编译"},
      {"Training steps (forward, backward, AdamW), fovea: median of {0} interleaved rounds, ± half the "
       "interquartile range. PyTorch: × as long as fovea",
       "训练步（前向、反向、AdamW），fovea：{0} 轮交替运行的中位数，± 为四分位距的一半。PyTorch：耗时是 fovea "
       "的几倍"},
      {"Losses of the first 20 steps: differences from PyTorch", "前 20 步的损失：与 PyTorch 的差别"},
      {"Memory of the first 20 steps: peak above the level before, with parameters, gradients and "
       "moments",
       "前 20 步的内存：峰值超出之前的部分，含参数、梯度与动量"},
      {"a whole model, against PyTorch and ONNX Runtime", "整个模型，与 PyTorch、ONNX Runtime 比较"},
      {"groups, or parts of names; default: show", "组名，或名称的一部分；默认 show"},
      {"rounds per scenario; default: 9, 25 for decoding, 100 for linear at n = 1024",
       "每个场景的轮数；默认 9，解码 25，n = 1024 的线性比较 100"},
      {"time limit per scenario, after at least three rounds; 0: none; default: 30",
       "超过此时间后，场景在第三轮或之后结束；0 表示不限；默认 30"},
      {"write everything as JSON", "将全部结果写成 JSON"},
      {"write one row per scenario and competitor", "写 CSV，每个场景和对手一行"},
      {"a Python with torch, onnxruntime, onnx, numpy (for models also transformers); none: skip them; "
       "default: python3",
       "装有 torch、onnxruntime、onnx、numpy（models 组还需 transformers）的 Python；none 表示不用；默认 "
       "python3"},
      {"for the group models: the model to run; default: minilm and stories15m, if installed",
       "用于 models 组：指定模型；默认 minilm 与 stories15m（已下载者）"},
      {"list what would be measured", "只列出要测的项目"},
      {"median", "中位数"},
      {"mean", "平均"},
      {"How both grow with n (B = 8, d = 64; ×: relative to half the n)",
       "随 n 的增长（B = 8，d = 64；× 为与一半的 n 相比）"},
      {"batch × tokens", "批 × 词元"},
      {"fovea, captured", "fovea，全部记录"},
      {"wrong", "错误"},
      {"failed", "失败"},
      {"machine", "机器"},
      {"limits", "上限"},
      {"disturbed", "受扰"},
      {"make bench-deps installs what is missing; --python PATH selects a Python that has it",
       "make bench-deps 可安装缺少的部分；--python PATH 指定装有它们的 Python"},
      {"time", "时间"},
      {"of peak", "占峰值"},
      {"compared with the base", "与基准相比"},
      {"base", "基准"},
      {"visible", "可见"},
      {"time / base", "时间/基准"},
      {"/ visible share", "再除以可见比例"},
      {"as fast", "速度"},
      {"Relative to the same case without mask, dropout etc., in the same rounds",
       "与不带掩码、随机失活等的同一计算相比（同一批轮次）"},
      {"decoding", "解码"},
      {"plain read", "单纯读取"},
      {"of plain read", "占单纯读取"},
      {"Against a plain read of all keys and values; both from memory (copies used in turn), or both from cache",
       "与单纯读一遍全部键和值相比；两者都读内存（轮流使用多份副本），或都读缓存"},
      {"read from", "读自"},
      {"memory", "内存"},
      {"cache", "缓存"},
      {"largest error, relative L2", "最大误差，相对 L2"},
      {"Differences from PyTorch", "与 PyTorch 的差别"},
      {"Errors against the double reference", "相对双精度参考的误差"},
      {"Memory of one call: peak above the level before the call, result included",
       "一次调用的内存：峰值超出调用前的部分，含结果"},
      {"GROUP is one or more of {0}, all, or part of a name that --list prints. Every result is first "
       "checked against a double-precision reference; then all competitors take turns, round by round. "
       "PyTorch, also in bfloat16, and ONNX Runtime are included if the given Python has them; one that "
       "dies is reported, and the run continues. Cycles are per 16 scores and thread: time × measured clock "
       "× threads / (visible pairs of query and key in all heads / 16). A wrong result from fovea is a "
       "failure (exit code 1).",
       "GROUP 可取一个或多个：{0}、all，或 --list 所列名称的一部分。"
       "先将每个结果与双精度参考比较，再逐轮交替运行。"
       "所给 Python 装有 PyTorch（另测 bfloat16）和 ONNX Runtime 时一并测量；某个对手的进程异常终止时会注明，其余照常进行。"
       "“周期”指每个线程计算 16 个分数所用的时钟周期：时间 × 实测主频 × 线程数 ÷（所有头中可见的查询–键对数 ÷ 16）。"
       "fovea 结果有误即失败（退出码 1）。"},
      {", round {0} of {1}", "，第 {0} 轮，共 {1} 轮"},
      {"Softmax against linear attention: B = 8, n = {0}, d = 64, {1} alternating runs",
       "softmax 注意力与线性注意力：B = 8，n = {0}，d = 64，交替运行 {1} 次"},
      {"Whole models. fovea captures every attention call (plain: without capture): median of {0} rounds, "
       "± half the interquartile range. Others: multiples of fovea's time. attentions: transformers with "
       "output_attentions=True",
       "整个模型。fovea 记录每次注意力调用（plain：不记录）：{0} 轮的中位数，± 为四分位距的一半。"
       "其他：耗时的倍数。attentions：transformers 加 output_attentions=True"},
      {"fovea: median of {0} interleaved rounds, ± half the interquartile range. Cycles: per 16 scores and "
       "thread. Others: multiples of fovea's time",
       "fovea：{0} 轮交替运行的中位数，± 为四分位距的一半。周期：每个线程每 16 个分数。其他：耗时是 fovea 的几倍"},
      {"cycles", "周期"},
      {"died: {0}", "已终止：{0}"},
      {"{0}, {1}, threads: {2}", "{0}，{1}，{2} 个线程"},
      {"the kernels of another commit in the same rounds; make bench-before COMMIT=... builds them",
       "同一批轮次中加入另一提交的内核；用 make bench-before COMMIT=... 构建"},
      {"a program made by scripts/build_before: the attention of another commit takes part",
       "由 scripts/build_before 生成的程序：让另一提交的注意力一同参加比较"},
      {"absent: {0}", "未安装：{0}"},
      {"{0}, {1} of {2} processors, {3}", "{0}，{1} / {2} 个处理器，{3}"},
      {"FMA peak {0:.1f} GFLOP/s, plain read {1:.1f} GB/s, clock {2:.2f} GHz, all measured now",
       "FMA 峰值 {0:.1f} GFLOP/s，顺序读取 {1:.1f} GB/s，主频 {2:.2f} GHz，均为本次实测"},
      {"load average {0:.1f} before the run: the machine is busy, so medians are less reliable",
       "运行前平均负载 {0:.1f}：机器上还有其他任务，中位数的意义有限"},
  };
}

}  // namespace fovea::command::zh
