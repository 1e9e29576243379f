# nn.MultiheadAttention by PyTorch, called as its documentation says for inference.
class TorchMultiHead(TorchPeer):
    def detail(self):
        return "nn.MultiheadAttention, eval, inference_mode, need_weights=False"

    def prepare(self, problem):
        torch = self.torch
        torch.set_num_threads(problem["threads"])
        arrays = {name: torch.from_numpy(array) for name, array in problem["arrays"].items()}
        x = arrays.pop("x")
        module = torch.nn.MultiheadAttention(x.shape[-1], problem["heads"], batch_first=True).eval()
        module.load_state_dict(arrays)

        def call():
            with torch.inference_mode():
                return module(x, x, x, need_weights=False)[0]

        return call, lambda result: [result.numpy()], "%d threads" % problem["threads"]


SERVED = (TorchMultiHead,)
