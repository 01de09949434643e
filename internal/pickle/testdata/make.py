"""Writes pickles.txt: a line for each value and protocol, with the pickle in hex and the value as Python shows it."""
import pickle
from collections import Counter, OrderedDict

same = [1, 2]
cycle = [1]
cycle.append(cycle)
state = OrderedDict(a=1)
state._metadata = OrderedDict([("", {"version": 1})])
values = [
    None, [True, False], [0, 255, 256, 65535, 65536, -1, 2**31 - 1, -(2**31), 2**31, -(2**63), 2**63, 2**70, -(2**70)],
    [0.5, -0.0, 1e300, float("inf"), 1 + 2j], ["", "é 你", "x" * 300, 'a"b'], [b"\x00\xff", bytearray(b"\x01\xfe"), b""],
    [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], [[], [1], [[[2]]], {}], {"a": 1, 2: "b", (1, "x"): None, 2**70: 1, b"k": 2},
    {i: str(i) for i in range(300)}, OrderedDict([("b", 1), ("a", 2)]), state, {1}, [set()], (same, same), cycle, Counter({5: 2, "a": 1}), Counter(),
]
with open("pickles.txt", "w") as f:
    for v in values:
        for protocol in range(2, 6):
            print(protocol, pickle.dumps(v, protocol).hex(), repr(v), file=f)
