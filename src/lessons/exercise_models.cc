// Exercises with one of our own models.
#include "lessons/exercise_texts.h"

namespace fovea {

std::vector<Exercise> model_exercises() {
  return {
      {.id = "previous-token-head",
       .kind = ExerciseKind::model,
       .title = {"Find the head that looks one word back", "找出看前一个词的头"},
       .task =
           {"Our own model \"induction\" has 2 layers of 4 heads. One of them always looks at the previous "
            "word. Which? Answer with its layer and number, counted from 0: L1H2.",
            "我们自己的模型 induction 有 2 层，每层 4 个头。其中一个头总是看前一个词。是哪一个？请写层号和头号，从 0 "
            "开始数，例如 L1H2。"},
       .hints =
           {{"In a heatmap, such a head is a bright line just below the diagonal.",
             "在热力图上，这样的头是紧贴对角线下方的一条亮线。"},
            {"fovea plot grid --model induction \"old tree red moon big bird\" --layer 0 -o heads.svg draws "
             "all heads of a layer.",
             "fovea plot grid --model induction \"old tree red moon big bird\" --layer 0 -o heads.svg 会画出一层"
             "所有的头。"},
            {"fovea analyze --model induction \"old tree red moon big bird\" names the role of each head.",
             "fovea analyze --model induction \"old tree red moon big bird\" 会说出每个头的作用。"}},
       .reason =
           {"It copies what the previous word was into each place. That is half of a trick; the heads of "
            "layer 1 do the other half.",
            "它把前一个词是什么抄到每个位置。这是一个戏法的一半，另一半由第 1 层的头完成。"},
       .next = {"What happens without it? Exercise break-the-head.",
                "没有它会怎样？见练习 break-the-head。"},
       .mistakes = {},
       .answer = "head"},
      {.id = "pronoun",
       .kind = ExerciseKind::model,
       .title = {"Find the head that is sure who 她 is", "找出最肯定“她”是谁的头"},
       .task =
           {"Our own model \"coreference\" reads 小明把苹果给了小红，她很开心。 (Xiao Ming gave the apple to Xiao "
            "Hong, she was happy.) and the same with the names swapped: 小红把苹果给了小明，她很开心。 It has 2 layers "
            "of 4 heads. In one of them 她 puts nearly all of its weight on 小红, wherever she stands. Which? Answer "
            "with its layer and number, counted from 0: L1H2.",
            "我们自己的模型 coreference 读“小明把苹果给了小红，她很开心。”，再读两个名字对调的“小红把苹果给了小明，"
            "她很开心。”。它有 2 层，每层 4 个头。在其中一个头里，不管小红在前在后，“她”几乎把全部权重都给了小红。是哪一个"
            "头？请写层号和头号，从 0 开始数，例如 L1H2。"},
       .hints =
           {{"Look at one row only, that of 她. In most heads 小红 has the largest weight of that row; look for the "
             "one where nobody else has any.",
             "只看“她”这一行。在多数头里，这一行最大的权重都在小红身上；要找的头里，别人几乎什么也没有。"},
            {"fovea plot grid --model coreference \"小明把苹果给了小红，她很开心。\" --layer 0 -o heads.svg draws "
             "all heads of a layer; --layer 1 those of the next.",
             "fovea plot grid --model coreference \"小明把苹果给了小红，她很开心。\" --layer 0 -o heads.svg 会画出一层"
             "所有的头；--layer 1 是下一层的。"},
            {"It is in layer 0. The view Text of the explorer shows one head after the other: fovea serve --model "
             "coreference \"小明把苹果给了小红，她很开心。\"",
             "它在第 0 层。在浏览器的“文本”视图里可以逐个看各头：fovea serve --model coreference "
             "\"小明把苹果给了小红，她很开心。\""}},
       .reason =
           {"Nobody told it which head should do this: the loss only asked for the name, and nearly all heads came "
            "to look there. So this head may be the surest without being needed: only taking it out would tell.",
            "没有人告诉模型该由哪个头来做：训练只问名字是什么，结果几乎所有的头都学会了看那里。所以这个头最肯定，却未必"
            "缺它不可：去掉它试一试才知道。"},
       .next =
           {"With two women a head looks at one of them just as surely, and is right as often as a coin: fovea "
            "demo finds. What a confident row is worth: lesson not-told.",
            "如果两个人都是女的，头照样十分肯定地看着其中一个，对错却和抛硬币一样：fovea demo finds。一行看上去很肯定"
            "的注意力值多少，见课程 not-told。"},
       .mistakes = {},
       .answer = "head"},
      {.id = "break-the-head",
       .kind = ExerciseKind::model,
       .title = {"Break the model with one head", "去掉一个头，毁掉模型"},
       .task =
           {"\"induction\" continues words that repeat. Which single head must be taken out so that it does "
            "no better than somebody who guesses? Every answer is tried on the model: you learn what it "
            "loses.",
            "induction 会接着写重复出现的词。去掉哪一个头，它就不比瞎猜强了？每个答案都会在模型上试一遍，告诉你损失变成了多少。"},
       .hints =
           {{"The heads of layer 1 look at the word that followed the last time. Try one of them.",
             "第 1 层的头看的是上次出现时后面的那个词。先试其中一个。"},
            {"Three of them share that work, so that losing one is not the end. What do all three read?",
             "其中三个分担这件事，少一个不至于垮掉。它们三个都要读什么？"},
            {"They look for a place whose previous word is the present one. Who wrote down, in each place, what "
             "the previous word was?",
             "它们要找的是“前一个词就是当前词”的位置。是谁在每个位置记下了前一个词？"}},
       .reason =
           {"The head that looks one word back writes what the heads of layer 1 search for. Heads work "
            "together across layers; a head's weights alone do not tell how much depends on it.",
            "看前一个词的头写下了第 1 层各头要找的东西。头与头跨层合作；只看一个头的权重，看不出有多少东西依赖它。"},
       .next = {"How the model came to this while it learned: docs/film.md.",
                "看看模型是怎样学会这一点的：docs/film.md。"},
       .mistakes = {},
       .answer = "head"},
  };
}

}  // namespace fovea
