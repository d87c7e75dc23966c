"""Runs exported scripts: a request a line, {"target", "code", "points"}, an answer a line. The target is sqlite, duckdb or postgres."""
import base64
import itertools
import json
import os
import re
import sys

import numpy as np


class Cursor:
    """A cursor of psycopg2, with the calls of the other two."""

    def __init__(self, cursor):
        self.cursor = cursor

    def execute(self, text, values=None):
        self.cursor.execute(text.replace("?", "%s") if values else text, values)
        return self.cursor

    def executemany(self, text, rows):
        self.cursor.executemany(text.replace("?", "%s"), rows)


def connect(target):
    if target == "duckdb":
        import duckdb
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        return connection
    if target == "postgres":
        import psycopg2
        connection = psycopg2.connect(os.environ["FRECHET_POSTGRES"])
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("DROP SCHEMA IF EXISTS exported CASCADE; CREATE SCHEMA exported; SET search_path = exported")
        return Cursor(cursor)
    import sqlite3
    return sqlite3.connect(":memory:", isolation_level=None)


def fill(connection, name, array):
    columns = "".join(f"i{k} BIGINT, " for k in range(array.ndim))
    connection.execute(f"CREATE TABLE {name} ({columns}v DOUBLE PRECISION)")
    rows = [(*map(int, index), float(array[index])) for index in itertools.product(*map(range, array.shape)) if array[index] != 0]
    if rows:
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (array.ndim + 1))})", rows)


def tables(code):
    """The names of the tables of arguments and of results, as the script has them."""
    heads = re.findall(r'^--     (".*?"): |^-- (Results:)', code, re.M)
    names = [name or None for name, _ in heads]
    return names[:names.index(None)], names[names.index(None) + 1:]


def run(target, code, point):
    connection = connect(target)
    arguments, results = tables(code)
    connection.execute("CREATE TABLE sizes (name TEXT, size BIGINT)")
    for name, size in point["sizes"].items():
        connection.execute("INSERT INTO sizes VALUES (?, ?)", (name, size))
    for name, a in zip(arguments, point["args"]):
        fill(connection, name, np.frombuffer(base64.b64decode(a["data"])).reshape(a["shape"]))
    for statement in re.sub(r"^--.*\n", "", code, flags=re.M).split(";\n"):
        if statement.strip():
            connection.execute(statement)
    out = []
    for name, shape in zip(results, point["shapes"]):
        dense = np.zeros(shape)
        for *index, v in connection.execute(f"SELECT * FROM {name}").fetchall():
            dense[tuple(map(int, index))] += np.nan if v is None else v
        out.append({"shape": list(shape), "data": base64.b64encode(dense.tobytes()).decode()})
    return {"results": out}


for line in sys.stdin:
    request = json.loads(line)
    points = []
    for point in request["points"]:
        try:
            points.append(run(request["target"], request["code"], point))
        except Exception as e:
            points.append({"error": f"{type(e).__name__}: {e}"})
    print(json.dumps({"points": points}), flush=True)
