package jericho

import (
	"regexp"
	"slices"
	"strings"
)

// tokens matches words, and separators that end a phrase.
var tokens = regexp.MustCompile(`[A-Za-z]+(?:'[A-Za-z]+)*|[^A-Za-z\s]`)

// tag returns the nouns and adjectives of a text in lower case, in their order.
// It decides by lists of words, by endings and by the next word, which is enough
// to find possible names of an object. Words that are neither are left out; an
// unknown word is a noun.
func tag(text string) []name {
	var out []name
	found := tokens.FindAllString(text, -1)
	for i, w := range found {
		word := strings.ToLower(w)
		if !isLetter(word[0]) || len(word) < 2 || slices.Contains(otherWords, word) || strings.Contains(word, "'") {
			continue
		}
		next := ""
		if i+1 < len(found) {
			next = strings.ToLower(found[i+1])
		}
		follows := next != "" && isLetter(next[0]) && !slices.Contains(otherWords, next)
		out = append(out, name{text: word, class: classOf(word, follows), modifier: follows})
	}
	return out
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// classOf decides between noun and adjective; follows: another such word does.
func classOf(word string, follows bool) class {
	if slices.Contains(adjectives, word) {
		return adjective
	}
	if follows && slices.ContainsFunc(adjectiveEndings, func(end string) bool {
		return len(word) > len(end)+2 && strings.HasSuffix(word, end)
	}) {
		return adjective
	}
	return noun
}

// adjectiveEndings are endings of words that describe the next word.
var adjectiveEndings = strings.Fields("y ous ful less ish ive able ible al ic ed ern ent ant ary ing")

// adjectives are common adjectives without such an ending.
var adjectives = strings.Fields(`red green blue yellow white black brown gray grey orange purple pink golden silver dark pale bright dim
	big small large little huge tiny tall short long wide narrow thick thin high low deep broad great giant massive
	old new young ancient modern rusty dusty dirty clean wet dry hot cold warm cool damp fresh
	hard soft smooth rough sharp blunt heavy strong weak firm loose tight flat round square steep straight crooked twisty
	good bad nice fine pretty ugly beautiful handsome odd strange weird curious mysterious familiar evil cute
	open closed empty full broken locked dead alive wooden stone-built woollen leathern wild tame quiet loud silent
	main front back rear left right upper lower inner outer near far distant nearby central local single double
	simple plain fancy rich poor cheap rare common special certain similar different various real true false sure
	sleepy shiny lovely classy filthy greasy bloody muddy grimy tiny crystal-clear foul sweet sour bitter raw rotten nasty bare blank
	welcome ready possible visible obvious legged aged worn torn lit unlit invisible electronic electric mechanical medical magical`)

var directionWords = strings.Fields(`north south east west northeast northwest southeast southwest
	northern southern eastern western up down upstairs downstairs`)

// otherWords are neither nouns nor adjectives, or say too little to name a thing.
var otherWords = strings.Fields(`a an the all any each every some this that these those both either neither another other others such same
	of in on at by for from with to into onto off out up down over under and or but nor not no yes as like than
	about above across after against along among around before behind below beneath beside besides between beyond during inside
	near outside past since through throughout till until toward towards upon within without
	is are was were be been being am has have had having do does did done can could will would shall should may might must cannot
	i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
	we us our ours ourselves they them their theirs themselves who whom whose which what when where why how there here
	if then so just very too also only even still yet already again once twice ever never always often now soon perhaps maybe quite
	rather almost nearly really instead away back together apart ahead aside everywhere anywhere nowhere somewhere
	one two three four five six seven eight nine ten eleven twelve twenty hundred thousand first second third
	much many more most few less least several lot enough own pair couple
	something anything nothing everything someone anyone everyone somebody anybody nobody everybody none
	go goes going gone went come comes came coming see sees saw seen look looks looked looking get gets got take takes took taken
	make makes made give gives gave given put puts seem seems seemed lead leads led lie lies lay stand stands stood sit sits sat
	hang hangs hung run runs ran stretch stretches contain contains carry carries carrying hold holds holding held wear wears wearing worn
	know knows knew think thinks thought feel feels felt let lets want wants need needs say says said tell tells told ask asks asked
	try tries tried find finds found keep keeps kept become becomes became begin begins began turn turns turned
	appear appears remain remains fill fills filled cover covers covered exit exits`)
