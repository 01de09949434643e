package dl

import "path"

// LinuxPaths returns where a library of NVIDIA's driver can be on Linux: under its name where the system's loader finds
// it, then in the folders that the loader does not know.
func LinuxPaths(name string) []string {
	paths := []string{name}
	for _, dir := range []string{
		"/usr/lib/wsl/lib",        // Windows' driver in a Linux guest
		"/usr/local/nvidia/lib64", // containers of some clouds
		"/run/opengl-driver/lib",  // NixOS
	} {
		paths = append(paths, path.Join(dir, name))
	}
	return paths
}
