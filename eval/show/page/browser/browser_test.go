package browser

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// A page is as wide as its window, answers, follows clicks, and has its picture taken.
func TestPageInABrowser(t *testing.T) {
	dir := t.TempDir()
	name, picture := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.png")
	if err := os.WriteFile(name, []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>One</title>`+
		`</head><body><main><h1>One</h1><button onclick="document.title = 'Two'">More</button></main></body></html>`),
		0o600); err != nil {
		t.Fatal(err)
	}
	p := Start(t).Open(t, "file://"+name, "file://", Look{Width: 320, Height: 200, Dark: true})
	p.Until("document.title === 'One'")
	if got := p.Eval("String(matchMedia('(prefers-color-scheme: dark)').matches)"); got != "true" {
		t.Errorf("the page is dark: %s", got)
	}
	p.Click("button")
	p.Until("document.title === 'Two'")
	if got := p.text(); got != "One\nMore" {
		t.Errorf("the page says %q", got)
	}
	p.Picture(picture)
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if about, err := png.DecodeConfig(f); err != nil || about.Width != 320 || about.Height != 200 {
		t.Errorf("the picture is %+v, %v", about, err)
	}
}
