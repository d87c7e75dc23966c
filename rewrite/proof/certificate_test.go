package proof_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/processor"
	"frechet/internal/programs"
)

// certificate derives a program and gives the proof, "" where the derivation is too long.
func certificate(t require.TestingT, src string) []byte {
	f := parseAny(t, src)
	d, err := f.Steps(f.Wrt()...)
	if frechet.ErrorKind(err) == "limit" {
		return nil
	}
	require.NoError(t, err, src)
	var b bytes.Buffer
	require.NoError(t, d.Certificate(&b), src)
	return b.Bytes()
}

func parseAny(t require.TestingT, src string) *frechet.Func {
	f, err := frechet.Parse(src)
	require.NoError(t, err, src)
	return f
}

func replayed(cert []byte) (*frechet.ReplaySummary, error) {
	return frechet.Replay(context.Background(), bytes.NewReader(cert))
}

// The certificates of the paper's examples replay.
func TestCertificates(t *testing.T) {
	files, err := filepath.Glob("../../testdata/steps/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			cert := certificate(t, string(ar.Files[0].Data))
			sum, err := replayed(cert)
			require.NoError(t, err)
			t.Logf("%d steps, %d bytes", sum.Steps, len(cert))
		})
	}
}

// A part of the sum that a step takes a factor out of is a sum in another term, and is rewritten there.
func TestCertificateOfSharedParts(t *testing.T) {
	_, err := replayed(certificate(t, `declare x0[n] T1[k,n,k] s2[] s3[]
		let p0 = ((x0 *(b,aba->) T1) + (s2 / (s3^2 + 2))) + s2
		let p1 = (-(s3 + p0)) + s3
		expression (((p0 / (p1^2 + 1.5)) * sin(s2)) / (arctan((-s2))^2 + 3)) + p1`))
	require.NoError(t, err)
}

// What a checker that expands everything, or knows one form of each product only, does not follow.
func TestCertificatesByTheWay(t *testing.T) {
	for what, src := range map[string]string{
		"an inverse of a quotient under a guard": "declare x[n] y[n] expression sum(x .* log(x ./ y))",
		"a sum over itself":                      "declare w[n] let p = w/sum(w) expression -sum(p .* log(p))",
		"a root of an inverse square":            "declare x[] expression (x^(-2))^0.5",
		"a symmetric sum of sums":                "declare W[n,n] x[n] expression x'*(diag(W*ones(n)) - W)*x",
		"products with many equal factors":       "declare A[n,n] X[n,d] W[d,k] let D = diag((A*ones(n))^(-1/2)) expression norm2(D*A*D*X*W)^2",
		"a number among long terms": "declare a 0 s0 0 s1 0 s2 0 s3 0 s4 0 let e1 = s0^0.5 + log(s0) / a - a *(,->) a " +
			"let e2 = s1^0.5 + log(s1) / e1 - e1 *(,->) e1 let e3 = s2^0.5 + log(s2) / e2 - e2 *(,->) e2 " +
			"let e4 = s3^0.5 + log(s3) / e3 - e3 *(,->) e3 expression s4^0.5 + log(s4) / e4 - e4 *(,->) e4 derivative wrt a",
		"numbers in matrices":               "declare A[n,n] b[n] expression det(2*A') + log(det(3*A')) + b'*inv(-2*A)*solve(-2*A', b) + det(inv(3*A)) + tr(adj(inv(3*A)))",
		"differences that meet":             "declare A[n,n] B[n,n] x[n] expression x'*inv(A - B)*x + tr(exp(inv(B - A)) + A) derivative wrt x",
		"cofactors of a symmetric matrix":   "declare A[m,n] s[] expression 2*s*pi*det(eye(n) + A'*A) + sum(sin(n*A/n)) derivative wrt A",
		"powers of norms":                   "declare x[n] expression norm2(x)^3*(x'*x) + norm2(2*x)/(x'*x) + (x'*x)^1.5 derivative wrt x",
		"a factor of what cancels":          "declare x 1 expression x / x derivative wrt x",
		"a map with a derivative in it":     "declare x[2] L : R[2] -o R[2] = D(power[2])(x)",
		"a Gram matrix of columns":          "declare x[n] y[n] expression inv([x, y]'*[x, y])",
		"a function of a slice":             "declare T[a,b,c] expression exp(T[0, :, 1:])",
		"two columns":                       "declare A[n,m] expression A[:, 0]'*exp(A[:, 1])",
		"products of symmetric matrices":    "declare A[n,n] let S = A*A' let R = S*S*S let Q = R*S*R expression tr(Q*R*Q*Q*S) derivative wrt A",
		"what is made again in many places": "declare x[n] s[] let u = s * (log(1 + exp(x)) ./ (x .^ 2 + 1))[::-1] let v = u[::-1] - exp(u) let w = stack(v, x, axis=0) expression sum((sum(x) * w)[:, 1]) derivative wrt s",
	} {
		_, err := replayed(certificate(t, src))
		require.NoError(t, err, what)
	}
}

// maxReplayRatio bounds the time of a replay by that of the derivation, its text included.
const maxReplayRatio = 3.0

// Replaying costs at most a fixed multiple of deriving.
func TestReplayCost(t *testing.T) {
	src := networkProgram(t)
	cert := certificate(t, src)
	best := func(work func()) time.Duration {
		least := time.Hour
		for range 5 {
			start := time.Now()
			work()
			least = min(least, time.Since(start))
		}
		return least
	}
	derive := best(func() {
		f := parseAny(t, src)
		_, err := f.Steps(f.Wrt()...)
		require.NoError(t, err)
	})
	replay := best(func() {
		_, err := replayed(cert)
		require.NoError(t, err)
	})
	t.Logf("derived in %v, replayed in %v", derive, replay)
	require.Less(t, replay.Seconds(), maxReplayRatio*derive.Seconds())
}

func BenchmarkDerive(b *testing.B) {
	src := networkProgram(b)
	for b.Loop() {
		f := parseAny(b, src)
		_, err := f.Steps(f.Wrt()...)
		require.NoError(b, err)
	}
}

// BenchmarkReplay checks what BenchmarkDerive derives.
func BenchmarkReplay(b *testing.B) {
	cert := certificate(b, networkProgram(b))
	for b.Loop() {
		_, err := replayed(cert)
		require.NoError(b, err)
	}
}

func networkProgram(t require.TestingT) string {
	ar, err := txtar.ParseFile("../../testdata/steps/network3.txtar")
	require.NoError(t, err)
	return string(ar.Files[0].Data)
}

// A replay ends with its context, wherever it is.
func TestReplayStops(t *testing.T) {
	cert := certificate(t, networkProgram(t))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := frechet.Replay(ctx, bytes.NewReader(cert))
	require.ErrorIs(t, err, context.Canceled)
	ctx, stop = context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	_, err = frechet.Replay(ctx, bytes.NewReader(cert))
	require.Equal(t, "limit", frechet.ErrorKind(err), "%v", err)
}

// Certificates whose terms are short as JSON and long as terms are refused at once.
func TestReplayHostile(t *testing.T) {
	many := func(n int, item string) (out string) {
		for i := range n {
			out += strings.ReplaceAll(strings.ReplaceAll(item, "@", strconv.Itoa(i)), "#", strconv.Itoa(i+1))
		}
		return out
	}
	sum := "a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z"
	for name, tables := range map[string]string{
		"tensors and axes of one space": `"values": [], "nodes": [], "maps": [{"op": "id", "dom": {"shape": ["n"]}}` + many(60, `, {"op": "pair", "maps": [@, @]}`) + `]`,
		"axes of one tensor":            `"values": [], "nodes": [], "maps": [{"op": "id", "dom": {"shape": ["n"]}}` + many(2000, `, {"op": "copower", "maps": [@], "power": ["n"]}`) + `]`,
		"terms of one size": `"values": [], "maps": [], "nodes": [{"op": "var", "name": "q", "shape": ["` + strings.Repeat(sum+`", "`, 29) + sum + `"]}` +
			many(29, `, {"op": "merge", "args": [@]}`) + `]`,
	} {
		start := processor.Time()
		_, err := replayed([]byte(`{"format": "frechet certificate", "version": 1, "parts": [], ` + tables + `}`))
		require.ErrorContains(t, err, name)
		require.Equal(t, "limit", frechet.ErrorKind(err))
		require.Less(t, processor.Time()-start, 5*time.Second)
	}
}

// FuzzReplay: no certificate makes the checker panic or run on.
func FuzzReplay(f *testing.F) {
	for _, cert := range smallCertificates(f) {
		f.Add(cert)
	}
	f.Add([]byte(`{"format": "frechet certificate", "version": 1}`))
	f.Fuzz(checkHostile)
}

// FuzzReplayTokens does the same with certificates that are still JSON: an edit puts a number or text
// of a certificate, or a number that may be wrong anywhere, in the place of another.
func FuzzReplayTokens(f *testing.F) {
	certs := smallCertificates(f)
	for i := range certs {
		f.Add(uint8(i), []byte{0, 0, 0, 0, 1, 0, 2, 0})
		f.Add(uint8(i), []byte("\x40\x00\xff\xff\x20\x00\x80\x00\x90\x00\xfe\xff"))
	}
	token := regexp.MustCompile(`-?[0-9]+|"[^"]*"`)
	wrong := []string{"-1", "0", "1", "64", "4096", "9223372036854775807", `"-2"`, `"n*n"`, `""`, "null"}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		cert := certs[int(which)%len(certs)]
		places := token.FindAllIndex(cert, -1)
		tokens := make([]string, len(places))
		for i, p := range places {
			tokens[i] = string(cert[p[0]:p[1]])
		}
		for ; len(edits) >= 4; edits = edits[4:] {
			at, by := int(edits[0])|int(edits[1])<<8, int(edits[2])|int(edits[3])<<8
			if by >= 1<<16-len(wrong) {
				tokens[at%len(tokens)] = wrong[1<<16-1-by]
			} else {
				tokens[at%len(tokens)] = string(cert[places[by%len(places)][0]:places[by%len(places)][1]])
			}
		}
		var b []byte
		end := 0
		for i, p := range places {
			b = append(append(b, cert[end:p[0]]...), tokens[i]...)
			end = p[1]
		}
		checkHostile(t, append(b, cert[end:]...))
	})
}

func checkHostile(t *testing.T, cert []byte) {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	_, err := frechet.Replay(ctx, bytes.NewReader(cert))
	if kind := frechet.ErrorKind(err); kind == "internal" || ctx.Err() != nil {
		t.Fatal(err, string(cert))
	}
}

// smallCertificates are short: a fuzzer gets on with them.
func smallCertificates(f *testing.F) (certs [][]byte) {
	for _, src := range []string{
		"declare x[n] expression x'*x derivative wrt x",
		"declare x 0 expression log(x) derivative wrt x",
		"h(x) : R -> R = ln",
	} {
		certs = append(certs, small(f, certificate(f, src)))
	}
	return certs
}

// small is a certificate without white space.
func small(f *testing.F, cert []byte) []byte {
	var b bytes.Buffer
	require.NoError(f, json.Compact(&b, cert))
	return b.Bytes()
}

// A sum of shared and transposed terms has one orientation, to which the steps lead.
func TestStepsOfSharedSumsEnd(t *testing.T) {
	for _, src := range []string{
		"declare A[n,n] B[n,n] C[n,n] expression (exp(A) + exp(B)) ./ (exp(A) + exp(B) + exp(B') + exp(C)) derivative wrt A",
		"declare A[n,n] B[n,n] expression (exp(A) + exp(B)) ./ (exp(A) + exp(B) + exp(B') + 1) derivative wrt A",
		"declare A[n,n] C[n,n] expression (exp(A) + 2) ./ (exp(A) + 2 + exp(A') + exp(C)) derivative wrt A",
	} {
		_, err := parseAny(t, src).Steps("A")
		require.NoError(t, err, src)
	}
}

// A function that commutes has its operands in one order, whatever steps made of them, and takes the transpose
// of either; symmetric operands, cofactors of symmetric matrices among them, have none.
func TestCertificatesOfOperandsInEitherOrder(t *testing.T) {
	for _, src := range []string{
		"declare x[n] a[] expression max(sum(x + x), 1) + a derivative wrt a",
		"declare x[n] a[] expression logaddexp(norm2(3*x - 2*x), sin(a)) derivative wrt a",
		"declare x[n] a[] expression min(exp(sum(x - x) + a), 1) derivative wrt a",
		"declare A[n,n] B[n,n] expression sum(logaddexp(A*B, adj(B)), axis=1) derivative wrt A",
		"declare x[n] B[n,n] expression sum(max(diag(x), B'), axis=1) derivative wrt x",
		"declare x[n] B[n,n] expression sum(log(exp(diag(x)) + exp(B') + 1), axis=1) derivative wrt x",
		"declare x[n] B[n,n] expression log(exp(x) + exp(diag(B)) + 1) derivative wrt x",
		"declare A[n,n] expression adj(A*A') derivative wrt A",
		"declare A[n,n] expression sin(adj(adj(A + A'))) derivative wrt A",
		"declare A[k,m] expression max(exp(A)') derivative wrt A",
		"declare A[k,m] b[] expression sum(min(exp(A)', b)*(A .* b)) derivative wrt A",
		"declare y[k] let r = min(y .* y, y) expression sum(y - r / r) * sum(sin(y)) derivative wrt y",
		"declare x[n] y[n] A[n,n] s[] expression (s*sum(x)*sum(y)*A*x)^9 derivative wrt x",
		"declare x[4] f[j:4] = ([2*j < 1] * cos(x[j]) - x[3 - j])^2 derivative wrt x",
		"declare x[6] f[j:5] = (x[j + 1] - [j >= 2] * sin(x[5 - j]) * x[j - 2])^3 derivative wrt x",
		"declare A[k,m] let r = logaddexp(A' .* A', A') expression sum((2*r / r)^3 .* A') derivative wrt A",
		"declare y[m] let v = sigmoid(y) expression tanh(sum([v; 1; v ./ (1 + v.*v)])) derivative wrt y",
	} {
		cert := certificate(t, src)
		require.NotNil(t, cert, src)
		_, err := replayed(cert)
		require.NoError(t, err, src)
	}
}

var (
	randomCertificates = flag.Int("certificates", 200, "how many random programs have certificates that are replayed")
	firstCertificate   = flag.Int("first-certificate", 0, "the seed of the first of these programs")
)

// The certificates of random graphs of shared values, slices, blocks and folds replay.
func TestCertificatesOfLets(t *testing.T) {
	for i := range *randomCertificates / 5 {
		r := rand.New(rand.NewPCG(uint64(*firstCertificate+i), 1))
		src := programs.DrawLets(r, 1+r.IntN(16))
		_, err := replayed(certificate(t, src))
		require.NoError(t, err, src)
	}
}

// The certificates of random programs replay.
func TestCertificatesOfRandomPrograms(t *testing.T) {
	count := *randomCertificates
	if testing.Short() {
		count = 50
	}
	draw := rapid.Custom(func(t *rapid.T) *programs.Program {
		if rapid.Bool().Draw(t, "all") {
			return programs.DrawAll(t, map[string]int64{"1": 1, "2": 2, "k": 2, "m": 3})
		}
		return programs.Draw(t, true)
	})
	long := 0
	for i := range count {
		p := draw.Example(*firstCertificate + i)
		cert := certificate(t, p.Text())
		if cert == nil {
			long++
			continue
		}
		_, err := replayed(cert)
		require.NoError(t, err, p.Text())
	}
	require.LessOrEqual(t, long, count/50, "derivations of more than the limit of steps")
}
