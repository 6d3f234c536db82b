package jericho

import (
	_ "embed"
	"iter"
	"slices"

	"heldout/envs/datafile"
	"heldout/envs/engine/zmachine"
)

// game is what is known of a game; spec §1 and §8.
type game struct {
	Name string
	File string
	MD5  string // of the story file, in hex
	Seed int    // of the random numbers
	// Texts are the first hex digits of the SHA-256 of the texts that AgentBoard shows: goal and first observation;
	// spec §2.2. They are empty if it shows none of its own.
	Texts [2]string

	Clean  cleaning
	Intro  []string // typed before the first observation
	Player uint16   // object
	Moves  int      // address
	// MoveOffset is subtracted from the moves.
	MoveOffset int
	Score      score
	Max        int // largest score
	// Victory and Death are in the texts of these ends; empty if no text says so.
	Victory, Death string
	// WordLength is how many letters of a word the parser looks at.
	WordLength int
	// HideStatus and StrayAttribute: see zmachine.Options.
	HideStatus     bool
	StrayAttribute uint16

	Special []int // addresses of bytes whose change counts as a change
	// Ignored are changes that happen after any command and carry no information.
	Ignored struct {
		Moved  []uint16 // objects
		Sets   matches
		Clears matches
	}
}

// ownGame is a game of our own, with what the benchmark and Jericho know of others.
type ownGame struct {
	game
	Goal, Walkthrough string
	// Grammar is short, so that listing the valid actions is quick. The library's grammar has five times as many
	// templates, most of which do nothing.
	Grammar  string
	Subgoals []string // texts that appear on the way to the goal
}

// score says where a score is.
type score struct {
	Kind scoreKind // empty for none
	Addr int
}

type scoreKind string

const (
	scoreByte    scoreKind = "byte"
	scoreSigned  scoreKind = "signed" // a byte with a sign
	scoreWord    scoreKind = "word"
	scoreVictory scoreKind = "victory" // 1 for the victory
	scoreParsed  scoreKind = "parsed"  // read from the status line
)

// matches describe changes of attributes, each by an object and an attribute; every stands for all objects.
type matches [][2]int

const every = -1

func (m matches) match(p zmachine.Pair) bool {
	return slices.ContainsFunc(m, func(x [2]int) bool {
		return (x[0] == every || x[0] == int(p[0])) && (x[1] == every || x[1] == int(p[1]))
	})
}

// informWord is the number of letters of a word that Inform's parsers look at.
const informWord = 9

//go:embed games.json
var gamesText []byte

// gameTable lists the games of which something is known: AgentBoard's, in its order, those that TALES plays besides,
// in its order, and our own. Nothing is known of changes that carry no information in TALES', so their lists of valid
// actions are longer. The source of our own is in the folder of its name.
var gameTable = datafile.Table[struct {
	AgentBoard, TALES []game
	Own               []ownGame
}](gamesText)

var games, talesGames, lowlight = gameTable.AgentBoard, gameTable.TALES, gameTable.Own[0]

// allGames are the games that TALES plays: AgentBoard's, then the others.
func allGames() iter.Seq[*game] {
	return func(yield func(*game) bool) {
		for _, list := range [][]game{games, talesGames} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}
