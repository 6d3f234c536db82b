package sciworld

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs"
)

// writeJar writes an archive with these files.
func writeJar(t *testing.T, path string, files map[string]string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

const (
	simulatorFile = "scienceworld/runtime/pythonapi/PythonInterface.class"
	gatewayFile   = "py4j/GatewayServer.class"
	manifestFile  = "META-INF/MANIFEST.MF"
)

func TestOpenJar(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "scienceworld.jar")
	writeJar(t, path, map[string]string{simulatorFile: "", gatewayFile: "",
		manifestFile: "Manifest-Version: 1.0\r\nSpecification-Version: 1.1.3\r\n"})
	j, err := openJar(path)
	if err != nil || j.version != "1.1.3" || len(j.sha256) != 64 || !filepath.IsAbs(j.path) {
		t.Errorf("%+v, %v", j, err)
	}
	for want, files := range map[string]map[string]string{
		"no class scienceworld":     {gatewayFile: ""},
		"no class py4j":             {simulatorFile: ""},
		"MANIFEST.MF":               {simulatorFile: "", gatewayFile: ""},
		"manifest names no version": {simulatorFile: "", gatewayFile: "", manifestFile: "Manifest-Version: 1.0\n"},
	} {
		writeJar(t, path, files)
		if _, err := openJar(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := os.WriteFile(path, []byte("<html>not found</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJar(path); err == nil || !strings.Contains(err.Error(), "is not a jar") {
		t.Error(err)
	}
	if _, err := openJar(filepath.Join(dir, "none.jar")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// What is missing for the official simulator is said as such, and how to find out
// more. Our own needs nothing.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Missing(Options{}); err != nil {
		t.Error(err)
	}
	official := Options{Jar: "none.jar"}
	err := Missing(official)
	var lacks *envs.UnavailableError
	if !errors.As(err, &lacks) ||
		err.Error() != "sciworld needs Java; heldout doctor sciworld says how to get what is missing" {
		t.Fatal(err)
	}
	if _, err := New(official); !errors.As(err, &lacks) {
		t.Error(err)
	}
	checks := Examine(context.Background(), official)
	if len(checks) != 3 || checks[0].Status == envs.CheckOK || checks[1].Status == envs.CheckOK ||
		!strings.Contains(checks[0].Text, "install Java 8") || !strings.Contains(checks[1].Text, "pip download") {
		t.Errorf("%+v", checks)
	}
	checks = Examine(context.Background(), Options{})
	if len(checks) != 2 || checks[0].Status != envs.CheckOK || checks[1].Status != envs.CheckOK ||
		!strings.HasPrefix(checks[0].Text, "built in") {
		t.Errorf("%+v", checks)
	}
}

func TestJudgeJava(t *testing.T) {
	for said, want := range map[string]bool{
		"openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime":      true,
		"java version \"1.8.0_392\"\n":                                 true,
		"java version \"1.7.0_80\"\n":                                  false,
		"openjdk version \"21\" 2023-09-19":                            true,
		"Picked up JAVA_TOOL_OPTIONS: -Dx\nopenjdk version \"11.0.2\"": true,
		"no such thing": false,
		"":              false,
	} {
		if text, ok := judgeJava(said); ok != want || ok == strings.Contains(text, "install Java") {
			t.Errorf("%q: %v, %s", said, ok, text)
		}
	}
}

// The folders of those who are gone are removed, those of others stay.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var held, mine scratch
	kept, err := held.folder()
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(os.TempDir(), scratchName+"17")
	if err := os.MkdirAll(filepath.Join(left, "jvm-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := mine.folder(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	for _, s := range []*scratch{&held, &mine, &mine} {
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
