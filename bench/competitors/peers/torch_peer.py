# What the peers on PyTorch have in common.
class TorchPeer:
    id, package = "pytorch", "torch"

    def __init__(self, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)

    def version(self):
        return "PyTorch " + self.torch.__version__


