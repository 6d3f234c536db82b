package main

import (
	"cmp"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// style says what a terminal may be sent besides text.
type style struct{ bold, color bool }

// style is what the user's terminal and variables ask for: TERM=dumb is neither bold nor colored, NO_COLOR
// (no-color.org) is bold at most, and CLICOLOR_FORCE asks for both also where there is no terminal.
func (s *system) style(terminal bool) style {
	force := s.getenv("CLICOLOR_FORCE")
	forced := force != "" && force != "0"
	able := terminal && s.getenv("TERM") != "dumb" || forced
	return style{bold: able, color: able && s.getenv("NO_COLOR") == "" &&
		(forced || s.getenv("CLICOLOR") != "0")}
}

// strong sets off a title.
func (s style) strong(text string) string { return s.set(text, s.bold, ansi.AttrBold) }

// alarming sets off what must not be overlooked.
func (s style) alarming(text string) string {
	return s.set(text, s.color, ansi.AttrYellowForegroundColor)
}

// literal sets off what is typed as it is.
func (s style) literal(text string) string {
	if !s.color {
		return s.strong(text)
	}
	return s.set(text, true, ansi.AttrCyanForegroundColor)
}

func (s style) set(text string, able bool, attribute ansi.Attr) string {
	if !able {
		return text
	}
	return ansi.NewStyle(attribute).Styled(text)
}

// unicode reports whether the user's terminal shows Unicode: the locale names another character
// set, or C, if it does not.
func (s *system) unicode() bool {
	locale := strings.ToLower(cmp.Or(s.getenv("LC_ALL"), s.getenv("LC_CTYPE"), s.getenv("LANG")))
	return locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// asciiWriter writes lines, dashes, dots and crosses as ASCII has them.
type asciiWriter struct{ io.Writer }

var ascii = strings.NewReplacer("─", "-", "–", "-", "−", "-", "…", "~", "×", "x")

// Write implements io.Writer.
func (w asciiWriter) Write(b []byte) (int, error) {
	if _, err := ascii.WriteString(w.Writer, string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
