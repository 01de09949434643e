//go:build noasm || !amd64

package ptx

func fastestLoops() loops { return inGo }

func fastestMixed(string) exec { return nil }
