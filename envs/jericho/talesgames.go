package jericho

import "iter"

// allGames are those that TALES plays: AgentBoard's, then the others.
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

// talesGames are those that TALES plays besides AgentBoard's, in its order. Nothing is
// known of changes that carry no information, so their lists of valid actions are longer.
var talesGames = []game{
	{
		name: "advent", file: "advent.z5", md5: "ee2242e155fd8910921b0f8e04019a3a", seed: 5,
		clean: beforePrompt, player: 20, score: score{scoreWord, 15371}, max: 350, victory: haveWon,
		death: "Do you want me to try to reincarnate you?", wordLength: informWord,
	},
	{
		name: "adventureland", file: "adventureland.z5", md5: "a42545bd17330ae5e6fed02270ccfb4a", seed: 4,
		clean: beforePrompt, player: 20, score: score{scoreByte, 5319}, max: 100, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "anchor", file: "anchor.z8", md5: "c043df8624e0e1e9fda92f1a74b6e402",
		clean: beforePrompt, intro: []string{"", "", ""}, player: 20, score: score{scoreByte, 38024}, max: 100,
		victory: genericWon, death: "Would you like to RESTART, RESTORE a saved game, UNDO", wordLength: informWord,
	},
	{
		name: "awaken", file: "awaken.z5", md5: "9ba48c72d96ab3e7956a8570b12d34d6",
		clean: beforePrompt, player: 20, score: score{scoreByte, 10666}, max: 50, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "ballyhoo", file: "ballyhoo.z3", md5: "5d54e326815b0ed3aff8efb8ff02ef2f",
		clean: afterLine, player: 211, score: score{scoreByte, 8495}, max: 200,
		victory: "having saved The Traveling Circus That Time Forgot, Inc.",
		death:   "(Type RESTART, RESTORE, or QUIT)", wordLength: infocomWord,
	},
	{
		name: "curses", file: "curses.z5", md5: "f06a42a29a5a4e6aa70958c9ae4c37cd",
		clean: beforePrompt, intro: []string{""}, player: 15, score: score{scoreWord, 23372}, max: 550,
		victory: haveWon, death: "Would you like to RESTART", wordLength: informWord,
	},
	{
		name: "cutthroat", file: "cutthroat.z3", md5: "216eeeba1c8017a77343dc8482f6f185", seed: 10,
		clean: afterLine, player: 184, score: score{scoreByte, 8871}, max: 250, victory: "Good job, matey!",
		death: "RESTART, RESTORE, or QUIT", wordLength: infocomWord,
	},
	{
		name: "deephome", file: "deephome.z5", md5: "5e56a6e5cdeecded434a8fd8012fc2c6",
		clean: beforePrompt, player: 20, score: score{scoreWord, 12433}, max: 300, victory: genericWon,
		death:      "Would you like to RESTART, RESTORE a saved game, give the FULL score for that game or QUIT",
		wordLength: informWord,
	},
	{
		name: "enchanter", file: "enchanter.z3", md5: "ad3cdea88d81033fe29167688bd98c31",
		clean: afterLine, player: 55, score: score{scoreWord, 8765}, max: 400,
		victory: "Here ends the first chapter of the Enchanter saga", death: genericDied, wordLength: infocomWord,
	},
	{
		name: "enter", file: "enter.z5", md5: "4c48ba2c5523d78c5f7f9b7809d16b1d",
		clean: beforePrompt, player: 20, score: score{scoreByte, 11069}, max: 20, victory: haveWon,
		death: "Would you like to RESTART", wordLength: informWord,
	},
	{
		name: "gold", file: "gold.z5", md5: "f275ddf32ce8a9e744d53c3b99c5a658",
		clean: beforePrompt, player: 85, score: score{scoreByte, 20768}, max: 100,
		victory: "The important thing is, our plan worked!", death: "Would I like to RESTART", wordLength: informWord,
	},
	{
		name: "hhgg", file: "hhgg.z3", md5: "6666389f60e0c8e4ceb08242a263bb52", seed: 4,
		clean: afterLine, player: 31, score: score{scoreWord, 7910}, max: 400,
		victory: "You step onto the landing ramp", death: "(Type RESTART, RESTORE, or QUIT)", wordLength: infocomWord,
	},
	{
		name: "infidel", file: "infidel.z3", md5: "425fa66869309d7ed7f8ef04a492fbb7",
		clean: afterLine, player: 223, score: score{scoreWord, 8911}, max: 400,
		victory: "someday, someone will discover your bones here", death: genericDied, wordLength: infocomWord,
	},
	{
		name: "inhumane", file: "inhumane.z5", md5: "84d3ce7ccfafb873736490811a0cc78c",
		clean: beforePrompt, player: 15, score: score{scoreByte, 4787}, max: 90, victory: "--end of session--",
		wordLength: informWord,
	},
	{
		name: "karn", file: "karn.z5", md5: "ec55791be814db3663ad1aec0d6b7690",
		clean: beforePrompt, player: 20, score: score{scoreByte, 13816}, max: 170, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "lostpig", file: "lostpig.z8", md5: "aaf0b90fbb31717481c02832bf412070",
		clean: beforePrompt, player: 87, score: score{scoreByte, 39581}, max: 7,
		victory: "***  Grunk bring pig back to farm  ***",
		death:   "Time for Grunk to RESTART or RESTORE a saved story or UNDO", wordLength: informWord,
	},
	{
		name: "ludicorp", file: "ludicorp.z5", md5: "646a63307f77dcdcd011f330277ae262",
		clean: beforePrompt, player: 20, score: score{scoreByte, 24216}, max: 150, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "lurking", file: "lurking.z3", md5: "5f42ff092a2f30471ae98150ef4da2e1",
		clean: afterLine, intro: []string{"sit on chair", "turn pc on", "login 872325412", "password uhlersoth"},
		player: 56, score: score{scoreByte, 695}, max: 100,
		victory: "The hacker, mud-covered and weak, staggers to his feet.", death: genericDied,
		wordLength: infocomWord,
	},
	{
		name: "moonlit", file: "moonlit.z5", md5: "bf75b9651cff0e2d04302f19c443588e",
		clean: beforeWidePrompt, player: 20, score: score{scoreVictory, 0}, max: 1, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "murdac", file: "murdac.z5", md5: "570179d4f21b2f600862dbffbb5afc3e",
		clean: beforePrompt, player: 7, score: score{scoreByte, 6357}, max: 250,
		victory: "are taken off in triumph to the land of Heroes of Murdac",
		death:   "Another game, your Extravagance?", wordLength: informWord,
	},
	{
		name: "partyfoul", file: "partyfoul.z8", md5: "d221daa82708c4e54447f1a884c239ef",
		clean: beforeWidePrompt, intro: []string{"", "no"}, player: 48, score: score{scoreVictory, 0}, max: 1,
		victory: haveWon, death: haveDied, wordLength: informWord,
	},
	{
		name: "planetfall", file: "planetfall.z3", md5: "6487dc814b280f5603c53155de378d27",
		clean: afterLine, player: 236, score: score{scoreByte, 10026}, max: 80, victory: "Cryo-Anteroom",
		death: genericDied, wordLength: infocomWord,
	},
	{
		name: "plundered", file: "plundered.z3", md5: "6ae4fd54b7e55675ec7e54ec4dd26462",
		clean: afterLine, player: 192, score: score{scoreByte, 677}, max: 25,
		victory: "Thus you have finished the story of PLUNDERED HEARTS", death: "***   You have died   ***",
		wordLength: infocomWord,
	},
	{
		name: "seastalker", file: "seastalker.z3", md5: "ee339dbdbb0792f67e20bd71bafe0ea5",
		clean: afterLine, intro: []string{"john", "wayne", "yes"}, player: 191, score: score{scoreSigned, 9310},
		max: 100, victory: "CONGRATULATIONS, JOHN! YOU'VE COMPLETED YOUR MISSION!!",
		death: "RESTART the story from the beginning", wordLength: infocomWord,
	},
	{
		name: "sherlock", file: "sherlock.z5", md5: "35240654d83f9e7073973d338f9657b8",
		clean: everything, intro: []string{""}, player: 232, score: score{scoreByte, 739}, max: 100,
		victory: "Once again, Mr Holmes, we find ourselves in your debt.", death: "The game is no longer afoot",
		wordLength: informWord, strayAttribute: 48,
	},
	{
		name: "sorcerer", file: "sorcerer.z3", md5: "20f1468a058d0a6de016ae70022e651c",
		clean: afterLine, player: 223, score: score{scoreWord, 9698}, max: 400,
		victory: "Once again, this young Enchanter has done a matchless service to the Guild", death: genericDied,
		wordLength: infocomWord,
	},
	{
		name: "spellbrkr", file: "spellbrkr.z3", md5: "7a92ce19a39bedd970d0f1e296981f71",
		clean: afterLine, player: 52, score: score{scoreWord, 8724}, max: 600,
		victory: "The age of magic is ended, as it must", death: genericDied, wordLength: infocomWord,
	},
	{
		name: "spirit", file: "spirit.z5", md5: "808039c4e9554bdd15d7793539b3bd97",
		clean: beforePrompt, player: 15, score: score{scoreByte, 36356}, max: 250, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "temple", file: "temple.z5", md5: "22a0ddac6be15540616c10f1007197f3",
		clean: beforePrompt, player: 89, score: score{scoreByte, 8309}, max: 35, victory: haveWon, death: haveDied,
		wordLength: informWord,
	},
	{
		name: "trinity", file: "trinity.z4", md5: "3bf1a444a1fc2057130ecb9806117233",
		clean: thirdOn, intro: []string{""}, player: 103, score: score{scoreWord, 34214}, max: 100,
		victory: "You've completed the story of TRINITY", death: "[Type RESTART, RESTORE or QUIT.]",
		wordLength: informWord,
	},
	{
		name: "tryst205", file: "tryst205.z5", md5: "fc65ad8d4588da92fd39871f6f7463db",
		clean: beforePrompt, intro: []string{""}, player: 20, score: score{scoreWord, 15260}, max: 350,
		victory: haveWon, death: haveDied, wordLength: informWord,
	},
	{
		name: "wishbringer", file: "wishbringer.z3", md5: "87ed53d854f7e57c36106fca3b9cf5a6",
		clean: afterLine, player: 238, score: score{scoreByte, 9498}, max: 100,
		victory: "Congratulations! You've finished the story of Wishbringer!", death: "Type RESTART, RESTORE or QUIT",
		wordLength: infocomWord,
	},
	{
		name: "yomomma", file: "yomomma.z8", md5: "5b10162a7a134e7b4c381ecedfb4bc44",
		clean: beforePrompt, player: 59, score: score{scoreByte, 15531}, max: 35, victory: haveWon,
		wordLength: informWord,
	},
	{
		name: "ztuu", file: "ztuu.z5", md5: "d8e1578470cbc676e013e03d72c93141",
		clean: beforePrompt, player: 20, score: score{scoreByte, 8855}, max: 100, victory: haveWon,
		death: "Would you like to RESTART", wordLength: informWord,
	},
}
