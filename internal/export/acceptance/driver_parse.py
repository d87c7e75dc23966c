"""Parses exported Julia and MATLAB by their grammars: a request a line, an answer a line.

What is wrong is where the grammar finds an error, and in Julia a name that is read and stands neither for what the file defines nor
for what it uses of others.
"""
import json
import sys

import tree_sitter
import tree_sitter_julia
import tree_sitter_matlab

LANGUAGES = {"julia": tree_sitter_julia, "matlab": tree_sitter_matlab}

# Of Julia's Base.
BASE = set("""size error vec Float64 Number permutedims ndims reshape reverse length isinf isnan isfinite sin cos tan asin acos atan sinh cosh tanh
exp log log1p expm1 abs sqrt sign floor ceil round NaN Inf float isodd enumerate any foldl view sum fill fill! zeros transpose collect
end repeat iseven div mod fld cld setdiff isempty prod allunique cumprod rand maximum max min check init isa inv nothing""".split())


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


def broken(node):
    for n in walk(node):
        if n.is_missing or n.type == "ERROR":
            return f"line {n.start_point[0] + 1}: {n.type} at {n.text.decode()[:60]!r}"
    return ""


def bound(node):
    """The names that a file of Julia gives a meaning to."""
    for n in walk(node):
        at = {"assignment": 0, "for_binding": 0, "signature": 0, "using_statement": None, "arrow_function_expression": 0,
              "named_field": 0, "named_argument": 0, "compound_assignment_expression": 0}
        if n.type in at:
            of = n if at[n.type] is None else n.children[at[n.type]]
            if of.type in ("index_expression", "field_expression"):
                continue
            yield from (i.text.decode() for i in walk(of) if i.type == "identifier")


def unknown(node):
    known = BASE | set(bound(node))
    for n in walk(node):
        if n.type == "identifier" and n.text.decode() not in known and n.parent.type != "field_expression":
            return f"line {n.start_point[0] + 1}: {n.text.decode()} is not defined"
    return ""


for line in sys.stdin:
    request = json.loads(line)
    parser = tree_sitter.Parser(tree_sitter.Language(LANGUAGES[request["target"]].language()))
    root = parser.parse(request["code"].encode()).root_node
    error = broken(root) or (unknown(root) if request["target"] == "julia" else "")
    print(json.dumps({"error": error, "points": []}), flush=True)
