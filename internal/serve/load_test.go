package serve

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cresset/internal/mem"
	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/serving"
)

var (
	load    = flag.Duration("load", 0, "how long TestLoad asks; 0 for a few requests")
	clients = flag.Int("clients", 100, "how many ask at once in TestLoad")
)

// asked is a request of the load with the one right answer.
type asked struct{ body, want string }

// TestLoad has many clients ask at once, over the network of this machine, beside rude ones, and wants of each request, whole or streamed, the text that its prompt
// gets alone, and at the end as much memory as before. go test ./internal/serve -run Load -load 60s -v prints figures.
func TestLoad(t *testing.T) {
	m := decoder(t)
	s := newServer(t, m, serving.Options{CacheTokens: 800})
	requests := questions(t, s)
	url, stop, ended := serveOn(t, s, time.Minute)
	var done, streamed, slowest atomic.Int64
	start := time.Now()
	until := start.Add(*load)
	ask := func(random *rand.Rand) {
		q := requests[random.IntN(len(requests))]
		began := time.Now()
		stream := random.IntN(2) == 1
		got := fetch(t, url, q.body, stream)
		if got != q.want {
			t.Errorf("%s, streamed %v: %q, not %q", q.body, stream, got, q.want)
		}
		done.Add(1)
		if stream {
			streamed.Add(1)
		}
		for took := int64(time.Since(began)); took > slowest.Load(); {
			slowest.Store(took)
		}
	}
	var annoyed atomic.Int64
	all := func(until time.Time) {
		var asking sync.WaitGroup
		for i := range 4 {
			asking.Go(func() {
				for annoy(url, i); time.Now().Before(until); i++ {
					annoy(url, i)
					annoyed.Add(1)
				}
			})
		}
		for i := range *clients {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			asking.Go(func() {
				for ask(random); time.Now().Before(until) && !t.Failed(); {
					ask(random)
				}
			})
		}
		asking.Wait()
	}
	all(start.Add(*load / 4))
	before := held()
	all(until)
	after := held()
	took := time.Since(start)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	st := s.Engine.Stats()
	if st.Running+st.Waiting+st.CacheInUse != 0 {
		t.Errorf("behind the last client %+v", st)
	}
	if after > before+before/4+(4<<20) {
		t.Errorf("%d bytes behind the load, %d in its midst", after, before)
	}
	t.Logf("%d clients beside %d rude requests, %.0f s: %d requests, of which %d streamed, %.0f a second, %.0f tokens/s, slowest %v; %d steps, %d texts evicted; %.1f MiB held after a quarter, %.1f at the end",
		*clients, annoyed.Load(), took.Seconds(), done.Load(), streamed.Load(), float64(done.Load())/took.Seconds(), float64(st.Written)/took.Seconds(),
		time.Duration(slowest.Load()).Round(time.Millisecond), st.Steps, st.Evicted, float64(before)/(1<<20), float64(after)/(1<<20))
}

// annoy is a client that sends half a request, garbage, or a request whose stream it leaves.
func annoy(url string, i int) {
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return
	}
	defer c.Close()
	const head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: "
	leaves := body[:len(body)-1] + `, "stream": true}`
	_, _ = io.WriteString(c, []string{head + "5000\r\n\r\n{", "\xff\x00\r\n\r\n", head, head + fmt.Sprint(len(leaves)) + "\r\n\r\n" + leaves}[i%4])
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, _ = c.Read(make([]byte, 100))
}

// questions returns requests, greedy and drawn, with their answers.
func questions(t *testing.T, s *Server) (all []asked) {
	m := decoder(t)
	for i := range 40 {
		prompt := strings.Repeat("the king of the sea ", 1+i%3) + fmt.Sprint(i)
		o := generation.Options{MaxTokens: 20, End: s.Usual.End}
		extra := ""
		if i%2 == 1 {
			o.Temperature, o.TopP, o.Generator = 1.2, 0.9, tensor.NewGenerator(int64(i))
			extra = fmt.Sprintf(`, "temperature": 1.2, "top_p": 0.9, "seed": %d`, i)
		}
		all = append(all, asked{`{"model": "tiny", "max_tokens": 20, "prompt": ` + mustJSON(prompt) + extra, alone(t, m, s.Words, prompt, o)})
	}
	return all
}

// fetch sends a request and returns the text of its answer.
func fetch(t *testing.T, url, body string, stream bool) string {
	if !stream {
		var whole answerJSON
		if status := ask(t, url+"/v1/completions", body+`}`, &whole); status != http.StatusOK || len(whole.Choices) != 1 {
			t.Errorf("%s: %d", body, status)
			return ""
		}
		return *whole.Choices[0].Text
	}
	status, text := askText(t, url+"/v1/completions", body+`, "stream": true}`)
	streamed, done := parts(t, text)
	if status != http.StatusOK || !done {
		t.Errorf("%s: %d, ended %v", body, status, done)
		return ""
	}
	var got strings.Builder
	for _, p := range streamed {
		got.WriteString(*p.Choices[0].Text)
	}
	return got.String()
}

// held returns the bytes that the program holds now.
func held() int64 {
	http.DefaultClient.CloseIdleConnections()
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) + mem.ReadStats().Allocated
}

// TestNothingIsLeftBehind counts goroutines behind servers that ended.
func TestNothingIsLeftBehind(t *testing.T) {
	m := decoder(t)
	before := 0
	for i := range 10 {
		e, err := serving.New(m, serving.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &Server{Name: "tiny", Words: words(t, "bpe"), Engine: e}
		url, stop, ended := serveOn(t, s, time.Minute)
		if status, _ := askText(t, url+"/v1/completions", body); status != http.StatusOK {
			t.Error(status)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		e.Close()
		http.DefaultClient.CloseIdleConnections()
		if i == 0 {
			before = runtime.NumGoroutine()
		}
	}
	for now := runtime.NumGoroutine(); now > before+3; now = runtime.NumGoroutine() { // those of connections end a moment later
		if t.Context().Err() != nil {
			t.Fatalf("%d goroutines, %d behind the first server", now, before)
		}
		runtime.Gosched()
	}
}
