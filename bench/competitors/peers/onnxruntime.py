# Attention by ONNX Runtime: the fused operator MultiHeadAttention of its com.microsoft domain, a model of one node.
import itertools


class OnnxRuntime:
    id, package = "onnxruntime", "onnxruntime"

    def __init__(self, threads):
        import onnx
        import onnxruntime
        self.onnx, self.runtime, self.threads = onnx, onnxruntime, threads
        onnxruntime.set_default_logger_severity(3)

    def version(self):
        return "ONNX Runtime " + self.runtime.__version__

    def detail(self):
        return "MLAS (its own BLAS), %d threads" % self.threads

    def cannot(self, problem):
        if problem["operation"] != "forward":
            return "computes the forward only"
        if problem["key_heads"] != problem["heads"]:
            return "MultiHeadAttention has no grouped heads"
        if problem["dropout"]:
            return "has no dropout"
        if problem["mask"] not in ("", "causal") and "lengths" not in problem["arrays"]:
            return "has no such mask"
        if problem["mask"] == "causal" and problem["queries"] != problem["keys"]:
            return "causal for a square only"
        return None

    def prepare(self, problem):
        reason = self.cannot(problem)
        if reason:
            return None, None, reason
        arrays, heads = problem["arrays"], problem["heads"]
        # It takes [B, N, H·D], as projections give it.
        feeds = {name: arrays[name].transpose(0, 2, 1, 3).reshape(arrays[name].shape[0], arrays[name].shape[2], -1).copy()
                 for name in ("q", "k", "v")}
        helper, types = self.onnx.helper, self.onnx.TensorProto
        inputs = ["q", "k", "v"]
        if "lengths" in arrays:
            inputs += ["", "lengths"]
            feeds["lengths"] = arrays["lengths"].astype("int32")
        if "bias" in arrays:
            inputs += [""] * (5 - len(inputs)) + ["bias"]
            feeds["bias"] = arrays["bias"].copy()
        node = helper.make_node("MultiHeadAttention", inputs, ["out"], domain="com.microsoft", num_heads=heads,
                                unidirectional=int(problem["mask"] == "causal"))
        declared = [helper.make_tensor_value_info(name, types.INT32 if name == "lengths" else types.FLOAT, array.shape)
                    for name, array in feeds.items()]
        output = [helper.make_tensor_value_info("out", types.FLOAT, None)]
        model = helper.make_model(helper.make_graph([node], "attention", declared, output),
                                  opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 9
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        # Its threads must not go on spinning while the next competitor runs.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        session = self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

        def to_arrays(results):  # [B, H, N, Dv] again
            out = results[0]
            return [out.reshape(out.shape[0], out.shape[1], heads, -1).transpose(0, 2, 1, 3)]
        turns = itertools.cycle([feeds] + [dict(feeds, k=feeds["k"].copy(), v=feeds["v"].copy()) for _ in range(problem["copies"] - 1)])
        return lambda: session.run(None, next(turns)), to_arrays, "MultiHeadAttention"


SERVED = (PyTorch, PyTorchBfloat16, OnnxRuntime)
