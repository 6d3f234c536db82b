package sciworld

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
)

// simulatorClass is the class of the simulator object.
const simulatorClass = "scienceworld.runtime.pythonapi.PythonInterface"

// java is the program that runs the simulator, found on the path.
const java = "java"

// jar is the simulator's file.
type jar struct {
	path    string // absolute
	version string // as its manifest says
	sha256  string // in hex
}

// Missing says what the environment needs and this machine lacks, as an
// *envs.UnavailableError. It is nil if a quick check finds nothing missing. Our
// own simulator needs nothing.
func Missing(o Options) error {
	if o.Jar == "" {
		return nil
	}
	if _, err := exec.LookPath(java); err != nil {
		return &envs.UnavailableError{Env: Name, Lacks: "Java", Help: "heldout doctor " + Name +
			" says how to get what is missing"}
	}
	return nil
}

func openJar(path string) (jar, error) {
	j := jar{}
	var err error
	if j.path, err = filepath.Abs(path); err != nil {
		return jar{}, err
	}
	f, err := datafile.Open(path, datafile.MaxJar)
	if err != nil {
		return jar{}, fmt.Errorf("the simulator of ScienceWorld cannot be read: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return jar{}, fmt.Errorf("the simulator of ScienceWorld cannot be read: %w", err)
	}
	j.sha256 = hex.EncodeToString(hash.Sum(nil))
	z, err := zip.NewReader(f, size)
	if err != nil {
		return jar{}, fmt.Errorf("%s is not a jar: %w", path, err)
	}
	if j.version, err = version(z); err != nil {
		return jar{}, fmt.Errorf("%s is not the simulator of ScienceWorld: %w", path, err)
	}
	return j, nil
}

// version returns the version in the manifest of an archive with simulator and gateway.
func version(z *zip.Reader) (string, error) {
	for _, class := range []string{simulatorClass, "py4j.GatewayServer"} {
		file := strings.ReplaceAll(class, ".", "/") + ".class"
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == file }) {
			return "", fmt.Errorf("it has no class %s", class)
		}
	}
	manifest, err := z.Open("META-INF/MANIFEST.MF")
	if err != nil {
		return "", err
	}
	defer manifest.Close()
	lines := bufio.NewScanner(manifest)
	for lines.Scan() {
		if v, ok := strings.CutPrefix(lines.Text(), "Specification-Version: "); ok {
			return strings.TrimSpace(v), nil
		}
	}
	return "", errors.Join(errors.New("its manifest names no version"), lines.Err())
}
