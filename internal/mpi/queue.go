package mpi

import "sync"

// A queue is jobs that wait for the world's worker, as many as come: who adds one never waits.
type queue struct {
	mu     sync.Mutex
	change *sync.Cond
	jobs   []*Request
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.change = sync.NewCond(&q.mu)
	return q
}

// add reports whether the queue has taken a job, which it does until it is closed.
func (q *queue) add(r *Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.jobs = append(q.jobs, r)
		q.change.Signal()
	}
	return !q.closed
}

// next waits for a job and returns it, nil where there will be none.
func (q *queue) next() *Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 {
		if q.closed {
			return nil
		}
		q.change.Wait()
	}
	r := q.jobs[0]
	q.jobs[0], q.jobs = nil, q.jobs[1:]
	return r
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Signal()
}
