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

// listOrder is the order of lists.
type listOrder struct {
	name string // empty: as it was
	seed int64
}

// of returns which item stands at each place of a list of n.
func (o listOrder) of(n int) []int {
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
	for i, from := range o.of(len(items)) {
		out[i] = items[from]
	}
	return out
}

func (o listOrder) read(items []string) []string {
	out := make([]string, len(items))
	for i, from := range o.of(len(items)) {
		out[from] = items[i]
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
		out = append(out, stage{
			func(text string) string {
				return old.all(text, func(l list) string { return old.join(l.ordered(o.write)) })
			},
			func(text string) string {
				return old.all(text, func(l list) string { return old.join(l.ordered(o.read)) })
			},
		})
	}
	if layout == "" || s.Inline {
		return out, nil
	}
	now := old
	if err := now.lay(layout); err != nil {
		return nil, err
	}
	return append(out, stage{
		func(text string) string { return old.all(text, now.join) },
		func(text string) string { return now.all(text, old.join) },
	}), nil
}

// look is how an enumeration looks.
type look struct {
	// find has three groups: what stands before the items, the items, and the end.
	find *regexp.Regexp
	// open and end stand around the items, between and last between them.
	open, between, last, end string
	// If blanks separate the items, between stands before them. In lines it stands behind
	// them, or behind those that a sentence begins with: blanks at the end of a line are
	// not seen.
	blanks, lines bool
	// sentences says that the items are sentences.
	sentences bool
	pattern   struct{ begin, item string }
	// gap finds what stands between the items, if that is blanks: the end of a sentence,
	// and the blanks.
	gap *regexp.Regexp
}

// newLook is the environment's own look.
func newLook(s envs.Series) (look, error) {
	l := look{between: s.Between, last: s.Last, end: s.End, blanks: s.Between == "", sentences: s.Fixed}
	l.pattern.begin, l.pattern.item = s.Begin, s.Item
	return l, l.compile()
}

func (l *look) compile() (err error) {
	q := regexp.QuoteMeta
	separator := "(?:" + q(l.last) + "|" + q(l.between) + ")"
	switch {
	case l.lines:
		separator = "( *)" + q(l.between)
	case l.blanks:
		separator = q(l.between) + "( +)"
	}
	if l.blanks || l.lines {
		end := "()"
		if l.blanks {
			end = `(\.)`
		}
		if l.gap, err = regexp.Compile(end + separator); err != nil {
			return err
		}
		separator = strings.NewReplacer("(", "", ")", "").Replace(separator)
	}
	l.find, err = regexp.Compile("(" + l.pattern.begin + q(l.open) + ")(" + l.pattern.item + "(?:" + separator +
		l.pattern.item + ")*)(" + q(l.end) + ")")
	return err
}

// lay gives an enumeration another layout.
func (l *look) lay(layout string) error {
	switch layout {
	case configs.Bullets:
		if strings.HasPrefix(l.between, "\n") { // one item per line already
			l.open, l.between, l.last = "- ", l.between+"- ", l.last+"- "
			break
		}
		l.open, l.between, l.last, l.end = "\n- ", "\n- ", "\n- ", "\n"
		if strings.HasPrefix(l.pattern.begin, "^") {
			l.open = "- "
		}
		l.lines = l.blanks || l.sentences
	case configs.Bars:
		l.between, l.last = " | ", " | "
	case configs.Semicolons:
		l.between, l.last = "; ", "; "
	default:
		return fmt.Errorf("layout: unknown value %q", layout)
	}
	if l.blanks && layout != configs.Bullets {
		l.between = strings.TrimRight(l.between, " ")
	}
	return l.compile()
}

// list is an enumeration in a text.
type list struct {
	begin  string
	items  []string
	blanks []string // between the items, if blanks separate them
}

// ordered puts the items into an order. A last item that is no sentence stays at
// the end: nothing could stand behind it.
func (l list) ordered(order func([]string) []string) list {
	n := len(l.items)
	if l.blanks != nil && !strings.HasSuffix(l.items[n-1], ".") {
		n--
	}
	l.items = append(order(l.items[:n]), l.items[n:]...)
	return l
}

// all replaces every enumeration in a text.
func (l *look) all(text string, write func(list) string) string {
	var b strings.Builder
	from := 0
	for _, at := range l.find.FindAllStringSubmatchIndex(text, -1) {
		begin := strings.TrimSuffix(text[at[2]:at[3]], l.open)
		b.WriteString(text[from:at[0]])
		b.WriteString(write(l.split(begin, text[at[4]:at[5]])))
		from = at[1]
	}
	b.WriteString(text[from:])
	return b.String()
}

func (l *look) split(begin, items string) list {
	out := list{begin: begin}
	switch {
	case l.blanks || l.lines:
		from, before := 0, ""
		for _, at := range l.gap.FindAllStringSubmatchIndex(items, -1) {
			out.items = append(out.items, before+items[from:at[3]])
			switch blanks := items[at[4]:at[5]]; {
			case !l.blanks:
				before = blanks
			case l.lines:
				out.blanks = append(out.blanks, blanks+" ")
			default:
				out.blanks = append(out.blanks, blanks)
			}
			from = at[1]
		}
		out.items = append(out.items, before+items[from:])
	case l.sentences && l.between == sentenceEnd:
		for piece := range strings.SplitSeq(items, l.between) {
			if n := len(out.items); n > 0 && goesOn.MatchString(out.items[n-1]) {
				out.items[n-1] += l.between + piece
			} else {
				out.items = append(out.items, piece)
			}
		}
	default:
		if at := strings.LastIndex(items, l.last); at >= 0 {
			out.items = strings.Split(items[:at], l.between)
			items = items[at+len(l.last):]
		}
		out.items = append(out.items, items)
	}
	return out
}

// sentenceEnd is what stands between sentences.
const sentenceEnd = ". "

// goesOn finds texts behind which a period ends no sentence: dots in a row, initials and
// abbreviations.
var goesOn = regexp.MustCompile(`(?:\.|(?:^|[^A-Za-z])(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|No|vs|ca|etc|e\.g|i\.e))$`)

// join writes an enumeration.
func (l *look) join(of list) string {
	var b strings.Builder
	b.WriteString(of.begin)
	b.WriteString(l.open)
	for i, item := range of.items {
		switch {
		case i == 0:
		case l.lines && l.blanks:
			b.WriteString(of.blanks[i-1][1:] + l.between)
		case l.lines:
			text := strings.TrimLeft(item, " ")
			b.WriteString(item[:len(item)-len(text)] + l.between)
			item = text
		case l.blanks:
			b.WriteString(l.between + of.blanks[i-1])
		case i == len(of.items)-1:
			b.WriteString(l.last)
		default:
			b.WriteString(l.between)
		}
		b.WriteString(item)
	}
	b.WriteString(l.end)
	return b.String()
}
