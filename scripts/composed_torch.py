"""Writes examples/testdata/composed_torch215.json: what PyTorch gives for each name that docs/torch.txt composes, on small inputs.

    python3 scripts/composed_torch.py > examples/testdata/composed_torch215.json

A row has the inputs by the names that the lines of Go use, and the results, flat and with shapes. Draws are recorded by their shape alone.
"""
import json, math
import torch
import torch.nn.functional as F

T = torch.tensor
X = T([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
Y = T([[1.0, -2.0, 0.5], [1.5, 0.25, 3.0]])
V1, V2 = T([0.5, -1.5, 2.0]), T([1.0, 0.25, -3.0])
U = T([[0.5, 0.1, 0.9], [0.25, 0.75, 0.3]])
S = T([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]])
L = torch.linalg.cholesky(S)
R = T([[1.0, 2.0], [-1.0, 0.5], [0.25, 3.0]])
Q = torch.arange(24.0).reshape(2, 3, 4)
nan, inf = float("nan"), float("inf")
SPECIAL = T([1.0, nan, -inf, inf, -0.0, 0.0])
OTHER = T([2.0, 1.0, nan, inf, 0.0, -1.0])
rows = {}


def row(names, call, **inputs):
    for name in names.split():
        f = torch
        for part in name.split(".")[1:]:
            f = getattr(f, part)
        got = call(f)
        got = list(got) if isinstance(got, (tuple, list)) and any(isinstance(g, torch.Tensor) for g in got) else [got]
        rows[name] = {"in": {k: value(v) for k, v in inputs.items()}, "want": [value(g) for g in got]}


def value(v):
    if isinstance(v, torch.Tensor):
        return {"shape": list(v.shape), "values": [number(e) for e in v.detach().double().flatten().tolist()], "kind": kind(v)}
    if isinstance(v, torch.Size):
        return list(v)
    if isinstance(v, list):
        return [value(e) for e in v]
    return str(v).replace("torch.", "") if isinstance(v, torch.dtype) else v


def number(v):
    return v if math.isfinite(v) else str(v)


def kind(v):
    return "bool" if v.dtype == torch.bool else "int64" if not v.is_floating_point() else str(v.dtype)[6:]


def same(names, *args, **inputs):
    row(names, lambda f: f(*args), **inputs)


for n in "absolute adjoint alias_copy arcsinh arctan detach_copy fix negative positive real ravel sgn swapaxes swapdims deg2rad rad2deg".split():
    args = (0, 1) if n in ("swapaxes", "swapdims") else ()
    same("torch." + n, X, *args, x=X)
same("torch.arccos torch.arcsin torch.arctanh", U, x=U)
same("torch.arccosh", Y.abs() + 1, x=Y.abs() + 1)
same("torch.arctan2 torch.divide torch.true_divide torch.greater torch.greater_equal torch.less torch.less_equal torch.not_equal torch.multiply torch.subtract torch.dist torch.logaddexp2", X, Y, x=X, y=Y)
same("torch.fmax torch.fmin", SPECIAL, OTHER, x=SPECIAL, y=OTHER)
same("torch.argwhere", T([[0.0, 1.0], [2.0, 0.0]]), x=T([[0.0, 1.0], [2.0, 0.0]]))
same("torch.as_tensor torch.asarray", [1.0, 2.0, 3.0])
same("torch.atleast_1d torch.atleast_2d", T(2.5), x=T(2.5))
for n in "bartlett blackman hamming hann".split():
    row(f"torch.{n}_window", lambda f: f(6), n=6)
B1 = T([0.5, -1.0])
same("torch.broadcast_shapes", (3, 1), (2,))
row("torch.broadcast_to torch.expand_copy", lambda f: f(V1, (2, 3)), x=V1)
same("torch.chain_matmul", X, R, X, x=X, y=R, z=X)
same("torch.cholesky_inverse", L, x=L)
row("torch.clip", lambda f: f(X, -0.75, 1.0), x=X, lo=-0.75, hi=1.0)
row("torch.concat torch.concatenate torch.row_stack", lambda f: f([X, Y]), ts=[X, Y])
TBC, K = torch.arange(24.0).reshape(4, 2, 3) / 8, torch.arange(12.0).reshape(2, 3, 2) / 4 - 1
same("torch.conv_tbc torch.nn.functional.conv_tbc", TBC, K, B1, x=TBC, w=K, b=B1)
same("torch.corrcoef torch.cov", Y, x=Y)
same("torch.cumulative_trapezoid torch.trapezoid torch.trapz", Y, x=Y)
same("torch.diagflat", X, x=X)
same("torch.diagonal_copy", S, x=S)
row("torch.diagonal_scatter", lambda f: f(S, V1), x=S, y=V1, n=3)
for n, d in ("dsplit", Q), ("hsplit", Q.transpose(1, 2)), ("vsplit", Q):
    row("torch." + n, lambda f: f(d.contiguous(), 2), x=d.contiguous(), n=2)
rows["torch.empty_permuted"] = {"in": {}, "want": [{"shape": list(torch.empty_permuted((2, 3, 4), (0, 2, 1)).shape), "kind": "float32"}]}
row("torch.float_power", lambda f: f(U, 1.5), x=U, v=1.5)
row("torch.from_numpy", lambda f: torch.tensor([1.0, 2.0, 3.0]))
row("torch.frombuffer", lambda f: torch.tensor([1.0, 2.0, 3.0]))
G = T([1.0, 4.0, 9.0, 2.0, -1.0])
row("torch.gradient", lambda f: f(G)[0], x=G)
same("torch.ger", V1, V2, x=V1, y=V2)
same("torch.vdot", V1, V2, x=V1, y=V2)
same("torch.inner", X, Y, x=X, y=Y)
same("torch.inverse torch.pinverse", S, x=S)
same("torch.is_floating_point", X, x=X)
same("torch.is_nonzero", T(2.0), x=T(2.0))
C1, C2 = T([1.0, 1.0, inf, inf, nan, -inf, 5.0]), T([1.00001, 1.1, inf, -inf, nan, 1.0, inf])
row("torch.isclose", lambda f: f(C1, C2), x=C1, y=C2, rtol=1e-5, atol=1e-8)
row("torch.isin", lambda f: f(X, T([0.75, 2.0])), x=X, y=T([0.75, 2.0]))
same("torch.isneginf torch.isposinf torch.isreal torch.signbit", SPECIAL, x=SPECIAL)
same("torch.ldexp", X, T([[1.0, 2.0, -1.0], [0.0, 3.0, 1.0]]), x=X, y=T([[1.0, 2.0, -1.0], [0.0, 3.0, 1.0]]))
same("torch.mvlgamma", Q + 2, 2, x=Q + 2, n=2)
row("torch.logspace", lambda f: f(0, 3, 4), n=4)
ROWS = R[:2]
row("torch.lu_solve", lambda f: torch.linalg.solve(S, R), x=S, y=R)
row("torch.movedim", lambda f: f(Q, 0, 2), x=Q)
row("torch.msort", lambda f: f(Y), x=Y)
row("torch.narrow_copy", lambda f: f(S, 0, 1, 2), x=S, n=1, k=2)
C4 = torch.arange(16.0).reshape(1, 4, 2, 2)
row("torch.native_channel_shuffle torch.nn.functional.native_channel_shuffle", lambda f: F.channel_shuffle(C4, 2), x=C4, n=2)
rows["torch.normal"] = {"in": {"v": 0.5}, "want": [{"shape": [2, 3], "kind": "float32"}]}
row("torch.histogram", lambda f: f(Y, 4), x=Y, n=4)
MASK = T([[0.0, 1.0], [2.0, 0.0]])
row("torch.nonzero_static", lambda f: f(MASK, size=3), x=MASK, n=3)
row("torch.permute_copy", lambda f: f(X, (1, 0)), x=X)
row("torch.promote_types", lambda f: f(torch.float32, torch.int64), x=X, y=T([1, 2]))
row("torch.range", lambda f: f(0, 4), n=4)
row("torch.renorm", lambda f: f(Y, 2, 0, 2.5), x=Y, v=2.5)
row("torch.select_copy", lambda f: f(S, 0, 1), x=S, n=1)
row("torch.slice_copy", lambda f: f(S, 0, 1, 3), x=S, n=1, k=3)
row("torch.split_copy torch.unsafe_split", lambda f: f(S, 2), x=S, n=2)
row("torch.split_with_sizes_copy", lambda f: f(S, [1, 2]), x=S)
row("torch.squeeze_copy", lambda f: f(X.reshape(1, 2, 1, 3)), x=X.reshape(1, 2, 1, 3))
same("torch.t_copy", X, x=X)
row("torch.transpose_copy", lambda f: f(X, 0, 1), x=X)
I2 = T([[2, 0], [1, 1]])
row("torch.take_along_dim", lambda f: f(X, I2, 1), x=X, y=I2)
row("torch.triangular_solve", lambda f: f(R, S)[0], x=R, y=S)
row("torch.unbind_copy", lambda f: f(X), x=X)
row("torch.unfold_copy", lambda f: f(G, 0, 3, 1), x=G, n=3, k=1)
row("torch.unravel_index", lambda f: f(T([0, 4, 5]), (2, 3)), x=T([0, 4, 5]), n=3)
row("torch.unsafe_chunk", lambda f: f(S, 2), x=S, n=2)
row("torch.unsqueeze_copy", lambda f: f(X, 0), x=X)
row("torch.view_copy", lambda f: f(X.flatten(), (2, 3)), x=X.flatten())

SINGULAR = T([[1.0, 2.0], [2.0, 4.0]])
for n in "cholesky inv solve lu_factor ldl_factor".split():
    rows[f"torch.linalg.{n}_ex"] = {"in": {"x": value(SINGULAR)}, "want": ["an error"]}
row("torch.linalg.lu_factor", lambda f: torch.linalg.lu(S), x=S)
row("torch.linalg.lu_solve torch.linalg.ldl_solve", lambda f: torch.linalg.solve(S, R), x=S, y=R)
E = torch.eye(6).reshape(6, 2, 3) + torch.arange(36.0).reshape(6, 2, 3) % 5 / 10
row("torch.linalg.tensorinv", lambda f: f(E, ind=1), x=E, n=6)
E2 = E.reshape(2, 3, 2, 3)
row("torch.linalg.tensorsolve", lambda f: f(E2, Y), x=E2, y=Y, n=6)
same("torch.linalg.vecdot", X, Y, x=X, y=Y)

TARGET, PROJ = T([1, 0]), T([[0.5, 1.0, -1.0], [0.25, -0.5, 2.0], [1.0, 0.0, 0.5], [0.1, 0.2, 0.3]])
BIAS = T([0.1, -0.2, 0.3, 0.0])
for n in "torch.nn.LinearCrossEntropyLoss", "torch.nn.functional.linear_cross_entropy":
    rows[n] = {"in": {k: value(v) for k, v in dict(x=X, y=TARGET, w=PROJ, b=BIAS).items()},
               "want": [value(F.cross_entropy(F.linear(X, PROJ, BIAS), TARGET))]}
ANSWERS = T([[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]])
same("torch.nn.functional.binary_cross_entropy torch.nn.functional.binary_cross_entropy_with_logits", U, ANSWERS, x=U, y=ANSWERS)
rows["torch.nn.functional.gumbel_softmax"] = {"in": {"x": value(X), "v": 0.5}, "want": [{"shape": [2, 3], "kind": "float32"}]}
row("torch.nn.functional.rrelu", lambda f: f(X, 0.125, 0.25), x=X, lo=0.125, hi=0.25)
row("torch.nn.functional.softmin", lambda f: f(X, 1), x=X)
P = torch.arange(6.0).reshape(1, 1, 2, 3)
row("torch.nn.functional.upsample torch.nn.functional.upsample_nearest", lambda f: f(P, size=(4, 5)), x=P, n=4, k=5)
row("torch.nn.functional.upsample_bilinear", lambda f: f(P, size=(4, 5)), x=P, n=4, k=5)

# Methods are called on copies: those that write give back what they wrote into.
def method(names, *args, on=X, **inputs):
    row(" ".join("torch.Tensor." + n for n in names.split()), lambda f: f(on.clone(), *args), x=on, **inputs)


def drawn(name, **inputs):
    rows["torch.Tensor." + name] = {"in": {"x": value(X), **inputs}, "want": [{"shape": [2, 3], "kind": "float32"}]}


def told(names, answer):
    for n in names.split():
        rows["torch.Tensor." + n] = {"in": {"x": value(X)}, "want": [answer]}


told("H mT", value(X.mT))
told("data", value(X))
told("numpy tolist", X.flatten().tolist())
told("element_size itemsize", 4)
told("nbytes", X.nbytes)
told("is_cpu is_signed", True)
told("is_meta", False)
told("ndim ndimension", 2)
told("nelement", 6)
for n in "byte", "char", "short":
    kept = getattr(X.abs(), n)()
    rows["torch.Tensor." + n] = {"in": {"x": value(X.abs())}, "want": [{**value(kept), "kind": str(kept.dtype)[6:]}]}
rows["torch.Tensor.new_empty"] = {"in": {"x": value(X), "n": 2, "k": 3}, "want": [{"shape": [2, 3], "kind": "float32"}]}
method("new_ones new_zeros", (2, 3), n=2, k=3)
method("new_full", (2, 3), 0.5, n=2, k=3, v=0.5)
method("clamp_max clamp_max_", 0.75, hi=0.75)
method("clamp_min clamp_min_", -0.5, lo=-0.5)
method("clip_", -0.75, 1.0, lo=-0.75, hi=1.0)
method("put put_", T([0, 5]), T([9.0, 8.0]), y=T([0, 5]), z=T([9.0, 8.0]))
method("reshape_as", R, y=R)
method("split_with_sizes", [1, 2], on=S, n=1, k=2)
method("type_as", T([1, 2]), y=T([1, 2]))
method("absolute_ arcsinh_ arctan_ fix_ negative_ sgn_ frac_ logical_not_ deg2rad_ rad2deg_")
method("arccos_ arcsin_ arctanh_", on=U)
method("arccosh_", on=Y.abs() + 1)
method("nan_to_num_", on=SPECIAL)
method("arctan2_ atan2_ copysign_ eq_ ne_ ge_ gt_ le_ lt_ not_equal_ greater_ greater_equal_ less_ less_equal_ floor_divide_ fmod_ remainder_ heaviside_ hypot_ "
       "logical_and_ logical_or_ logical_xor_ divide_ multiply_ subtract_ true_divide_", Y, y=Y)
method("xlogy_", U, y=U)
method("ldexp_", T([1.0, 2.0, -1.0]), y=T([1.0, 2.0, -1.0]))
BITS, SHIFTS = T([[5, 12, 7], [1, 0, 255]]), T([[1, 2, 0], [3, 1, 2]])
method("bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_", SHIFTS, on=BITS, y=SHIFTS)
method("bitwise_not_", on=BITS)
SQUARE, FACTORS = S[:2, :2], Q[:, :2, :2]
method("addmm_", SQUARE, X, y=SQUARE, z=X)
method("addmv_", S, V1, on=V2, y=S, z=V1)
method("addr_", T([0.5, -1.0]), V1, y=T([0.5, -1.0]), z=V1)
method("addbmm_", FACTORS, Q[:, :2, :3], y=FACTORS, z=Q[:, :2, :3])
method("baddbmm_", FACTORS, Q[:, :2, :3], on=Q[:, :2, :3] + 1, y=FACTORS, z=Q[:, :2, :3])
drawn("cauchy_", lo=0, hi=1)
drawn("geometric_", v=0.5)
drawn("log_normal_", lo=0, hi=1)
method("cumprod_ cumsum_", 1, n=1)
method("fill_diagonal_", 7.0, v=7.0)
method("float_power_", 2.0, on=U.double(), v=2.0)
method("mvlgamma_", 2, on=Q + 2, n=2)
method("polygamma_", 1, on=U, n=1)
method("renorm_", 2, 0, 2.5, on=Y, v=2.5)
method("requires_grad_")
method("tril_ triu_", 1, n=1)

print("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(rows[k])}" for k in sorted(rows)) + "\n}")
