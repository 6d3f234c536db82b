package alfworld

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// share is how often something occurs in a place, in per cent.
type share struct {
	class string
	share int
}

// room describes a kind of room: statistics of the 3,553 training games.
type room struct {
	firstScene int // of thirty
	containers []containerStat
	objects    []objectStat
}

// containerStat describes a class of receptacles in a room; rooms.txt says how.
type containerStat struct {
	class                            string
	scenes, low, high, median, opens int
}

// objectStat describes a class of objects in a room; rooms.txt says how.
type objectStat struct {
	class             string
	games, high, idle int
	places            []share
}

//go:embed rooms.txt
var roomsText string

// rooms are the four kinds of rooms.
func rooms() (out []room) {
	for _, words := range lines(roomsText) {
		switch words[0] {
		case "room":
			out = append(out, room{firstScene: number(words[1])})
		case "receptacle":
			r := &out[len(out)-1]
			r.containers = append(r.containers, containerStat{words[1], number(words[2]), number(words[3]),
				number(words[4]), number(words[5]), number(words[6])})
		case "object":
			o := objectStat{class: words[1], games: number(words[2]), high: number(words[3]), idle: number(words[4])}
			for at := range slices.Chunk(words[5:], 2) {
				o.places = append(o.places, share{at[0], number(at[1])})
			}
			r := &out[len(out)-1]
			r.objects = append(r.objects, o)
		}
	}
	return out
}

// lines returns the lines of a table, each as its words, without empty ones and comments.
func lines(table string) (out [][]string) {
	for line := range strings.Lines(table) {
		if words := strings.Fields(line); len(words) > 0 && !strings.HasPrefix(line, "#") {
			out = append(out, words)
		}
	}
	return out
}

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		panic(err) // the tables are ours, and tests read them
	}
	return n
}
