# A GPT-2 in plain PyTorch, trained as nanoGPT does it: fused attention, fused AdamW, no dropout.
import gc


class TorchTraining(TorchPeer):
    compiled = False

    def detail(self):
        return "eager, scaled_dot_product_attention, AdamW(fused=True)"

    def module(self, problem):
        torch = self.torch
        functional = torch.nn.functional
        vocabulary, width = problem["arrays"]["transformer.wte.weight"].shape
        tokens, heads = problem["arrays"]["transformer.wpe.weight"].shape[0], problem["heads"]

        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.ln_1, self.ln_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
                self.c_attn, self.attn_proj = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
                self.c_fc, self.mlp_proj = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

            def forward(self, x):
                b, n, _ = x.shape
                q, k, v = self.c_attn(self.ln_1(x)).split(width, dim=2)
                q, k, v = (each.view(b, n, heads, width // heads).transpose(1, 2) for each in (q, k, v))
                y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.attn_proj(y.transpose(1, 2).contiguous().view(b, n, width))
                return x + self.mlp_proj(functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))

        class Gpt(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.wte, self.wpe = torch.nn.Embedding(vocabulary, width), torch.nn.Embedding(tokens, width)
                self.h = torch.nn.ModuleList(Block() for _ in range(problem["layers"]))
                self.ln_f = torch.nn.LayerNorm(width)
                self.register_buffer("positions", torch.arange(tokens), persistent=False)

            def forward(self, ids, targets):
                x = self.wte(ids) + self.wpe(self.positions[:ids.shape[1]])
                for block in self.h:
                    x = block(x)
                logits = functional.linear(self.ln_f(x), self.wte.weight)
                return functional.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))

        return Gpt()

    # {our name: values}: GPT-2's files have [inputs, outputs].
    def weights(self, arrays):
        values = {}
        for name, array in arrays.items():
            if not name.startswith("transformer."):
                continue
            ours = name[len("transformer."):].replace("attn.c_proj", "attn_proj").replace("mlp.c_proj", "mlp_proj")
            ours = ours.replace("attn.c_attn", "c_attn").replace("mlp.c_fc", "c_fc")
            tensor = self.torch.from_numpy(array)
            linear = tensor.dim() == 2 and ours.startswith("h.")
            values[ours] = tensor.t().contiguous() if linear else tensor
        return values

    def prepare(self, problem):
        torch = self.torch
        torch.set_num_threads(problem["threads"])
        ids, targets = (torch.from_numpy(problem["arrays"][name]) for name in ("ids", "targets"))
        model, start = self.module(problem), self.weights(problem["arrays"])
        loss_of = torch.compile(model) if self.compiled else model
        parameters = dict(model.named_parameters())
        assert parameters.keys() == start.keys()
        state = {}

        def begin():
            for name, parameter in parameters.items():
                parameter.data, parameter.grad = start[name].clone(), None
            decays = [p for p in parameters.values() if p.dim() >= 2]
            plain = [p for p in parameters.values() if p.dim() < 2]
            state["optimizer"] = torch.optim.AdamW([dict(params=decays, weight_decay=0.1), dict(params=plain, weight_decay=0.0)],
                                                   lr=problem["rate"], betas=(0.9, 0.95), eps=1e-8, fused=True)
            state["step"] = 0

        def step():
            at = state["step"] % len(ids)
            state["step"] += 1
            state["optimizer"].zero_grad(set_to_none=True)
            loss = loss_of(ids[at], targets[at])
            loss.backward()
            state["optimizer"].step()
            return loss.item()

        def first():
            begin()
            return [step() for _ in range(len(ids))]

        # One step beforehand, compiled or not; then the memory of everything is given back: it counts in `first`.
        begin()
        step()
        for parameter in parameters.values():
            parameter.data, parameter.grad = torch.empty(0), None
        state.clear()
        gc.collect()
        return step, lambda losses: [losses], "%d threads" % problem["threads"], first


class TorchCompiled(TorchTraining):
    id = "compiled"
    compiled = True

    def detail(self):
        return "torch.compile of the model, the rest as above"


SERVED = (TorchTraining, TorchCompiled)
