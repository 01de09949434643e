"""What NVIDIA's assembler makes of every kernel: registers, spills, shared memory and the mix of its main loop.

python3 scripts/ptxas.py          assembles the modules that have changed, prints what is wrong with any, and fails if
                                  internal/backend/cuda/kernels/ptx/figures is not what they give
python3 scripts/ptxas.py --write  writes that file
python3 scripts/ptxas.py --all    assembles those too that have not changed
python3 scripts/ptxas.py --on 70,86,89,103   assembles every module for other GPUs that it runs on, prints what is wrong, and writes nothing

It needs ptxas 12.9, the last that knows every GPU from 6.0 to 12.0, and cuobjdump: both are in the wheel of triton. A module that says
neither takes more than two seconds for a GPU. CI has neither: a Go test holds the file to the names of the kernels.
"""

import concurrent.futures
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PTX = pathlib.Path(__file__).parent.parent / "internal/backend/cuda/kernels/ptx"
FIGURES = PTX / "figures"
HEAD = """\
# What NVIDIA's assembler makes of the kernels, by scripts/ptxas.py. A module has a line with its target, the GPUs that its figures are for and a hash of
# its text. A line of kernels that are alike then has a figure for each GPU, registers+bytes that are spilled:arithmetic/instructions of the main
# loop/operations of float64 among them/conversions from and to it:bytes of global memory that a thread moves in it:accesses of what was spilled in
# it, and the bytes of static shared memory.
"""

# One GPU for each generation: Pascal, Turing, Ampere and Ada, Hopper, the two of Blackwell. The code for the first is in a form that cuobjdump 13 cannot
# read, and that for the others of kernels that run everywhere differs little.
GPUS = {"sm_60": [60, 75, 80, 90, 120], "sm_61": [61, 75, 80, 90, 120], "sm_75": [75, 80, 90, 120], "sm_80": [80, 90, 120], "sm_90": [90, 120], "sm_90a": [90], "sm_100f": [100]}
UNREAD = {"sm_60": [60, 75, 120], "sm_61": [61, 75, 120]}
UNREADABLE = [60, 61, 70]

# Families that newer ones take over from, with the GPUs that are left to them.
OLDER = {"product_tile": [60, 75], "product_mma8": [75], "conv_mma8": [75]}

# Kernels are tuned whose authors bounded their registers for more than one block (.minnctapersm) or wrote them for one generation.
TUNED = re.compile(r"^\.minnctapersm", re.M)

# Modules whose kernels multiply; those of others move memory.
PRODUCTS = re.compile(r"product|conv|attention")

# The least share of multiplications in the loop of a tile. FFMA are one clock of a scheduler, as all instructions are; an HMMA keeps the tensor
# cores busy for 8 clocks or more, and an HGMMA, IGMMA or UTCHMMA for 128, so that other instructions have time beside them. Main loops before 9.0 are those of panels that are
# whole: beside 64 HMMA for 8.0 16 LDSM, 8 LDGSTS and some 30 instructions more.
LEAST = [
    (re.compile(r"^product_128x128_(kk|kn|mk|mn)_f32"), 0.85),
    (re.compile(r"^product_128x(128|256)_mma_"), 0.5),
    (re.compile(r"^product_64x64_mma_"), 0.27),
    (re.compile(r"^product_quantized_imma_128x128"), 0.5),
    (re.compile(r"^product_128x128_mma8"), 0.6),
    (re.compile(r"^product_64x64_mma8"), 0.46),
    (re.compile(r"^product_128x128_pairs"), 0.26),
    (re.compile(r"^product_64x64_pairs"), 0.15),
    (re.compile(r"^product_128x128_tf32_mn"), 0.42),
    (re.compile(r"^product_128x128_dmma_"), 0.5),
    (re.compile(r"^conv_128x128_mma8"), 0.58),
    (re.compile(r"^conv_128x128_mma_"), 0.52),
    (re.compile(r"^conv_weight_128x128_mma_"), 0.48),
    (re.compile(r"^conv_(weight_)?(64x64|32x128)_mma8"), 0.28),
    (re.compile(r"^conv_(64x64|32x128)_mma_"), 0.24),
    (re.compile(r"^conv_weight_(64x64|32x128)_mma_"), 0.21),
    (re.compile(r"^conv_128x128_tf32_f32"), 0.38),
    (re.compile(r"^conv_128x128_async_f32"), 0.9),
    (re.compile(r"^conv_weight_128x128_async_f32"), 0.8),
    (re.compile(r"wgmma|beside|tcgen05"), 0.05),
]

ARITHMETIC = re.compile(r"^(FFMA|FMUL|FADD|FMNMX|FSEL|FSETP|DFMA|DMUL|DADD|DSETP|HFMA2|HMUL2|HADD2|MUFU|HMMA|DMMA|HGMMA|IGMMA|UTCHMMA|IMMA|IDP|FCHK|FFMA2)\b")
DOUBLE = re.compile(r"^D(ADD|MUL|FMA|SETP|MNMX)\b")
CONVERSION = re.compile(r"^(F2F|F2I|I2F|FRND)\.(\w+\.)*F64\b")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def tool(name, knows=""):
    """The path of a tool: on PATH, or from a wheel."""
    wheels = [path for site in filter(None, sys.path) for place in ("nvidia/*/bin", "triton/backends/nvidia/bin") for path in pathlib.Path(site).glob(f"{place}/{name}")]
    for path in filter(None, [shutil.which(name), *map(str, wheels)]):
        if knows in subprocess.run([path, "--help"], capture_output=True, text=True).stdout:
            return path
    sys.exit(f"no {name} {knows}: pip install triton")


def moved(opcode):
    """How many bytes of global memory an instruction moves."""
    parts = opcode.split(".")
    if parts[0] not in ("LDG", "STG", "LDGSTS", "LD", "ST"):
        return 0
    return next((WIDTHS[p] for p in parts[1:] if p in WIDTHS), 4)


def main_loop(code, products):
    """Arithmetic, instructions, those of float64, conversions, bytes and accesses of local memory of a kernel's main loop, or of all code where there is no
    loop: where there are tensor cores' instructions, the loop that has most of them for its length; of other products, the innermost with the most
    arithmetic; and else, of loops that move memory, one that has vectors, since tails and strides are of few elements, and, where there is one, no loop
    within it, as it has for operands that are not contiguous."""
    found = []
    for at, opcode, operands in code:
        target = re.search(r"\b0x([0-9a-f]+)\s*$", operands)
        if opcode.split(".")[0] == "BRA" and target and int(target.group(1), 16) < at:
            found.append((int(target.group(1), 16), at))

    def inner(loops):
        return [l for l in loops if not any(m != l and l[0] <= m[0] and m[1] <= l[1] for m in loops)]

    def count(first, last):
        ops = [opcode for at, opcode, _ in code if first <= at <= last and not opcode.startswith("NOP")]
        arithmetic, doubles, conversions = (sum(bool(kind.match(o)) for o in ops) for kind in (ARITHMETIC, DOUBLE, CONVERSION))
        return arithmetic, len(ops), doubles, conversions, sum(map(moved, ops)), sum(o.split(".")[0] in ("LDL", "STL") for o in ops)

    def density(loop):
        ops = [opcode for at, opcode, _ in code if loop[0] <= at <= loop[1]]
        return sum(o.split(".")[0] in ("HMMA", "DMMA", "HGMMA", "IGMMA", "UTCHMMA", "IMMA") for o in ops) / len(ops)

    densest = max(found, key=density, default=None)
    if densest and density(densest) > 0:
        return count(*densest)
    if not products and (moving := inner([l for l in found if count(*l)[4] > 0])):
        vectors = max(count(*l)[4] for l in moving) / 2
        wide = [l for l in moving if count(*l)[4] >= vectors]
        simple = [l for l in wide if l in inner(found)]
        return max((count(*l) for l in simple or wide), key=lambda c: (c[4], c[0], c[1]))
    return max((count(*l) for l in inner(found)), key=lambda c: (c[0], c[4], c[1]), default=count(0, code[-1][0] if code else 0))


def loops(cuobjdump, cubin, products):
    """The main loop of each kernel of a file of machine code."""
    text = subprocess.run([cuobjdump, "-sass", cubin], capture_output=True, text=True, check=True).stdout
    found = {}
    for part in text.split("Function : ")[1:]:
        code = [(int(m.group(1), 16), m.group(2), m.group(3)) for m in map(INSTRUCTION.match, part.splitlines()) if m]
        found[part.split(None, 1)[0]] = main_loop(code, products)
    return found


def assemble(tools, name, text, gpu, read):
    """The figures of a module's kernels on a GPU, static shared memory apart, and what the assembler complains of."""
    suffix = re.search(r"^\.target sm_\d+(\w?)", text, re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        pathlib.Path(source).write_text(text)
        run = subprocess.run([tools[0], "-v", f"-arch=sm_{gpu}{suffix}", source, "-o", cubin], capture_output=True, text=True)
        if run.returncode != 0:
            return {}, [f"{name} for {gpu}: {run.stderr}"]
        spilled = re.search(r"[1-9]\d* bytes stack frame", run.stderr)
        mix = loops(tools[1], cubin, PRODUCTS.match(name)) if read or spilled and gpu not in UNREADABLE else {}
    figures = {}
    for part in run.stderr.split("Compiling entry function '")[1:]:
        kernel = part[: part.index("'")]
        stack, spills = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", part).groups()
        registers = re.search(r"Used (\d+) registers", part).group(1)
        shared = re.search(r"(\d+) bytes smem", part)
        figure = registers + (f"+{max(int(stack), int(spills))}" if stack != "0" else "")
        if kernel in mix:
            arithmetic, instructions, doubles, conversions, bytes_, local = mix[kernel]
            figure += f":{arithmetic}/{instructions}" + (f"/{doubles}/{conversions}" if doubles or conversions else "")
            figure += f":{bytes_}" + (f":{local}" if local else "")
        figures[kernel] = figure, shared.group(1) if shared else "0"
    return figures, [f"{name} for {gpu}: wgmma in turns: {run.stderr}"] * ("C75" in run.stderr)


def runs(target, gpu):
    """Whether a module for a target runs on a GPU: that of sm_90a on 9.0 alone, that of sm_100f on its family."""
    least, of = re.fullmatch(r"sm_(\d+)([af]?)", target).groups()
    return gpu == int(least) if of == "a" else gpu >= int(least) and (of == "" or gpu // 10 == int(least) // 10)


def section(tools, name, text, others=()):
    """A module's lines, and complaints: of the GPUs that stand for their generation, or of others."""
    target = re.search(r"^\.target (\w+)", text, re.M).group(1)
    of, complaints = {}, []
    older = next((older for family, older in OLDER.items() if name.startswith(family)), None)
    gpus, unread = older or GPUS[target], UNREADABLE if older else UNREAD.get(target, [])
    if others:
        gpus = unread = [gpu for gpu in others if runs(target, gpu) and not (older and gpu > max(older))]
    for gpu in gpus:
        figures, wrong = assemble(tools, name, text, gpu, gpu not in unread)
        complaints += wrong
        for kernel, (figure, shared) in figures.items():
            line, _ = of.setdefault(kernel, ([], shared))
            line.append(figure)
    alike = {}
    for kernel, (line, shared) in of.items():
        alike.setdefault(" ".join([*line, shared]), []).append(kernel)
    head = f"{name} {target} {','.join(map(str, gpus))} {digest(text)}"
    return [head, *(f"\t{' '.join(kernels)} = {line}" for line, kernels in alike.items())], complaints


def unpacked():
    """The text of each module by its name, in the order of names: a file has those of a family, each after a line with its name."""
    texts = "".join(lzma.decompress(packed.read_bytes()).decode() for packed in PTX.glob("*.ptx.lzma"))
    return dict(sorted(module.split("\n", 1) for module in texts.split("// ")[1:]))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def sections(text):
    """The lines of each module of the file, by its name."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith("\t"):
            lines = found.setdefault(line.split()[0], [])
        lines.append(line)
    return found


def judge(lines, tuned):
    """What is wrong with a module's figures."""
    for line in lines[1:]:
        kernels, figures = line.strip().split(" = ")
        for gpu, figure in zip(lines[0].split()[2].split(","), figures.split()):
            if "+" in figure:
                yield ("tuned, " if tuned else "") + f"local memory: {kernels} for {gpu}: {figure}"
            least = next((share for names, share in LEAST if names.match(kernels)), 0)
            if mix := re.search(r":(\d+)/(\d+)[:/]", figure):
                if int(mix.group(1)) < least * int(mix.group(2)):
                    yield f"less arithmetic than {least:.0%}: {kernels} for {gpu}: {figure}"


def main():
    tools = tool("ptxas", "'sm_60'"), tool("cuobjdump", "-sass")
    old = sections(FIGURES.read_text() if FIGURES.exists() else "")
    modules = unpacked()
    others = [int(gpu) for gpu in sys.argv[sys.argv.index("--on") + 1].split(",")] if "--on" in sys.argv else []
    again = [name for name, text in modules.items() if others or "--all" in sys.argv or digest(text) != old.get(name, [""])[0].split(" ")[-1]]
    lines, bad, done = [], [], {}
    with concurrent.futures.ThreadPoolExecutor(4 * os.cpu_count()) as pool:
        for name, found in zip(again, pool.map(lambda n: section(tools, n, modules[n], others), again)):
            done[name] = found
            print(name, file=sys.stderr)
    for name, module in modules.items():
        own, complaints = done.get(name) or (old[name], [])
        lines += own
        bad += complaints + list(judge(own, TUNED.search(module) or "sm_60" not in own[0]))
    print("\n".join(bad))
    text = HEAD + "\n".join(lines) + "\n"
    if others:
        sys.exit(any(b.startswith("tuned") or not b.startswith("local") for b in bad))
    stale = text != (FIGURES.read_text() if FIGURES.exists() else "")
    if "--write" in sys.argv:
        FIGURES.write_text(text)
    elif stale:
        print(f"{FIGURES} is not of these kernels: --write")
    sys.exit(any(b.startswith("tuned") or not b.startswith("local") for b in bad) or stale and "--write" not in sys.argv)


if __name__ == "__main__":
    main()
