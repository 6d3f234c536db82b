package page

import (
	"encoding/base64"
	"html"
	"html/template"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/table"
)

// Text is escaped wherever the skeleton shows it, and data cannot leave its element.
func TestHostileText(t *testing.T) {
	const hostile = `</title></script><script>alert(1)</script>" onload="x`
	content := []byte(hostile + "\x00\xff")
	p := Page{
		Title: hostile, Lead: hostile, Links: []Link{{Href: "javascript:alert(1)", Text: hostile}},
		Data: []Data{{ID: hostile, Content: content}}, Scripts: []template.JS{"main();"},
	}
	var b strings.Builder
	sharedtest.OK(t, p.Write(&b))
	out := b.String()
	for _, bad := range []string{"<script>alert", "</title></script>", `" onload="x`, `href="javascript`} {
		if strings.Contains(out, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	sharedtest.Equal(t, strings.Count(out, "<script"), 2, "the page has scripts")
	if !strings.Contains(out, ">"+base64.StdEncoding.EncodeToString(content)+"</script>") {
		t.Error("the page lacks the data")
	}
}

// The policy allows the page's own styles and scripts by hash, and nothing else.
func TestPolicy(t *testing.T) {
	p := Page{Styles: []template.CSS{"b{}"}, Scripts: []template.JS{"f()"}}
	want := "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " + hash(string(style)) +
		" " + hash("b{}") + "; script-src " + hash("f()")
	sharedtest.Equal(t, p.Policy(), want, "policy")
	p.Live = true
	sharedtest.Equal(t, p.Policy(), strings.Replace(want, "form-action 'none'", "form-action 'self'", 1)+
		"; connect-src 'self'", "policy of a live page")
	if strings.Contains(p.Policy(), "unsafe") {
		t.Error("the policy allows what is unsafe")
	}
}

// Styles and scripts are written byte for byte, or their hashes would not hold.
func TestHashesHold(t *testing.T) {
	p := Page{Styles: []template.CSS{"/* a > b */ a > b::after { content: \"<&\"; }"}, Scripts: []template.JS{
		"if (a < b && c) f(`<b>`); // end"}}
	var b strings.Builder
	sharedtest.OK(t, p.Write(&b))
	for _, element := range []string{"style", "script"} {
		parts := strings.Split(b.String(), "<"+element+">")[1:]
		if len(parts) == 0 {
			t.Errorf("the page has no %s", element)
		}
		for _, part := range parts {
			text, _, _ := strings.Cut(part, "</"+element+">")
			if !strings.Contains(html.UnescapeString(b.String()), hash(text)) {
				t.Errorf("the policy lacks the hash of the %s %.60q", element, text)
			}
		}
	}
}

// Tables show text as text, and a template that does not fit its data says so in the page.
func TestGrid(t *testing.T) {
	const hostile = "<script>alert(1)</script>\x1b"
	g := NewGrid(table.Table{Title: hostile, Columns: []table.Column{{Header: hostile, Words: true}, {Key: "b"}},
		Rows: [][]table.Cell{{table.String(hostile), table.Int(1).Marked("*")}}, Notes: []string{hostile}})
	g.Rows[0][0].Head, g.Rows[0][0].Href, g.Rows[0][1].Lines = true, "javascript:alert(1)", []string{CellText(hostile)}
	text := string(g.HTML())
	for _, bad := range []string{"<script", "javascript:", "\x1b"} {
		if strings.Contains(text, bad) {
			t.Errorf("the table contains %q", bad)
		}
	}
	for _, want := range []string{`<th scope="row" class="left" dir="auto">`, "<td>1*<div", "&lt;script&gt;", ">b</th>"} {
		sharedtest.Contains(t, text, want)
	}
	broken := template.Must(template.New("").Parse("{{.Absent}}"))
	sharedtest.Contains(t, string(Fragment(broken, "", hostile)), "Absent")
}

// What a terminal obeys is a reference wherever it stands, and no part of a text is lost.
func TestInert(t *testing.T) {
	var b strings.Builder
	n, err := inert{&b}.Write([]byte("a\x1b[2J\tb\a\n\u202ec\u0085é"))
	if want := "a&#x1b;[2J\tb&#x7;\n&#x202e;c&#x85;é"; err != nil || n != 17 || b.String() != want {
		t.Errorf("%q, %d, %v", b.String(), n, err)
	}
}
