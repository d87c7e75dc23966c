#!/bin/bash
# Times value, gradient and Hessian of three models beside hand-written numpy and torch, in
# alternating rounds, so that what else the machine does falls on all alike, and prints the
# ratios. ROUNDS and THREADS may be set; an argument limits the run to the problems whose
# names begin so. Nothing is installed.
set -e
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go build -o "$out/hessian" ./bench/hessian
threads=${THREADS:-1}
for round in $(seq 1 "${ROUNDS:-3}"); do
	THREADS=$threads "${PYTHON:-python3}" -W ignore bench/hessian_peer.py "$out" "${1:-}" >"$out/$round.peer.jsonl"
	"$out/hessian" -threads "$threads" -data "$out" -only "${1:-}" >"$out/$round.frechet.jsonl"
done
"${PYTHON:-python3}" bench/hessian_summary.py "$out"/*.jsonl
