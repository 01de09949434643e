package mpitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Hosts are two network namespaces of this machine, with names of their own and a cable between them, which stand for two machines.
type Hosts struct {
	first, second string // namespaces
	agent         string // what stands for ssh
}

// cable is the name of its ends.
const cable = "cable"

// addresses are the hosts'.
var addresses = [2]string{"10.99.17.1", "10.99.17.2"}

// Apart runs test for every launcher that is found, which starts the first half of the processes on one host and the second on another. It skips where the right to make namespaces is missing.
func Apart(t *testing.T, test func(t *testing.T, l Launcher, h *Hosts)) {
	Each(t, func(t *testing.T, l Launcher) {
		h := newHosts(t)
		l.hosts = h
		test(t, l, h)
	})
}

func newHosts(t *testing.T) *Hosts {
	t.Helper()
	h := &Hosts{fmt.Sprintf("crs%da", os.Getpid()), fmt.Sprintf("crs%db", os.Getpid()), filepath.Join(t.TempDir(), "agent")}
	if out, err := exec.Command("ip", "netns", "add", h.first).CombinedOutput(); err != nil {
		t.Skipf("two hosts need the right to make network namespaces: %v: %s", err, out)
	}
	t.Cleanup(func() { turnOff(h.first) })
	t.Cleanup(func() { turnOff(h.second) })
	for _, args := range []string{
		"netns add " + h.second,
		fmt.Sprintf("link add %s netns %s type veth peer name %s netns %s", cable, h.first, cable, h.second),
		fmt.Sprintf("-n %s addr add %s/24 dev %s", h.first, addresses[0], cable), fmt.Sprintf("-n %s addr add %s/24 dev %s", h.second, addresses[1], cable),
		fmt.Sprintf("-n %s link set lo up", h.first), fmt.Sprintf("-n %s link set lo up", h.second),
		fmt.Sprintf("-n %s link set %s up", h.first, cable), fmt.Sprintf("-n %s link set %s up", h.second, cable),
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", args, err, out)
		}
	}
	for _, host := range []string{h.first, h.second} { // the kernel may take a second
		for range 500 {
			if out, _ := exec.Command("ip", "-n", host, "-brief", "link", "show", cable).Output(); strings.Contains(string(out), " UP ") {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	script := fmt.Sprintf(`#!/bin/sh
while :; do case "$1" in -x) shift ;; *) break ;; esac; done
[ "$1" = %s ] && on=%s || on=%s
shift
exec ip netns exec $on unshare -u sh -c "hostname $on; $*"
`, addresses[0], h.first, h.second)
	if err := os.WriteFile(h.agent, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

// turnOff ends what still runs on a host, as ranks and proxies do that lost their launcher with the cable, and removes it.
func turnOff(host string) {
	pids, _ := exec.Command("ip", "netns", "pids", host).Output()
	for _, word := range strings.Fields(string(pids)) {
		if pid, err := strconv.Atoi(word); err == nil {
			if left, err := os.FindProcess(pid); err == nil {
				_ = left.Kill()
			}
		}
	}
	_ = exec.Command("ip", "netns", "del", host).Run()
}

// OneCable are variables that have UCX send by the cable alone: it finds out that both hosts are one.
func (h *Hosts) OneCable() []string { return []string{"UCX_TLS=tcp,self", "UCX_NET_DEVICES=" + cable} }

// Cut is the command that breaks the cable.
func (h *Hosts) Cut() []string { return []string{"ip", "-n", h.first, "link", "set", cable, "down"} }

// across returns a launcher's command that starts n processes on both hosts.
func (h *Hosts) across(l Launcher, n int, env, args []string) (path string, all []string) {
	all = []string{"netns", "exec", h.first, l.path}
	if l.Name == "openmpi" {
		network := addresses[0] + "/24"
		all = append(all, "--mca", "plm_rsh_agent", h.agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network,
			"-host", fmt.Sprintf("%s:%d,%s:%d", addresses[0], (n+1)/2, addresses[1], n/2))
		for _, v := range env {
			all = append(all, "-x", v)
		}
	} else {
		all = append(all, "-launcher", "ssh", "-launcher-exec", h.agent, "-iface", cable, "-hosts", fmt.Sprintf("%s:%d,%s:%d", addresses[0], (n+1)/2, addresses[1], n/2))
	}
	return "ip", append(all, args...)
}
