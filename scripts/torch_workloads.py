"""The workloads of `cresset bench`, in PyTorch and in the OpenBLAS that numpy brings.

A workload is a function without parameters; a maker returns one, with its operands.
"""

import re

# What is wanted of a ratio, and what is hoped for; the first pattern that a name matches counts.
WANTED = [
    (r"mm/\d+$", 0.95, 1.05),
    (r"mm/|linear/", 1.0, 1.3),
    (r"(mm|linear)_bf16/", 0.8, 1.0),
    (r"(add|relu|cast_f32_bf16|cast_bf16_f32)/1e[57]|add_row/", 0.95, 1.2),
    (r"(exp|sigmoid)/", 1.3, 1.8),
    (r"(tanh|gelu|gelu_tanh)/", 3, 6),
    (r"(softmax|log_softmax|layer_norm|rms_norm|cross_entropy|sum_rows|sum_columns|max_rows|max_columns)/", 1.3, 2),
    (r"attention_causal_bf16", 0.8, 1.0),
    (r"attention_causal_grad_bf16", 0.7, 1.0),
    (r"attention", 1.0, 1.5),
    (r"conv3x3/", 0.85, 1.1),
    (r"conv1d/|conv_transpose|depthwise3x3(_stride2)?/|avg_pool|(group|instance)_norm/|(lstm|gru|rnn)(_grad)?/|einsum/|interpolate/|sort/|top5/|top100/|cumsum/|index_put/", 0.9, 1.3),
    (r"conv3x3_grad/", None, 1.1),
    (r"max_pool|batch_norm", 1.5, 3),
    (r"small/add$", 5, 10),
    (r"small/mul_sum_backward", 8, 15),
    (r"train/mlp_sgd", 1.2, 1.6),
    (r"train/mlp_adam", 1.5, 2.2),
    (r"train/cnn", None, 1.8),
    (r"train/gpt", 1.1, 1.5),
    (r"gpt2_prompt/", 0.95, 1.1),
    (r"gpt2_decode/", 1.2, 2),
]


# The same on a GPU.
WANTED_OF_GPU = [
    (r"mm_b?f16/(2048|4096|8192|16384)$", 0.85, 1.0),
    (r"mm/(2048|4096|8192)$", 0.85, 0.95),
    (r"train/gpt2_small_bf16$", 1.2, 1.5),
    (r"train/gpt2_small_bf16_compiled", 0.9, 1.1),
    (r"train/mlp_.*graph", 1.0, 1.2),
    (r"llama1b_decode/", 1.5, 3),
    (r"llama1b_decode_compiled_graph/", 1.0, 1.2),
    (r"train/(mlp|cnn)_[a-z]*$", 1.5, 3),
]


def wanted(name, device="cpu"):
    """Returns what must and what should be reached, None where nothing is asked."""
    rows = WANTED if device == "cpu" else WANTED_OF_GPU
    return next(((gate, goal) for pattern, gate, goal in rows if re.match(pattern, name)), (None, None))


def beyond_cache(name):
    """Says whether a workload's time is that of the memory, which on two threads no machine that is shared gives steadily."""
    return re.search(r"/1e7|4000x2500", name) is not None


def torch_makers():
    import torch
    from torch import nn
    import torch.nn.functional as F
    from torch_decode import gpt_static, llama_decoder
    from torch_gpt import gpt_decoder, gpt_lesson, gpt_prompt
    from torch_modes import MODES, in_mode
    from torch_resnet import resnet_lesson

    torch.manual_seed(0)
    makers = {}

    class infer_batches:
        """A call of which a batch is timed inside of inference mode."""

        context = torch.inference_mode

        def __init__(self, call):
            self.call = call

    def add(name, make, *, grad=False):
        makers[name] = make if grad else (lambda: infer_batches(make()))

    def product(a, b, dtype=torch.float32):
        def make():
            x, y = torch.randn(a).to(dtype), torch.randn(b).to(dtype)
            return lambda: torch.mm(x, y)
        return make

    def linear(batch, inputs, outputs, dtype=torch.float32):
        def make():
            x, w, b = (torch.randn(s).to(dtype) for s in ((batch, inputs), (outputs, inputs), (outputs,)))
            return lambda: F.linear(x, w, b)
        return make

    def both(f, *shapes, dtype=torch.float32):
        def make():
            operands = [torch.randn(s).to(dtype) for s in shapes]
            return lambda: f(*operands)
        return make

    for n in (128, 256, 512, 1024, 2048, 4096, 8192):
        add(f"mm/{n}", product((n, n), (n, n)))
    for b in (1, 8, 32, 64):
        add(f"mm/{b}x784x256", product((b, 784), (784, 256)))
        add(f"linear/{b}x784x256", linear(b, 784, 256))
        add(f"linear/{b}x1024x1024", linear(b, 1024, 1024))
    for b in (8, 64):
        add(f"linear_bf16/{b}x1024x1024", linear(b, 1024, 1024, torch.bfloat16))
    for b in (8, 32, 64):
        add(f"linear_bf16/{b}x8192x28672", linear(b, 8192, 28672, torch.bfloat16))
    add("linear/64x128x10", linear(64, 128, 10))
    add("mv/1024x1024", both(torch.mv, (1024, 1024), (1024,)))
    for n in (256, 1024, 2048, 4096, 8192, 16384):
        add(f"mm_bf16/{n}", product((n, n), (n, n), torch.bfloat16))
    add("mm_bf16/4095x4097x4096", product((4095, 4097), (4097, 4096), torch.bfloat16))
    for n in (2048, 4096, 8192, 16384):
        add(f"mm_f16/{n}", product((n, n), (n, n), torch.float16))

    def elementwise(f, n, dtype=torch.float32):
        def make():
            x = torch.rand(n).to(dtype)
            return lambda: f(x)
        return make

    sizes = {"1e3": 1000, "1e5": 100_000, "1e7": 10_000_000, "1e8": 100_000_000}
    for name, n in sizes.items():
        add(f"add/{name}", both(torch.add, (n,), (n,)))
    add("mul_scalar/1e5", elementwise(lambda x: torch.mul(x, 3.0), sizes["1e5"]))
    functions = {
        "relu": torch.relu, "exp": torch.exp, "log": torch.log, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
        "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
    }
    for name, f in functions.items():
        for size in ("1e5", "1e7", "1e8"):
            add(f"{name}/{size}", elementwise(f, sizes[size]))
    for m, n in ((300, 300), (4000, 2500)):
        add(f"add_row/{m}x{n}", both(torch.add, (m, n), (n,)))
    add("transpose/4000x2500", both(lambda x: x.t().contiguous(), (4000, 2500)))
    add("transpose_bf16/4096x4096", both(lambda x: x.t().contiguous(), (4096, 4096), dtype=torch.bfloat16))
    add("full/1e5", lambda: lambda: torch.full((sizes["1e5"],), 2.0))
    add("add_bf16/1e5", elementwise(lambda x: x + x, sizes["1e5"], torch.bfloat16))
    add("add_f16/1e5", elementwise(lambda x: x + x, sizes["1e5"], torch.float16))
    add("add_transposed/1000x1000", both(lambda x: x + x.t(), (1000, 1000)))
    add("sub_column/4096x128", both(lambda x: x - x[:, :1], (4096, 128)))

    def layer_norm(m, n, dtype=torch.float32):
        def make():
            x, w, b = torch.randn(m, n).to(dtype), torch.ones(n, dtype=dtype), torch.zeros(n, dtype=dtype)
            return lambda: F.layer_norm(x, (n,), w, b)
        return make

    def rms_norm(m, n, dtype=torch.float32):
        def make():
            x, w = torch.randn(m, n).to(dtype), torch.ones(n, dtype=dtype)
            return lambda: F.rms_norm(x, (n,), w)
        return make

    def cross_entropy(m, n, dtype=torch.float32):
        def make():
            x, labels = torch.randn(m, n).to(dtype), torch.randint(0, n, (m,))
            return lambda: F.cross_entropy(x, labels)
        return make

    for m, n in ((128, 128), (4096, 1024), (32768, 4096)):
        shape = f"{m}x{n}"
        add(f"softmax/{shape}", both(lambda x: torch.softmax(x, 1), (m, n)))
        add(f"log_softmax/{shape}", both(lambda x: torch.log_softmax(x, 1), (m, n)))
        add(f"sum_rows/{shape}", both(lambda x: x.sum(1), (m, n)))
        add(f"sum_columns/{shape}", both(lambda x: x.sum(0), (m, n)))
        add(f"max_rows/{shape}", both(lambda x: x.max(1), (m, n)))
        add(f"max_columns/{shape}", both(lambda x: x.max(0), (m, n)))
        add(f"argmax_rows/{shape}", both(lambda x: x.argmax(1), (m, n)))
        add(f"cumsum/{shape}", both(lambda x: x.cumsum(1), (m, n)))
        add(f"layer_norm/{shape}", layer_norm(m, n))
        add(f"rms_norm/{shape}", rms_norm(m, n))
        add(f"cross_entropy/{shape}", cross_entropy(m, n))

    double = torch.float64
    add("mm_f64/512", product((512, 512), (512, 512), double))
    for name, f in {"add": lambda x: x + x, "exp": torch.exp, "log": torch.log, "tanh": torch.tanh, "gelu": F.gelu}.items():
        add(f"{name}_f64/1e5", elementwise(f, sizes["1e5"], double))
    along = {
        "sum_rows": lambda x: x.sum(1), "sum_columns": lambda x: x.sum(0), "max_rows": lambda x: x.max(1), "argmax_rows": lambda x: x.argmax(1),
        "cumsum": lambda x: x.cumsum(1), "softmax": lambda x: torch.softmax(x, 1),
    }
    for short, dtype in {"f64": double, "bf16": torch.bfloat16, "f16": torch.float16}.items():
        for name, f in along.items():
            add(f"{name}_{short}/1024x1024", elementwise(f, (1024, 1024), dtype))
        add(f"layer_norm_{short}/1024x1024", layer_norm(1024, 1024, dtype))
    along |= {"log_softmax": lambda x: torch.log_softmax(x, 1), "max_columns": lambda x: x.max(0)}
    for name, f in along.items():
        add(f"{name}_bf16/32768x4096", elementwise(f, (32768, 4096), torch.bfloat16))
    for name, make in {"layer_norm": layer_norm, "rms_norm": rms_norm, "cross_entropy": cross_entropy}.items():
        add(f"{name}_bf16/32768x4096", make(32768, 4096, torch.bfloat16))
    add("cast_f32_bf16/1e7", elementwise(torch.Tensor.bfloat16, sizes["1e7"]))
    add("cast_bf16_f32/1e7", elementwise(torch.Tensor.float, sizes["1e7"], torch.bfloat16))

    def bmm(a, b):
        def make():
            x, y = torch.randn(a).bfloat16(), torch.randn(b).bfloat16()
            return lambda: torch.bmm(x, y)
        return make

    for b, m, k, n in ((64, 128, 64, 128), (16, 256, 256, 256)):
        add(f"bmm_bf16/{b}x{m}x{k}x{n}", bmm((b, m, k), (b, k, n)))

    words = 1 << 26  # 256 MiB
    add("copy/within", lambda: lambda x=torch.ones(words), y=torch.ones(words): y.copy_(x))

    def gather():
        x, index = torch.randn(1024, 1024), torch.randint(0, 1024, (1024, 1024))
        return lambda: x.gather(1, index)

    def index_put():
        x, values, index = torch.randn(1_000_000), torch.randn(100_000), torch.randint(0, 1_000_000, (100_000,))
        return lambda: x.index_put((index,), values, accumulate=True)

    add("index_put/1e5", index_put)
    add("cummax/32768x4096", both(lambda x: x.cummax(1), (32768, 4096)))
    add("sort/1x16777216", both(lambda x: x.sort(1), (1, 1 << 24)))
    add("top50/64x131072", both(lambda x: x.topk(50, 1), (64, 131072)))
    add("sort/128x1000", both(lambda x: x.sort(1), (128, 1000)))
    add("top5/128x1000", both(lambda x: x.topk(5, 1), (128, 1000)))
    add("top100/128x1000", both(lambda x: x.topk(100, 1), (128, 1000)))
    add("gather/1024x1024", gather)
    add("cat_columns/1024x512", both(lambda x, y: torch.cat([x, y], 1), (1024, 512), (1024, 512)))
    add("nonzero/1000x1000", lambda: torch.randn(1000, 1000).gt(0).nonzero)

    pictures = (32, 64, 56, 56)
    suffix = "x".join(map(str, pictures))
    others = {}  # other ways of PyTorch to do the same work: the fastest counts

    def convolution(name, batch, channels, outputs, size, kernel, stride=1, padding=0, groups=1, gradients=True, dtype=torch.float32):
        def operands(layout):
            x = torch.randn(batch, channels, size, size).to(dtype, memory_format=layout)
            return x, nn.Conv2d(channels, outputs, kernel, stride, padding, groups=groups).to(dtype, memory_format=layout)

        def forward(layout=torch.contiguous_format):
            x, net = operands(layout)
            return lambda: net(x)

        def backward(layout=torch.contiguous_format):
            x, net = operands(layout)
            dy = torch.randn(net(x).shape).to(dtype, memory_format=layout)
            x.requires_grad_()
            return lambda: net(x).backward(dy)

        shape = f"{batch}x{channels}x{size}x{size}"
        add(f"{name}/{shape}", forward)
        others[f"{name}/{shape}"] = ("channels_last", lambda: infer_batches(forward(torch.channels_last)))
        if gradients:
            add(f"{name}_grad/{shape}", backward, grad=True)
            others[f"{name}_grad/{shape}"] = ("channels_last", lambda: backward(torch.channels_last))

    convolution("conv3x3", 32, 64, 64, 56, 3, padding=1)
    convolution("conv3x3_fast", 32, 64, 64, 56, 3, padding=1)
    convolution("conv3x3_stride2", 32, 64, 128, 56, 3, 2, 1)
    convolution("conv7x7_stride2", 8, 3, 64, 224, 7, 2, 3, gradients=False)
    convolution("conv1x1", 32, 256, 256, 14, 1)
    convolution("depthwise3x3", 32, 512, 512, 14, 3, 1, 1, 512)
    convolution("depthwise3x3_stride2", 32, 128, 128, 28, 3, 2, 1, 128)
    for name, rest in (("conv3x3", (64, 64, 56, 3, 1, 1)), ("conv3x3_stride2", (64, 128, 56, 3, 2, 1)), ("conv1x1", (256, 256, 14, 1)),
                       ("depthwise3x3", (512, 512, 14, 3, 1, 1, 512))):
        convolution(f"{name}_bf16", 32, *rest, dtype=torch.bfloat16)

    add("conv1d/32x64x1024", both(lambda x, w, b: F.conv1d(x, w, b, padding=1), (32, 64, 1024), (128, 64, 3), (128,)))
    for kernel, padding in ((2, 0), (4, 1)):
        def transposed(layout=torch.contiguous_format, kernel=kernel, padding=padding):
            x, w, b = torch.randn(8, 128, 28, 28), torch.randn(128, 64, kernel, kernel), torch.randn(64)
            x, w = x.to(memory_format=layout), w.to(memory_format=layout)
            return lambda: F.conv_transpose2d(x, w, b, stride=2, padding=padding)

        name = f"conv_transpose{kernel}x{kernel}/8x128x28x28"
        add(name, transposed)
        others[name] = ("channels_last", lambda make=transposed: infer_batches(make(torch.channels_last)))

    def interpolated(layout=torch.contiguous_format):
        x = torch.randn(8, 64, 28, 28).to(memory_format=layout)
        return lambda: F.interpolate(x, size=(56, 56), mode="bilinear")

    add("interpolate/8x64x28x28", interpolated)
    others["interpolate/8x64x28x28"] = ("channels_last", lambda: infer_batches(interpolated(torch.channels_last)))
    add("einsum/8x8x128x64", both(lambda q, k: torch.einsum("bhqd,bhkd->bhqk", q, k), (8, 8, 128, 64), (8, 8, 128, 64)))

    def batch_norm():
        x, w, b, mean, var = torch.randn(pictures), torch.ones(64), torch.zeros(64), torch.zeros(64), torch.ones(64)
        return lambda: F.batch_norm(x, mean, var, w, b, training=True)

    add(f"max_pool2x2/{suffix}", both(lambda x: F.max_pool2d(x, 2), pictures))
    add(f"max_pool3x3/{suffix}", both(lambda x: F.max_pool2d(x, 3, 2, 1), pictures))
    add(f"avg_pool2x2/{suffix}", both(lambda x: F.avg_pool2d(x, 2), pictures))
    add(f"batch_norm/{suffix}", batch_norm)
    add(f"instance_norm/{suffix}", both(lambda x, w, b: F.instance_norm(x, None, None, w, b), pictures, (64,), (64,)))
    add(f"group_norm/{suffix}", both(lambda x, w, b: F.group_norm(x, 32, w, b), pictures, (64,), (64,)))

    def recurrent(layer):
        def forward():
            x, net = torch.randn(128, 64, 256), layer(256, 256)
            return lambda: net(x)

        def backward():
            x, net, dy = torch.randn(128, 64, 256, requires_grad=True), layer(256, 256), torch.randn(128, 64, 256)
            return lambda: net(x)[0].backward(dy)

        return forward, backward

    for name, layer in {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}.items():
        forward, backward = recurrent(layer)
        add(f"{name}/128x64x256", forward)
        add(f"{name}_grad/128x64x256", backward, grad=True)

    def attention(batch, heads, queries, keys, grad):
        def make():
            shapes = [(batch, n, heads, 64) for n in (queries, keys, keys)]
            leaves = [torch.randn(shape, requires_grad=grad) for shape in shapes]
            dy = torch.randn(batch, heads, queries, 64)

            def attend():
                return F.scaled_dot_product_attention(*(x.transpose(1, 2) for x in leaves))

            def step():
                attend().backward(dy)
                for x in leaves:
                    x.grad = None

            return step if grad else attend

        return make

    add("attention/4x8x512x64", attention(4, 8, 512, 512, False))
    add("attention_grad/4x8x512x64", attention(4, 8, 512, 512, True), grad=True)
    add("attention_decode/1x12x1024x64", attention(1, 12, 1, 1024, False))

    def attention_bf16(batch, heads, groups, queries, keys, width, grad):
        def make():
            q = torch.randn(batch, heads, queries, width, dtype=torch.bfloat16).requires_grad_(grad)
            k, v = (torch.randn(batch, groups, keys, width, dtype=torch.bfloat16).requires_grad_(grad) for _ in range(2))
            dy = torch.randn(q.shape, dtype=torch.bfloat16)

            def attend():
                return F.scaled_dot_product_attention(q, k, v, is_causal=queries > 1, enable_gqa=groups < heads)

            def step():
                attend().backward(dy)
                q.grad = k.grad = v.grad = None

            return step if grad else attend

        return make

    for width in (64, 128):
        heads = 2048 // width
        for tokens in (1024, 2048, 4096, 8192):
            name, shape = f"{16384 // tokens}x{heads}x{tokens}x{width}", (16384 // tokens, heads, heads, tokens, tokens, width)
            add(f"attention_causal_bf16/{name}", attention_bf16(*shape, False))
            add(f"attention_causal_grad_bf16/{name}", attention_bf16(*shape, True), grad=True)
    add("attention_causal_bf16/4x8x512x64", attention_bf16(4, 8, 8, 512, 512, 64, False))
    add("attention_causal_grad_bf16/4x8x512x64", attention_bf16(4, 8, 8, 512, 512, 64, True), grad=True)
    add("attention_decode_bf16/8x32x8192x128", attention_bf16(8, 32, 8, 1, 8192, 128, False))

    def small(f):
        def make():
            x, y, leaf = torch.ones(4), torch.ones(4), torch.ones(4, requires_grad=True)
            return lambda: f(x, y, leaf)
        return make

    def backward(x, _, leaf):
        (x * leaf).sum().backward()
        leaf.grad = None

    add("small/add", small(lambda x, y, _: x + y))
    add("small/add_in_place", small(lambda x, y, _: x.add_(y)))
    add("small/view", small(lambda x, *_: x.view(2, 2)))
    add("small/add_recorded", small(lambda x, _, leaf: x + leaf), grad=True)
    add("small/mul_sum_backward", small(backward), grad=True)

    def mlp():
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))

    def cnn():
        return nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(64 * 7 * 7, 10))

    def of_pictures(model, optimizer, layout=torch.contiguous_format):
        def lesson(capturable=False):
            net = model().to(memory_format=layout)
            images = torch.rand(64, 1, 28, 28).to(memory_format=layout)
            labels = torch.randint(0, 10, (64,))
            return net, images, lambda y: F.cross_entropy(y, labels), optimizer(net.parameters(), capturable)
        return lesson

    def sgd(parameters, capturable=False):
        return torch.optim.SGD(parameters, lr=1e-3)

    def adam(parameters, capturable=False):
        return torch.optim.Adam(parameters, capturable=capturable)

    def fused_adam(parameters, capturable=False):
        return torch.optim.Adam(parameters, fused=True, capturable=capturable)

    def training(name, lesson, fastest=None):
        add(f"train/{name}", in_mode(lesson), grad=True)
        for mode in MODES:
            add(f"train/{name}_{mode}", in_mode(fastest or lesson, mode), grad=True)

    for name, model in (("mlp", mlp), ("cnn", cnn)):
        training(f"{name}_sgd", of_pictures(model, sgd))
        training(f"{name}_adam", of_pictures(model, adam), of_pictures(model, fused_adam))

    def stepper(optimizer):
        def make():
            parameters = [nn.Parameter(torch.rand(1_000_000)) for _ in range(100)]
            for p in parameters:
                p.grad = torch.rand_like(p)
            return optimizer(parameters).step
        return make

    add("sgd_step/100x1e6", stepper(sgd), grad=True)
    add("adam_step/100x1e6", stepper(adam), grad=True)

    for name, model in {"gpt_4x128": (65, 4, 4, 128, 12, 64), "gpt_6x384": (65, 6, 6, 384, 4, 256), "gpt2_small": (50257, 12, 12, 768, 4, 1024, "tanh")}.items():
        training(name, gpt_lesson(*model))
    training("resnet18", resnet_lesson(), resnet_lesson(torch.channels_last))
    add("gpt2_prompt/512", gpt_prompt)
    for dtype in (torch.float32, torch.bfloat16):
        kind = str(dtype).removeprefix("torch.")
        add(f"gpt2_decode/{kind}", lambda dtype=dtype: gpt_decoder(dtype))
        add(f"llama1b_decode/{kind}", lambda dtype=dtype: llama_decoder(dtype))
        for mode in ("compiled", "graph", "compiled_graph"):
            add(f"gpt2_decode_{mode}/{kind}", lambda dtype=dtype, mode=mode: gpt_static(dtype, mode))
            add(f"llama1b_decode_{mode}/{kind}", lambda dtype=dtype, mode=mode: llama_decoder(dtype, mode))

    def pool_last(pool, *options):
        def make():
            x = torch.randn(pictures).to(memory_format=torch.channels_last)
            return infer_batches(lambda: pool(x, *options))
        return make

    others[f"max_pool2x2/{suffix}"] = ("channels_last", pool_last(F.max_pool2d, 2))
    others[f"max_pool3x3/{suffix}"] = ("channels_last", pool_last(F.max_pool2d, 3, 2, 1))
    others[f"avg_pool2x2/{suffix}"] = ("channels_last", pool_last(F.avg_pool2d, 2))
    others["adam_step/100x1e6"] = ("fused", stepper(fused_adam))
    others["train/mlp_adam"] = ("fused", in_mode(of_pictures(mlp, fused_adam)))
    others["train/cnn_adam"] = ("fused", in_mode(of_pictures(cnn, fused_adam)))
    others["train/cnn_sgd"] = ("channels_last", in_mode(of_pictures(cnn, sgd, torch.channels_last)))
    others["train/resnet18"] = ("channels_last", in_mode(resnet_lesson(torch.channels_last)))
    return makers, others


def openblas_makers():
    """Products, and those with a bias, by the OpenBLAS that numpy brings."""
    import numpy

    makers = {}

    def product(m, k, n, dtype="float32"):
        def make():
            a, b = (numpy.random.rand(*s).astype(dtype) for s in ((m, k), (k, n)))
            out = numpy.empty((m, n), dtype)
            return lambda: numpy.matmul(a, b, out=out)
        return make

    def linear(batch, inputs, outputs):
        def make():
            x, w, b = (numpy.random.rand(*s).astype("float32") for s in ((batch, inputs), (outputs, inputs), (outputs,)))
            out = numpy.empty((batch, outputs), "float32")

            def call():
                numpy.matmul(x, w.T, out=out)
                numpy.add(out, b, out=out)
            return call
        return make

    for n in (128, 256, 512, 1024, 2048):
        makers[f"mm/{n}"] = product(n, n, n)
    for b in (1, 8, 32, 64):
        makers[f"mm/{b}x784x256"] = product(b, 784, 256)
        makers[f"linear/{b}x784x256"] = linear(b, 784, 256)
        makers[f"linear/{b}x1024x1024"] = linear(b, 1024, 1024)
    makers["linear/64x128x10"] = linear(64, 128, 10)
    makers["mm_f64/512"] = product(512, 512, 512, "float64")
    return makers
