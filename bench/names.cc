// What the command and the runner both name: operations, outcomes, groups.
#include "benchmark.h"

namespace fovea::bench {

std::string name_of(Operation operation) {
  switch (operation) {
    case Operation::forward:
      return "forward";
    case Operation::backward:
      return "backward";
    case Operation::forward_backward:
      return "forward_backward";
    case Operation::linear:
      return "linear";
    case Operation::statistics:
      return "statistics";
    case Operation::model:
      return "model";
    case Operation::generation:
      return "generation";
    case Operation::product:
      return "product";
    case Operation::multi_head:
      return "multi_head";
    case Operation::training:
      return "training";
  }
  return "";
}

std::string name_of(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::wrong:
      return "wrong";
    case Status::failed:
      return "failed";
    case Status::died:
      return "died";
    case Status::cannot:
      return "cannot";
  }
  return "";
}

std::vector<GroupInfo> groups() {
  return {
      {"show", {"a selection from all groups, a few minutes: the default", "各组精选，几分钟：默认"}},
      {"forward", {"forward, full and causal", "前向：全部可见与因果"}},
      {"odd", {"odd lengths and widths, grouped heads", "特殊长度与宽度、分组的头"}},
      {"masks",
       {"windows, padding, sparse, documents, biases, compared with no mask",
        "窗口、填充、稀疏、文档、偏置，与全部可见相比"}},
      {"backward", {"gradients", "梯度"}},
      {"dropout", {"dropout, compared with none", "随机失活，与没有相比"}},
      {"decode",
       {"one query against many keys, also compared with a plain read of them",
        "单个查询对长键序列，并与单纯读一遍相比"}},
      {"cross", {"as many keys as queries, or not", "键与查询数目不同"}},
      {"statistics",
       {"statistics without the N×M matrix, compared with the forward pass",
        "不生成 N×M 矩阵的统计量，与前向相比"}},
      {"linear",
       {"linear against softmax attention, and how both grow with n",
        "线性与 softmax 注意力，及随 n 的增长"}},
      {"models",
       {"whole models, every attention call captured; run separately, not part of all",
        "整个模型，记录每次注意力调用；须单独运行，不含在 all 中"}},
      {"products",
       {"matrix products against OpenBLAS, MultiHeadAttention against PyTorch; run separately, not part "
        "of all",
        "矩阵乘积与 OpenBLAS 比较，MultiHeadAttention 与 PyTorch 比较；须单独运行，不含在 all 中"}},
      {"train",
       {"training steps against PyTorch, eager and compiled; run separately, not part of all",
        "训练步，与 PyTorch（即时与编译）比较；须单独运行，不含在 all 中"}},
      {"smoke", {"tiny cases: does everything work?", "极小的例子：一切正常吗？"}},
  };
}

}  // namespace fovea::bench
