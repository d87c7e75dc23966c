#!/bin/bash
# Times programs in index notation beside numpy and torch, in alternating rounds, so that what
# else the machine does falls on all alike, and prints the ratios. ROUNDS and THREADS may be
# set; an argument limits the run to the cases whose names begin so. Nothing is installed.
set -e
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go build -o "$out/index" ./bench/index
threads=${THREADS:-1}
for round in $(seq 1 "${ROUNDS:-3}"); do
	"$out/index" -threads "$threads" -only "${1:-}" >"$out/$round.frechet.jsonl"
	THREADS=$threads "${PYTHON:-python3}" -W ignore bench/index_peer.py "${1:-}" >"$out/$round.peer.jsonl"
done
"${PYTHON:-python3}" bench/index_summary.py "$out"/*.jsonl
