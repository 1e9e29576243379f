// "What am I looking at?": each view in plain words. What the colours mean, how to read it, what to try.
export const explainStrings = {
  "explain.text": [
    "This is your text, split into the tokens that the model reads. One head is shown at a time. For the word you choose, the colour of every other word says how much attention it gets: the stronger the colour, the more. The arcs show the largest of these weights; the list on the right gives the numbers. All weights of one word add up to 1.",
    "这是你的文本，已切成模型所读的词元。每次显示一个头。选定一个词之后，其他词的颜色表示它们各得到多少注意力：颜色越鲜明，得到越多。弧线是其中最大的几个权重，右侧的列表给出数值。一个词的所有权重加起来等于 1。",
  ],
  "explain.matrix": [
    "Every weight of one head in one picture. Each row is a word that looks; each column is a word it looks at; the cell is how much. A diagonal line means “at itself”, a line just below it “one word back”, a full column “everybody looks here”. Hatched cells are hidden: a model that writes may not look ahead. The bars below show how much each word gets in total, those on the right how spread out a row is.",
    "一张图显示一个头的全部权重。每一行是一个正在看的词，每一列是一个被看的词，格子的颜色表示看多少。对角线表示“看自己”，紧挨在它下方的斜线表示“看前一个词”，整列都醒目表示“大家都看这里”。画斜纹的格子是看不见的：生成文本的模型不能往后看。下方的条形表示每个词总共得到多少，右侧的条形表示一行有多分散。",
  ],
  "explain.lines": [
    "On the left stand the words that look, on the right those that are looked at. A line joins two of them; the stronger its colour, the larger the weight. Weak lines are left out to keep the picture readable. Each head has its own colour, and several heads can be shown at once.",
    "左边是正在看的词，右边是被看的词。两者之间连一条线，颜色越浓，权重越大。弱的连线被略去，画面才看得清。每个头一种颜色，可以同时显示几个头。",
  ],
  "explain.grid": [
    "All heads of the model on this text, one small picture each: rows are the words that look, columns those they look at, as in Matrix. Layers run from top to bottom. The words below say what a head mostly does here, by simple rules; a number beside them is the share of attention that made the rule hold. On another text the same head may do something else.",
    "模型的所有头在这段文本上的样子，每个头一张小图：与“矩阵”一样，行是正在看的词，列是被看的词。自上而下是各层。图下的文字按简单的规则说明这个头在这里主要做什么，旁边的数字是使规则成立的那部分注意力。换一段文本，同一个头可能会做别的事。",
  ],
  "explain.steps": [
    "How one head gets its weights, one step after the other, with the real numbers. Every token is a row of numbers. Three multiplications turn it into a query (what am I looking for?), a key (what can I be found by?) and a value (what do I pass on?). Query times key gives a score, softmax turns the scores of a row into shares that add up to 1, and the values are mixed by these shares.",
    "一个头怎样一步一步算出它的权重，用的是真实的数字。每个词元是一行数。三次矩阵乘法把它变成查询（我在找什么？）、键（凭什么找到我？）和值（我传递什么？）。查询与键的点积是分数，softmax 把一行分数变成加起来等于 1 的比例，再按这些比例把值混合起来。",
  ],
  "explain.masks": [
    "A mask decides who may look at whom. Left: the mask; hatched pairs are hidden. Then the attention of the chosen head before and after it: what is hidden gets nothing, and the rest of each row is scaled up to 1 again. Models that write text use the causal mask: a word sees only what stands before it.",
    "掩码决定谁能看见谁。左边是掩码本身，画斜纹的地方看不见。旁边是所选的头在加掩码之前和之后的注意力：被隐藏的得到 0，每行剩下的部分重新放大到和为 1。生成文本的模型使用因果掩码：一个词只能看见它前面的内容。",
  ],
  "explain.heads": [
    "Numbers that sum up each head: how spread out its attention is (entropy), how far away it looks (distance), how much goes to the word before, to itself, to markers. The table lists all heads; in the charts every point is a head. Points that lie near each other in the map look at the same things.",
    "用几个数概括每个头：注意力有多分散（熵）、看得有多远（距离）、有多少给了前一个词、自己或标记。表格列出所有的头；图中每个点是一个头。在分布图里离得近的点，看的是相似的东西。",
  ],
  "explain.compare": [
    "Two attention pictures side by side, A and B, and the difference between them. Red: A looks more there. Blue: B does. The numbers above sum up how large the difference is. Two heads, two texts of the same model, or the same head with and without a mask can be compared.",
    "并排显示两张注意力图 A 和 B，以及两者相减的结果。红色是 A 看得更多的地方，蓝色是 B 看得更多的地方。上面的数字说明总体差异有多大。可以对比两个头、同一模型读的两段文本，或同一个头加掩码前后。",
  ],
  "explain.flow": [
    "A word passes through all layers, and in each of them it takes something from other words. Those words had themselves taken something from others before. Rollout multiplies the layers’ attention to estimate how much of each input word arrives in the end; the raw weights of every layer stand beside it. It is an estimate: it leaves out what the layers do with the values.",
    "一个词要穿过所有的层，在每一层都从别的词那里取一些信息，而那些词之前又从别处取过。Rollout 把各层的注意力相乘，估计每个输入词最终有多少到达；旁边是每一层的原始权重。这只是估计：没有考虑各层怎样处理这些值。",
  ],
  "explainTry.text": ["choose a word, then step through the heads with the keys “,” and “.” and see what changes.", "选一个词，再按 “,” 和 “.” 键逐个切换头，看看有什么变化。"],
  "explainTry.matrix": ["look for diagonals and columns, then zoom into one of them.", "找找对角线和竖条，再放大其中一处。"],
  "explainTry.lines": ["switch on all heads of a layer and choose one word.", "打开一层的所有头，再选一个词。"],
  "explainTry.grid": ["order the heads by “previous token” and open the first one.", "按“前一个词”排序，打开第一个头。"],
  "explainTry.steps": ["choose a number: the sum behind it appears below.", "点一个数字：下面会显示它是怎样加出来的。"],
  "explainTry.masks": ["add “causal” and see the upper right half vanish.", "添加“因果”掩码，看右上半边消失。"],
  "explainTry.heads": ["choose a point at the edge of a chart: these heads do something special.", "选一个位于图边缘的点：那样的头往往有专门的用途。"],
  "explainTry.compare": ["change one word of the text, run it and compare the texts.", "改动文本里的一个词，运行之后对比两段文本。"],
  "explainTry.flow": ["follow the last word of the text from layer to layer.", "从一层到一层，跟踪文本的最后一个词。"],
  "touch.explainTry.text": ["tap a word, then step through the heads with ‹ and › and see what changes.", "点一个词，再用 ‹ 和 › 逐个切换头，看看有什么变化。"],
} as const satisfies Record<string, readonly [string, string]>;
