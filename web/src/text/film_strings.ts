// Words of the film: attention while a model is trained.
export const filmStrings = {
  film: ["Film of the training", "训练过程影片"],
  filmSlider: ["Training step", "训练步"],
  filmStep: ["step {step}", "第 {step} 步"],
  filmComma: [", ", "，"],
  filmLoss: ["loss {loss}", "损失 {loss}"],
  filmLossUnknown: ["loss not known", "损失未知"],
  filmSpoken: ["step {step} of {last}, {loss}", "第 {step} 步，共 {last} 步，{loss}"],
  filmPlayTitle: ["Watch the attention being learned", "观看注意力是怎样学会的"],
  filmSteps: [
    "A film keeps the queries and keys of every step, not the weights of the model, so there are no matrices to go through. Choose an example above, or another view.",
    "影片只保存每一步的查询和键，不保存模型的权重，因此没有可以逐步计算的矩阵。请在上方选择一个算例，或换一个视图。",
  ],
  byFrames: ["training steps", "训练步"],
  filmOther: ["B at", "B 取"],
} as const satisfies Record<string, readonly [string, string]>;
