package perturb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/stream"
)

type listOrder struct {
	name string // empty: as it was
	seed int64
}

// permutation returns which item stands at each place of a list of n.
func (o listOrder) permutation(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	switch o.name {
	case configs.Reversed:
		slices.Reverse(places)
	case configs.Shuffled: // into another order than before
		draws := stream.New(o.seed, "perturbation", "order")
		for places = draws.Perm(n); n > 1 && slices.IsSorted(places); {
			places = draws.Perm(n)
		}
	}
	return places
}

// write puts items into the order, read undoes it.
func (o listOrder) write(items []string) []string {
	out := make([]string, len(items))
	for i, source := range o.permutation(len(items)) {
		out[i] = items[source]
	}
	return out
}

func (o listOrder) read(items []string) []string {
	out := make([]string, len(items))
	for i, source := range o.permutation(len(items)) {
		out[source] = items[i]
	}
	return out
}

// newSeries rewrites an enumeration: its order, then its layout.
func newSeries(s envs.Series, o listOrder, layout string) ([]stage, error) {
	var out []stage
	old, err := newLook(s)
	if err != nil {
		return nil, err
	}
	if o.name != "" && !s.Fixed {
		in := func(order func(items []string) []string) func(string) string {
			return func(text string) string {
				return old.replaceAll(text, func(l list) string { return old.join(old.ordered(l, order)) })
			}
		}
		out = append(out, stage{in(o.write), in(o.read)})
	}
	if layout == "" || s.Inline {
		return out, nil
	}
	now := old
	if err := now.lay(layout); err != nil {
		return nil, err
	}
	return append(out, stage{
		func(text string) string { return old.replaceAll(text, now.join) },
		func(text string) string { return now.replaceAll(text, old.join) },
	}), nil
}

type look struct {
	// find has three groups: what stands before the items, the items, and the end.
	find *regexp.Regexp
	// open and end stand around the items, separator and last between them.
	open, separator, last, end string
	// items finds the items, if there are wide ones, and wide finds these: one more blank stands behind them.
	items, wide *regexp.Regexp
	// tail is an item that stays at the end.
	tail string
	// sentences says that the items are sentences. In lines blanks stand before separator, or
	// before the one that follows: blanks at the end of a line are not seen.
	sentences, lines bool
	pattern          struct{ begin, item string }
	// gap finds what stands between sentences in lines.
	gap *regexp.Regexp
}

// newLook is the environment's own look.
func newLook(s envs.Series) (l look, err error) {
	l = look{separator: s.Middle, last: s.Last, end: s.End, tail: s.Tail, sentences: s.Fixed}
	l.pattern.begin, l.pattern.item = s.Begin, s.Item
	if s.Tail != "" {
		l.pattern.item = "(?:" + s.Item + "|" + regexp.QuoteMeta(s.Tail) + ")"
	}
	if s.Wide != "" {
		if l.items, err = regexp.Compile(l.pattern.item); err != nil {
			return l, err
		}
		if l.wide, err = regexp.Compile("(?:" + s.Wide + ")$"); err != nil {
			return l, err
		}
	}
	return l, l.compile()
}

func (l *look) compile() (err error) {
	q := regexp.QuoteMeta
	separator, end := "(?:"+q(l.last)+"|"+q(l.separator)+")", ""
	if l.wide != nil {
		separator, end = " ?"+separator, " ?"
	}
	if l.lines {
		if l.gap, err = regexp.Compile("( *)" + q(l.separator)); err != nil {
			return err
		}
		separator = " *" + q(l.separator)
	}
	l.find, err = regexp.Compile("(" + l.pattern.begin + q(l.open) + ")(" + l.pattern.item + "(?:" + separator +
		l.pattern.item + ")*" + end + ")(" + q(l.end) + ")")
	return err
}

func (l *look) lay(layout string) error {
	l.wide = nil
	switch layout {
	case configs.Bullets:
		if strings.HasPrefix(l.separator, "\n") { // one item per line already
			l.open, l.separator, l.last = "- ", l.separator+"- ", l.last+"- "
			break
		}
		l.open, l.separator, l.last = "- ", "\n- ", "\n- "
		if !strings.HasPrefix(l.pattern.begin, "^") {
			l.open, l.end = "\n- ", "\n"
		}
		l.lines = l.sentences
	case configs.Bars:
		l.separator, l.last = " | ", " | "
	case configs.Semicolons:
		l.separator, l.last = "; ", "; "
	default:
		return fmt.Errorf("layout: unknown value %q", layout)
	}
	return l.compile()
}

type list struct {
	begin string
	items []string
}

func (l *look) ordered(e list, order func([]string) []string) list {
	units := l.units(e.items)
	n := len(units)
	for n > 0 && (units[n-1] == l.tail || l.readsOn(units[n-1])) {
		n--
	}
	e.items = append(order(units[:n]), units[n:]...)
	return e
}

// units joins the items that stay together.
func (l *look) units(items []string) (out []string) {
	for _, item := range items {
		if n := len(out); n > 0 && item != l.tail && l.readsOn(out[n-1]) {
			out[n-1] += l.separator + item
		} else {
			out = append(out, item)
		}
	}
	return out
}

// readsOn reports whether an item among sentences is none: the text goes on behind it.
func (l *look) readsOn(item string) bool { return l.wide != nil && !strings.HasSuffix(item, ".") }

// replaceAll replaces every enumeration in a text.
func (l *look) replaceAll(text string, write func(list) string) string {
	var b strings.Builder
	start := 0
	for _, span := range l.find.FindAllStringSubmatchIndex(text, -1) {
		begin := strings.TrimSuffix(text[span[2]:span[3]], l.open)
		b.WriteString(text[start:span[0]])
		b.WriteString(write(l.split(begin, text[span[4]:span[5]])))
		start = span[1]
	}
	b.WriteString(text[start:])
	return b.String()
}

func (l *look) split(begin, items string) list {
	out := list{begin: begin}
	switch {
	case l.wide != nil:
		out.items = l.items.FindAllString(items, -1)
	case l.lines:
		start, indent := 0, ""
		for _, span := range l.gap.FindAllStringSubmatchIndex(items, -1) {
			out.items = append(out.items, indent+items[start:span[0]])
			indent, start = items[span[2]:span[3]], span[1]
		}
		out.items = append(out.items, indent+items[start:])
	case l.sentences && l.separator == sentenceEnd:
		for piece := range strings.SplitSeq(items, l.separator) {
			if n := len(out.items); n > 0 && goesOn.MatchString(out.items[n-1]) {
				out.items[n-1] += l.separator + piece
			} else {
				out.items = append(out.items, piece)
			}
		}
	default:
		if i := strings.LastIndex(items, l.last); i >= 0 {
			out.items = strings.Split(items[:i], l.separator)
			items = items[i+len(l.last):]
		}
		out.items = append(out.items, items)
	}
	return out
}

const sentenceEnd = ". "

// goesOn finds texts behind which a period ends no sentence: dots in a row, initials and abbreviations.
var goesOn = regexp.MustCompile(`(?:\.|(?:^|[^A-Za-z])(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|No|vs|ca|etc|e\.g|i\.e))$`)

func (l *look) join(e list) string {
	var b strings.Builder
	b.WriteString(e.begin)
	b.WriteString(l.open)
	for i, item := range e.items {
		switch {
		case i == 0:
		case l.lines:
			text := strings.TrimLeft(item, " ")
			b.WriteString(item[:len(item)-len(text)] + l.separator)
			item = text
		case i == len(e.items)-1:
			b.WriteString(l.last)
		default:
			b.WriteString(l.separator)
		}
		b.WriteString(item)
		if l.wide != nil && l.wide.MatchString(item) {
			b.WriteByte(' ')
		}
	}
	b.WriteString(l.end)
	return b.String()
}
