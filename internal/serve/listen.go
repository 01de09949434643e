package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	headerBytes = 64 << 10
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
)

// Serve answers those who connect until ctx ends. Then nobody new is heard, requests that are under way go on, for grace at most, and Serve returns; an error tells
// that some were cut off, or why nobody can be heard.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	h := s.Handler()
	base, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	server := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(newBounded(l, s.Connections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	limit, cancel := context.WithTimeout(base, grace)
	defer cancel()
	err := server.Shutdown(limit)
	<-ended
	if errors.Is(err, context.DeadlineExceeded) {
		cutOff()
		return errors.Join(fmt.Errorf("requests that took longer than %v behind the end were cut off", grace), server.Close())
	}
	return err
}

// bounded is a listener of a number of connections at most: further ones wait outside of the program.
type bounded struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	end    func() // closes closed
}

func newBounded(l net.Listener, connections int) *bounded {
	b := &bounded{Listener: l, places: make(chan struct{}, connections), closed: make(chan struct{})}
	b.end = sync.OnceFunc(func() { close(b.closed) })
	return b
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.closed: // http.Server waits for Accept to return before it closes connections
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	return &place{Conn: c, leave: sync.OnceFunc(func() { <-b.places })}, nil
}

// Close implements net.Listener.
func (b *bounded) Close() error {
	b.end()
	return b.Listener.Close()
}

// place is a connection that gives its place to the next when it is closed.
type place struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (p *place) Close() error {
	defer p.leave()
	return p.Conn.Close()
}
