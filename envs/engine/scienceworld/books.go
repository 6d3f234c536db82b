package scienceworld

// books are the kinds of books in the order in which they are drawn.
var books = [...]ObjectKind{BookMobyDick, BookFrankenstein, BookSherlockHolmes, BookPrideAndPrejudice, BookBeowulf,
	BookOriginOfSpecies}

// bookPages are titles, authors and texts of the books (objects §3.10).
var bookPages = map[ObjectKind]document{
	BookMobyDick: {"Moby Dick", "Herman Melville", mobyDick + mobyDick},
	BookFrankenstein: {"Frankenstein", "Mary Wollstonecraft Shelley",
		"You will rejoice to hear that no disaster has accompanied the commencement of an enterprise which you have " +
			"regarded with such evil forebodings. I arrived here yesterday, and my first task is to assure my dear " +
			"sister of my welfare and increasing confidence in the success of my undertaking.\n\nI am already far " +
			"north of London, and as I walk in the streets of Petersburgh, I feel a cold northern breeze play upon " +
			"my cheeks, which braces my nerves and fills me with delight. Do you understand this feeling? This " +
			"breeze, which has travelled from the regions towards which I am advancing, gives me a foretaste of " +
			"those icy climes. "},
	BookSherlockHolmes: {"Sherlock Holmes", "Arthur Conan Doyle",
		"To Sherlock Holmes she is always the woman. I have seldom heard him mention her under any other name. In " +
			"his eyes she eclipses and predominates the whole of her sex. It was not that he felt any emotion akin " +
			"to love for Irene Adler. All emotions, and that one particularly, were abhorrent to his cold, precise " +
			"but admirably balanced mind. He was, I take it, the most perfect reasoning and observing machine that " +
			"the world has seen, but as a lover he would have placed himself in a false position. "},
	BookPrideAndPrejudice: {"Pride and Prejudice", "Jane Austen",
		"It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want " +
			"of a wife.\\n\\nHowever little known the feelings or views of such a man may be on his first entering a " +
			"neighbourhood, this truth is so well fixed in the minds of the surrounding families, that he is " +
			"considered as the rightful property of some one or other of their daughters.\\n\\n“My dear Mr. Bennet,” " +
			"said his lady to him one day, “have you heard that Netherfield Park is let at last?” "},
	BookBeowulf: {"Beowulf", "Beowulf poet",
		"Lo! the Spear-Danes’ glory through splendid achievements\nThe folk-kings’ former fame we have heard " +
			"of,\nHow princes displayed then their prowess-in-battle.\nOft Scyld the Scefing from scathers in " +
			"numbers\nFrom many a people their mead-benches tore. "},
	BookOriginOfSpecies: {"The Foundations of the Origin of Species", "Charles Darwin",
		"I. On Variation under Domestication, and on the Principles of Selection.\nAn individual organism placed " +
			"under new conditions sometimes varies in a small degree and in very trifling respects such as stature, " +
			"fatness, sometimes colour, health, habits in animals and probably disposition. Also habits of life " +
			"develop certain parts. Disuse atrophies.\nWhen the individual is multiplied for long periods by buds " +
			"the variation is yet small, though greater and occasionally a single bud or individual departs widely " +
			"from its type and continues steadily to propagate, by buds, such new kind. "},
}

// mobyDick is the text that the book holds twice.
const mobyDick = "Call me Ishmael. Some years ago—never mind how long precisely—having little or no money in my purse, and nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a way I have of driving off the spleen and regulating the circulation. Whenever I find myself growing grim about the mouth; whenever it is a damp, drizzly November in my soul; whenever I find myself involuntarily pausing before coffin warehouses, and bringing up the rear of every funeral I meet; and especially whenever my hypos get such an upper hand of me, that it requires a strong moral principle to prevent me from deliberately stepping into the street, and methodically knocking people’s hats off—then, I account it high time to get to sea as soon as I can. "
