"""Calls exported C functions of a library: a request a line, {"name", "params", "points"}, an answer a line."""
import base64
import ctypes
import json
import math
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])


def call(request, point):
    def of(table, name):
        while name not in table:
            name = name[:-1]  # a reserved name got underscores
        return table[name]

    kept, args = [], []
    for p in request["params"]:
        if p["kind"] == "size":
            args.append(ctypes.c_long(of(point["sizes"], p["name"])))
            continue
        x = np.frombuffer(base64.b64decode(of(point["args"], p["name"])["data"])).copy()
        kept.append(x)
        args.append(ctypes.c_double(x[0]) if p["kind"] == "number" else ctypes.c_void_p(x.ctypes.data))
    results = []
    for shape in point["shapes"]:
        y = np.full(math.prod(shape) + 2, -12345.0)  # numbers behind the end that must stay as they are
        results.append(y)
        args.append(ctypes.c_void_p(y.ctypes.data))
    status = getattr(library, request["name"])(*args)
    if status:
        raise ValueError(f"status {status}")
    for y in results:
        if (y[-2:] != -12345.0).any():
            raise ValueError("written beyond the end of a result")
    return [{"shape": s, "data": base64.b64encode(y[:-2].tobytes()).decode()} for s, y in zip(point["shapes"], results)]


for line in sys.stdin:
    request = json.loads(line)
    points = []
    for point in request["points"]:
        try:
            points.append({"results": call(request, point)})
        except Exception as e:
            points.append({"error": f"{type(e).__name__}: {e}"})
    print(json.dumps({"points": points}), flush=True)
