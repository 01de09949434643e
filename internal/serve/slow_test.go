package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"cresset/text/serving"
)

// pipes is a listener whose connections hold nothing: who writes waits until the other side reads.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect returns the client's end of a new connection.
func (p pipes) connect() net.Conn {
	there, here := net.Pipe()
	p <- there
	return here
}

// TestClientsThatDoNotRead are cut off, and what is written for them stops.
func TestClientsThatDoNotRead(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	s.Limits = Limits{Silence: 20 * time.Millisecond}
	p, ended := make(pipes), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- s.Serve(ctx, p, time.Hour) }()
	c := p.connect()
	text := `{"model": "tiny", "prompt": "a", "max_tokens": 60, "n": 8, "stream": true}`
	if _, err := fmt.Fprintf(c, "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		t.Fatal(err)
	}
	for s.Engine.Stats().Written == 0 {
		runtime.Gosched()
	}
	for st := s.Engine.Stats(); st.Running+st.CacheInUse > 0; st = s.Engine.Stats() {
		runtime.Gosched()
	}
	stop() // which waits for the client, were it not cut off
	close(p)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the connection is still there: %v", err)
	}
}

// TestConnectionsAreBounded lets a client in when another has left.
func TestConnectionsAreBounded(t *testing.T) {
	p := make(pipes, 3)
	b := newBounded(p, 1)
	for range 2 {
		p.connect()
	}
	first, err := b.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan net.Conn)
	go func() {
		c, err := b.Accept()
		if err != nil {
			t.Error(err)
		}
		second <- c
	}()
	for range 100 {
		runtime.Gosched()
	}
	if len(p) != 1 {
		t.Error("a second client was let in beside the first")
	}
	first.Close()
	first.Close()
	(<-second).Close()
	if len(b.places) != 0 {
		t.Errorf("%d places are taken by nobody", len(b.places))
	}
}

// TestEndWithAllConnectionsTaken ends a server while its only client does nothing, and the server waits for it to leave.
func TestEndWithAllConnectionsTaken(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	s.Limits = Limits{Connections: 1}
	url, stop, ended := serveOn(t, s, time.Hour)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestFiguresAreTold reads the page of Prometheus.
func TestFiguresAreTold(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	url := listen(t, s)
	askText(t, url+"/v1/completions", body)
	askText(t, url+"/v1/nothing", body)
	text := getText(t, url+"/metrics")
	for _, want := range []string{
		`cresset_http_requests_total{code="200",page="POST /v1/completions"} 1`, `cresset_http_requests_total{code="404",page="other"} 1`,
		`cresset_http_request_seconds_count{page="POST /v1/completions"} 1`, "cresset_first_token_seconds_count 1", "cresset_tokens_written_total 5",
		"cresset_texts_running 0", "cresset_texts_waiting 0", "cresset_cache_tokens 2048", "cresset_cache_tokens_in_use 0", "cresset_cache_bytes 262144",
		"cresset_texts_evicted_total 0", "go_goroutines ", "process_cpu_seconds_total ", "# TYPE cresset_http_request_seconds histogram", `le="0.005"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}
