# Attention by PyTorch: scaled_dot_product_attention, called as its documentation says.
import itertools


class PyTorch:
    id, package = "pytorch", "torch"

    def __init__(self, threads):
        import torch
        self.torch, self.threads = torch, threads
        torch.set_num_threads(threads)
        self.attention = torch.nn.functional.scaled_dot_product_attention
        x = torch.ones(1, 1, 64, 64, requires_grad=True)  # threads and buffers that come with the first call
        torch.autograd.grad(self.attention(x, x, x).sum(), x)

    # As the model has them: before anything is timed.
    def convert(self, tensor):
        return tensor

    def version(self):
        return "PyTorch " + self.torch.__version__

    # What it says of its BLAS, its vector instructions and its threads.
    def detail(self):
        import re
        text = self.torch.__config__.show() + self.torch.__config__.parallel_info()
        found = []
        for pattern, name in ((r"oneAPI Math Kernel Library Version ([0-9.]+)", "BLAS: Intel oneMKL"),
                              (r"OpenBLAS ?([0-9.]*)", "BLAS: OpenBLAS"), (r"BLAS_INFO=(\w+)", "BLAS:")):
            match = re.search(pattern, text)
            if match:
                found.append((name + " " + match.group(1)).strip())
                break
        match = re.search(r"MKL-DNN v([0-9.]+)", text)
        if match:
            found.append("oneDNN " + match.group(1))
        match = re.search(r"CPU capability usage: (\S+)", text)
        if match:
            found.append(match.group(1))
        return ", ".join(found + ["%d threads" % self.torch.get_num_threads()])

    def prepare(self, problem):
        torch = self.torch
        if problem["operation"] not in ("forward", "backward", "forward_backward"):
            return None, None, "has no such operation"
        tensors = {name: self.convert(torch.from_numpy(array.copy())) for name, array in problem["arrays"].items()}
        q, k, v = tensors["q"], tensors["k"], tensors["v"]
        options = {"dropout_p": problem["dropout"]}
        if problem["key_heads"] != problem["heads"]:
            options["enable_gqa"] = True
        if problem["mask"] == "causal" and problem["queries"] == problem["keys"]:
            options["is_causal"] = True  # for fewer queries than keys it means something else
        elif "mask" in tensors:
            options["attn_mask"] = tensors["mask"].bool()  # visible: true
        if "bias" in tensors:
            bias = tensors["bias"]
            if "attn_mask" in options:
                bias = bias.masked_fill(~options.pop("attn_mask"), float("-inf"))
            options["attn_mask"] = bias
        turns = itertools.cycle([(k, v)] + [(k.clone(), v.clone()) for _ in range(problem["copies"] - 1)])
        forward = lambda: self.attention(q, *next(turns), **options)
        path = self.path(q, k, v, options)
        if problem["operation"] == "forward":
            def call():
                with torch.inference_mode():
                    return [forward()]
            return call, self.arrays, path
        inputs = [x.requires_grad_() for x in (q, k, v)]
        dout = tensors["dout"]
        if problem["operation"] == "backward":
            out = forward()
            return lambda: torch.autograd.grad(out, inputs, dout, retain_graph=True), self.arrays, path
        return lambda: torch.autograd.grad(forward(), inputs, dout), self.arrays, path

    def path(self, q, k, v, options):
        try:
            choice = self.torch._fused_sdp_choice(q, k, v, **options)
        except Exception:
            return "unknown path"
        return {0: "math", 1: "flash", 2: "efficient"}.get(int(choice), "path %d" % int(choice))

    def arrays(self, results):
        return [result.detach().float().contiguous().numpy() for result in results]


# The same in bfloat16. Some versions crash there on processors that have the instructions and not the rest.
class PyTorchBfloat16(PyTorch):
    id = "pytorch_bf16"

    def detail(self):
        return super().detail() + ", bfloat16"

    def convert(self, tensor):
        return tensor.bfloat16() if tensor.is_floating_point() else tensor

    # Numbers of half the size: twice as many copies of keys and values are more than the cache holds.
    def prepare(self, problem):
        if problem["copies"] > 1:
            problem["copies"] *= 2
        return super().prepare(problem)
