package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/serving"
)

// gate is a decoder that waits in each step until it may go on.
type gate struct {
	models.Decoder
	entered, open chan struct{}
}

func (g *gate) Read(ids *tensor.Tensor, past nn.Past) *tensor.Tensor {
	g.entered <- struct{}{}
	<-g.open
	return g.Decoder.Read(ids, past)
}

// newGate returns a server whose model waits.
func newGate(t *testing.T, o serving.Options) (*Server, *gate) {
	t.Helper()
	g := &gate{decoder(t), make(chan struct{}, 10000), make(chan struct{}, 10000)}
	g.open <- struct{}{} // for the step that measures the model
	s := newServer(t, g, o)
	<-g.entered
	return s, g
}

// serveOn answers on a free port until stop is called; ended tells how it ended.
func serveOn(t *testing.T, s *Server, grace time.Duration) (url string, stop context.CancelFunc, ended chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, grace) }()
	return "http://" + l.Addr().String(), cancel, ended
}

const body = `{"model": "tiny", "prompt": "the king", "max_tokens": 5}`

// TestEndFinishesWhatRuns ends a server while requests run and wait: both get their answers, and nobody else is heard.
func TestEndFinishesWhatRuns(t *testing.T) {
	s, g := newGate(t, serving.Options{Sequences: 1})
	url, stop, ended := serveOn(t, s, time.Hour)
	answers := make(chan int, 2)
	for range 2 {
		go func() { status, _ := askText(t, url+"/v1/completions", body); answers <- status }()
	}
	<-g.entered
	for st := s.Engine.Stats(); st.Running+st.Waiting < 2; st = s.Engine.Stats() {
		runtime.Gosched()
	}
	stop()
	for refused := false; !refused; {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if refused = err != nil; !refused {
			c.Close()
		}
	}
	close(g.open)
	for range 2 {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("a request that was under way got %d", status)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.ready(nopWriter{}, nil); err != nil || !s.draining.Load() {
		t.Error("a server that ends says that it is ready")
	}
}

type nopWriter struct{}

func (nopWriter) Header() http.Header         { return http.Header{} }
func (nopWriter) Write(b []byte) (int, error) { return len(b), nil }
func (nopWriter) WriteHeader(int)             {}

// TestEndCutsOff ends a server whose request does not end.
func TestEndCutsOff(t *testing.T) {
	s, g := newGate(t, serving.Options{})
	url, stop, ended := serveOn(t, s, time.Millisecond)
	gone := make(chan error, 1)
	go func() {
		r, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
		if err == nil {
			r.Body.Close()
		}
		gone <- err
	}()
	<-g.entered
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("the end is %v", err)
	}
	<-gone
	close(g.open)
}

// TestFullQueue answers 429 where too many wait, and 503 where one has waited too long.
func TestFullQueue(t *testing.T) {
	s, g := newGate(t, serving.Options{Sequences: 1, Queue: 1, Wait: time.Nanosecond})
	url := listen(t, s) + "/v1/completions"
	statuses := make(chan string, 2)
	send := func() {
		var got refused
		status := ask(t, url, body, &got)
		statuses <- fmt.Sprint(status, got.Error.Code)
	}
	go send()
	<-g.entered
	go send()
	for s.Engine.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	var got refused
	if status := ask(t, url, body, &got); status != http.StatusTooManyRequests || got.Error.Code != "rate_limit_exceeded" {
		t.Errorf("a request too many: %d %+v", status, got)
	}
	close(g.open)
	seen := map[string]bool{<-statuses: true, <-statuses: true}
	if !seen["200"] || !seen["503overloaded"] {
		t.Errorf("those before it: %v", seen)
	}
}

// TestTimeLimit ends a request that takes too long.
func TestTimeLimit(t *testing.T) {
	s, g := newGate(t, serving.Options{})
	s.Limits = Limits{Time: time.Millisecond}
	var got refused
	if status := ask(t, listen(t, s)+"/v1/completions", body, &got); status != http.StatusGatewayTimeout || got.Error.Code != "timeout" {
		t.Errorf("%d %+v", status, got)
	}
	close(g.open)
}

// TestClientsThatLeave stop being written for, and their room in the cache is free behind the step at hand.
func TestClientsThatLeave(t *testing.T) {
	s, g := newGate(t, serving.Options{})
	h, finished := s.Handler(), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		finished <- struct{}{}
	}))
	defer server.Close()
	for _, stream := range []string{"false", "true"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/completions",
			strings.NewReader(`{"model": "tiny", "prompt": "a", "max_tokens": 60, "n": 3, "stream": `+stream+`}`))
		if err != nil {
			t.Fatal(err)
		}
		left := make(chan struct{})
		go func() {
			defer close(left)
			if r, err := http.DefaultClient.Do(request); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}()
		<-g.entered
		g.open <- struct{}{}
		<-g.entered
		cancel()
		<-left
		<-finished
		g.open <- struct{}{} // for the step at hand: there is no other
		for st := s.Engine.Stats(); st.Running > 0 || st.CacheInUse > 0; st = s.Engine.Stats() {
			runtime.Gosched()
		}
	}
}

// TestRudeClients send half a request, nothing, garbage and bodies without end, and are cut off; others are answered meanwhile.
func TestRudeClients(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	s.Limits = Limits{Silence: 400 * time.Millisecond, Body: 1000}
	url, stop, ended := serveOn(t, s, time.Hour)
	const post = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for text, want := range map[string]string{
		post + "Content-Length: 500\r\n\r\n{\"model\": ":                                     "408",
		post + "Content-Length: 99999999999\r\n\r\n" + strings.Repeat("a", 5000):             "413",
		post + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n":                            "408",
		post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n":                                    "408",
		post + "Content-Length: -1\r\n\r\n":                                                  "400",
		"\x16\x03\x01\x00\xa5":                                                               "400",
		"GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("b", 2*headerBytes) + "\r\n\r\n": "431",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil && want != "431" {
			t.Error(err)
		}
		if want == "400" {
			c.(*net.TCPConn).CloseWrite()
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		if !strings.Contains(line, want) {
			t.Errorf("%.90q gets %q, %v, not %s", text, line, err, want)
		}
		c.Close()
		if status, _ := askText(t, url+"/v1/completions", body); status != http.StatusOK {
			t.Errorf("behind %.90q: %d", text, status)
		}
	}
	stop()
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
