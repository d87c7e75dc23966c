package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// site serves the page for a test.
func site(t *testing.T) *httptest.Server {
	limits := testLimits()
	limits.Time = 5 * time.Second
	s := httptest.NewServer(pageHandler(limits, "localhost:0"))
	t.Cleanup(s.Close)
	return s
}

// post asks a question and gives the status and the answer.
func post(t require.TestingT, url, body string) (int, answer) {
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	var a answer
	if r.StatusCode == http.StatusOK {
		require.NoError(t, json.NewDecoder(r.Body).Decode(&a))
	}
	return r.StatusCode, a
}

func TestPageAnswers(t *testing.T) {
	s := site(t)
	_, a := post(t, s.URL+"/api/derive", `{"program": "x'*A*x", "wrt": ["x"]}`)
	require.Contains(t, a.Output, "(A + A')*x")
	_, a = post(t, s.URL+"/api/derive", `{"program": "sum(x +* y)", "wrt": ["x"]}`)
	require.Equal(t, 7, a.Error.Place.Start)
	for body, want := range map[string]string{`{`: "not understood", `{"program": "x", "out": "y"}`: "unknown field", `[]`: "not understood",
		`{"program": "sum(x)", "values": {"x": "/etc/passwd"}}`: "a number or nested lists"} {
		_, a := post(t, s.URL+"/api/evaluate", body)
		require.NotNil(t, a.Error, body)
		require.Contains(t, a.Error.Message, want)
	}
	_, a = post(t, s.URL+"/api/shell", `{}`)
	require.Contains(t, a.Error.Message, "no service")
}

// TestPageIsClosed: other sites cannot ask, what is too long is refused, and the page loads nothing from elsewhere.
func TestPageIsClosed(t *testing.T) {
	s := site(t)
	status, _ := post(t, s.URL+"/api/derive", `{"program": "`+strings.Repeat("x", servedBytes)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	r, err := http.Post(s.URL+"/api/derive", "text/plain", strings.NewReader(`{}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnsupportedMediaType, r.StatusCode)
	ask, err := http.NewRequest(http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	ask.Host = "example.com"
	r, err = http.DefaultClient.Do(ask)
	require.NoError(t, err)
	require.Equal(t, http.StatusMisdirectedRequest, r.StatusCode)
	r, err = http.Get(s.URL)
	require.NoError(t, err)
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NotContains(t, string(text), "http:")
	require.NotContains(t, string(text), "https:")
}

// TestManyUsers: fifty at once are all answered.
func TestManyUsers(t *testing.T) {
	s := site(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 50 {
		wait.Go(func() {
			status, _ := post(t, s.URL+"/api/hessian", `{"program": "sum(exp(X*w))", "wrt": ["w"]}`)
			mu.Lock()
			statuses[status]++
			mu.Unlock()
		})
	}
	wait.Wait()
	require.Equal(t, map[int]int{http.StatusOK: 50}, statuses)
}

// TestLongRequestEnds: a request whose reader leaves ends, and does not hold up the next one.
func TestLongRequestEnds(t *testing.T) {
	s := site(t)
	slow := `{"program": "declare x[n] expression ` + strings.Repeat("sin(x .* ", 2000) + "x" + strings.Repeat(")", 2000) + `", "wrt": ["x"], "order": 3}`
	for range 2 * servedAtOnce {
		ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
		ask, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/derive", strings.NewReader(slow))
		require.NoError(t, err)
		ask.Header.Set("Content-Type", "application/json")
		if r, err := http.DefaultClient.Do(ask); err == nil {
			_ = r.Body.Close()
		}
		stop()
	}
	status, a := post(t, s.URL+"/api/derive", `{"program": "sum(x .^ 2)", "wrt": ["x"]}`)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, a.Output, "2*x")
}

// TestStaticPage: the site that is exported is the page with the program in a worker; no file of it is large.
func TestStaticPage(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writePage(dir))
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(text), `data-engine="wasm"`)
	for _, f := range []string{"app.js", "worker.js", "style.css", "temml.min.js", "LICENSES.txt"} {
		info, err := os.Stat(filepath.Join(dir, f))
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(200_000), f)
	}
}

// browser opens the page in a browser and gives the errors of its console.
func browser(t *testing.T, url string, width, height int64) (context.Context, *[]string) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("NOT RUN: chromium is not there")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	var errs []string
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithListener(func(e any) {
		switch e := e.(type) {
		case *cdpruntime.EventExceptionThrown:
			errs = append(errs, e.ExceptionDetails.Text)
		case *cdpruntime.EventConsoleAPICalled:
			if string(e.Type) == "error" {
				errs = append(errs, string(e.Args[0].Value))
			}
		}
	}))
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(url)))
	return ctx, &errs
}

// A visitor does things on a page, and waits for what they lead to.
type visitor struct {
	*testing.T
	ctx context.Context
}

func (v visitor) do(actions ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	require.NoError(v, chromedp.Do(v.ctx, actions...))
}

func (v visitor) write(program, wrt string) {
	v.Helper()
	for id, text := range map[string]string{"program": program, "wrt": wrt} {
		v.count(`document.querySelector("#` + id + `").value = "", 1`)
		v.do(chromedp.SendKeys("#"+id, text))
	}
}

func (v visitor) until(condition string) {
	v.Helper()
	_, err := chromedp.Run(v.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(30*time.Second)))
	require.NoError(v, err, condition)
}

// count is the value of an expression in the page.
func (v visitor) count(expression string) int {
	v.Helper()
	n, err := chromedp.Run(v.ctx, chromedp.Evaluate[int](expression))
	require.NoError(v, err)
	return n
}

// TestPageInBrowser: a program is typed and its gradient is typeset; a mistake is marked and said; tabs show what they are for; a link
// holds the program; on a phone nothing is wider than the screen.
func TestPageInBrowser(t *testing.T) {
	s := site(t)
	ctx, errs := browser(t, s.URL, 1280, 900)
	v := visitor{t, ctx}
	v.until(`document.querySelectorAll("#panel math").length >= 3`)
	v.write("declare x[n] expression sum(exp(x) .* x)", "x")
	v.until(`document.querySelector("#panel").textContent.includes("exp")`)
	v.write("sum(x +* y)", "x")
	v.until(`!document.querySelector("#error").hidden && document.querySelector("#mirror mark").textContent === "*"`)
	v.write("declare A[n,n] x[n] expression x'*A*x", "x")
	v.until(`document.querySelector("#error").hidden`)
	for tab, want := range map[string]string{"Steps": "D-chain", "Plan": "multiplications", "Check": "It holds", "Code": "import numpy", "Formulas": "Second derivative"} {
		v.do(chromedp.Click("#tab-" + tab))
		v.until(`document.querySelector("#panel").textContent.includes("` + want + `")`)
	}
	v.do(chromedp.Click("#tab-Numbers"), chromedp.WaitVisible("#values"), chromedp.SendKeys("#values", `{"A": [[1, 2], [3, 4]], "x": [1, 1]}`), chromedp.Click("#panel .card > button"))
	v.until(`document.querySelector("#panel").textContent.includes("[ 7, 13]")`)
	v.do(chromedp.SendKeys("#tab-Numbers", kb.ArrowRight)) // tabs by keys
	v.until(`document.activeElement.id === "tab-Code"`)
	v.do(chromedp.Click("#tab-Formulas"))
	link, err := chromedp.Run(ctx, chromedp.Location())
	require.NoError(t, err)
	v.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	program, err := chromedp.Run(ctx, chromedp.Value("#program"))
	require.NoError(t, err)
	require.Equal(t, "declare A[n,n] x[n] expression x'*A*x", program)
	v.until(`document.querySelectorAll("#panel math").length >= 3`)
	require.Zero(t, v.count(`[...document.querySelectorAll("button,input,select,textarea")].filter(e => !e.textContent.trim() && !e.labels?.length && !e.ariaLabel).length`), "controls without a name")
	v.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, name := range []string{"Attention", "Deep net"} {
		v.count(`[...document.querySelectorAll("#gallery button")].find(b => b.textContent === "` + name + `").click(), 1`)
		v.until(`document.querySelector("#status").textContent === "" && document.querySelectorAll("#panel math").length >= 2`)
		require.LessOrEqual(t, v.count(`document.documentElement.scrollWidth`), 390, name)
	}
	require.Empty(t, *errs)
}

// TestPageIsAccessible: axe-core finds nothing serious on any tab, in light and dark, on a screen and on a phone, nor where a mistake is shown.
func TestPageIsAccessible(t *testing.T) {
	home, err := os.UserCacheDir()
	require.NoError(t, err)
	axe, err := os.ReadFile(filepath.Join(home, "frechet-node", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("NOT RUN: npm install --prefix ~/.cache/frechet-node axe-core")
	}
	s := site(t)
	ctx, errs := browser(t, s.URL, 1280, 900)
	v := visitor{t, ctx}
	audit := func(where string) {
		v.count(`window.found = undefined, axe.run().then(r => window.found = r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 120)).join(" | ")).join("\n"), e => window.found = String(e)), 1`)
		v.until(`window.found !== undefined`)
		found, err := chromedp.Run(ctx, chromedp.Evaluate[string](`window.found`))
		require.NoError(t, err)
		require.Empty(t, found, where)
	}
	v.until(`document.querySelectorAll("#panel math").length >= 3`)
	v.count(string(axe) + "; 1")
	shoot := func(name string) {
		dir := os.Getenv("FRECHET_SCREENSHOTS") // a folder for pictures of what is audited
		if dir == "" {
			return
		}
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	}
	for _, size := range []int64{1280, 390} {
		v.do(chromedp.EmulateViewport(size, 844))
		for _, tab := range []string{"Formulas", "Steps", "Plan", "Check", "Numbers", "Code"} {
			v.do(chromedp.Click("#tab-" + tab))
			v.until(`document.querySelector("#status").textContent === "" && document.querySelector("#panel").textContent.length > 20`)
			audit(fmt.Sprintf("%s at %d", tab, size))
			shoot(fmt.Sprintf("%s-%d", tab, size))
		}
	}
	v.do(chromedp.Click("#tab-Formulas"))
	v.write("sum(x +* y)", "x")
	v.until(`!document.querySelector("#error").hidden`)
	audit("a mistake")
	shoot("mistake-390")
	require.Empty(t, *errs)
}

// TestExamplesOfPage: every program of the gallery is derived.
func TestExamplesOfPage(t *testing.T) {
	text, err := pageFiles.ReadFile("page/app.js")
	require.NoError(t, err)
	list, _, ok := strings.Cut(string(text), "];\nconst tabs")
	require.True(t, ok)
	_, list, _ = strings.Cut(list, "const gallery = [")
	list = strings.TrimRight(strings.TrimSpace(list), ",")
	var rows [][3]string
	require.NoError(t, json.NewDecoder(bytes.NewReader([]byte("["+list+"]"))).Decode(&rows))
	for _, row := range rows {
		s, _ := findService("hessian")
		a := s.answer(context.Background(), testLimits(), question{Program: row[1], Wrt: []string{row[2]}, JSON: true, Format: "latex"})
		require.Nil(t, a.Error, "%s: %+v", row[0], a.Error)
	}
}
