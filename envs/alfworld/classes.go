package alfworld

import (
	_ "embed"
	"strings"
)

// The classes of things; names of classes are separated by spaces.
const (
	cleanable = "Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce Mug Pan Plate Pot Potato " +
		"SoapBar Spatula Spoon Tomato"
	heatable   = "Apple Bread Cup Egg Mug Plate Potato Tomato"
	coolable   = "Apple Bowl Bread Cup Egg Lettuce Mug Pan Plate Pot Potato Tomato WineBottle"
	sliceable  = "Apple Bread Egg Lettuce Potato Tomato"
	toggleable = "DeskLamp FloorLamp"
	holders    = "Bowl Box Cup Mug Pan Plate Pot"
	fixed      = "Bathtub Blinds Chair Curtains DeskLamp FloorLamp Footstool HousePlant LaundryHamperLid LightSwitch Mirror Painting " +
		"Poster ShowerDoor ShowerGlass Sink StoveKnob Television Window"

	// objectClasses are all classes that a problem declares.
	objectClasses = "AlarmClock Apple BaseballBat BasketBall Bathtub Blinds Book Boots Bowl Box Bread ButterKnife CD Candle CellPhone " +
		"Chair Cloth CreditCard Cup Curtains DeskLamp DishSponge Egg FloorLamp Footstool Fork Glassbottle HandTowel HousePlant Kettle " +
		"KeyChain Knife Ladle Laptop LaundryHamperLid Lettuce LightSwitch Mirror Mug Newspaper Painting Pan PaperTowel PaperTowelRoll " +
		"Pen Pencil PepperShaker Pillow Plate Plunger Poster Pot Potato RemoteControl SaltShaker ScrubBrush ShowerDoor ShowerGlass Sink " +
		"SoapBar SoapBottle Spatula Spoon SprayBottle Statue StoveKnob TeddyBear Television TennisRacket TissueBox ToiletPaper " +
		"ToiletPaperRoll Tomato Towel Vase Watch WateringCan Window WineBottle"
)

// appliance is the class of receptacles that a task type needs.
func appliance(taskType string) string {
	return map[string]string{pickClean: "SinkBasin", pickHeat: "Microwave", pickCool: "Fridge"}[taskType]
}

//go:embed receptacles.txt
var receptaclesText string

// accepts says which classes of objects a class of receptacles may hold.
func accepts() map[string][]string { return lists(receptaclesText) }

//go:embed targets.txt
var targetsText string

// targets says for each task type which objects the agent must bring to a class of
// receptacles, or look at under a lamp.
func targets() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for key, objects := range lists(targetsText) {
		taskType, target, _ := strings.Cut(key, "/")
		if out[taskType] == nil {
			out[taskType] = map[string][]string{}
		}
		out[taskType][target] = objects
	}
	return out
}

// lists reads a table of lists of words. Each begins with its name, a word with a colon.
func lists(table string) map[string][]string {
	out, name := map[string][]string{}, ""
	for _, words := range lines(table) {
		if first, ok := strings.CutSuffix(words[0], ":"); ok {
			name, words = first, words[1:]
		}
		out[name] = append(out[name], words...)
	}
	return out
}
