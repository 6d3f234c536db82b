package alfworld

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

// accepts says which classes of objects a class of receptacles may hold.
func accepts() map[string]string {
	return map[string]string{
		"ArmChair":     "BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl",
		"BathtubBasin": "Cloth DishSponge HandTowel SoapBar",
		"Bed":          "BaseballBat BasketBall Book CellPhone Laptop Newspaper Pillow TennisRacket",
		"Cabinet": "Book Bowl Box CD Candle Cloth Cup DishSponge Glassbottle HandTowel Kettle Ladle Mug Newspaper Pan " +
			"PepperShaker Plate Plunger Pot SaltShaker SoapBar SoapBottle SprayBottle TissueBox ToiletPaper " +
			"ToiletPaperRoll Vase WateringCan WineBottle",
		"Cart": "Candle Cloth DishSponge HandTowel Mug PaperTowel Plunger SoapBar SoapBottle SprayBottle Statue TissueBox " +
			"ToiletPaper ToiletPaperRoll Vase",
		"CoffeeMachine": "Mug",
		"CoffeeTable": "AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth " +
			"CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug " +
			"Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato RemoteControl SaltShaker SoapBar " +
			"SoapBottle Spatula Spoon SprayBottle Statue TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato " +
			"Vase Watch WateringCan WineBottle",
		"CounterTop": "AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth " +
			"CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug " +
			"Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato RemoteControl SaltShaker SoapBar " +
			"SoapBottle Spatula Spoon SprayBottle Statue TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato " +
			"Vase Watch WateringCan WineBottle",
		"Desk": "AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle KeyChain Laptop " +
			"Mug Newspaper Pen Pencil Plate RemoteControl SoapBottle SprayBottle Statue TennisRacket TissueBox " +
			"ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle",
		"DiningTable": "AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth " +
			"CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug " +
			"Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato RemoteControl SaltShaker SoapBar " +
			"SoapBottle Spatula Spoon SprayBottle Statue TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato " +
			"Vase Watch WateringCan WineBottle",
		"Drawer": "Book ButterKnife CD Candle CellPhone Cloth CreditCard DishSponge Fork HandTowel KeyChain Knife Ladle " +
			"Newspaper Pen Pencil PepperShaker RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle " +
			"TissueBox ToiletPaper ToiletPaperRoll Watch WateringCan",
		"Dresser": "AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle KeyChain Laptop " +
			"Mug Newspaper Pen Pencil Plate RemoteControl SprayBottle Statue TennisRacket TissueBox ToiletPaper " +
			"ToiletPaperRoll Vase Watch WateringCan WineBottle",
		"Fridge": "Apple Bowl Bread Cup Egg Glassbottle Lettuce Mug Pan Plate Pot Potato Tomato WineBottle",
		"GarbageCan": "Apple Bread CD Cloth DishSponge Egg HandTowel Lettuce Newspaper PaperTowel Pen Pencil Potato SoapBar " +
			"SoapBottle SprayBottle TissueBox ToiletPaper ToiletPaperRoll Tomato WineBottle",
		"HandTowelHolder": "HandTowel",
		"LaundryHamper":   "Cloth",
		"Microwave":       "Apple Bowl Bread Cup Egg Glassbottle Mug Plate Potato Tomato",
		"Ottoman":         "BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl",
		"Safe":            "CD CellPhone CreditCard KeyChain Statue Vase Watch",
		"Shelf": "AlarmClock Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup DishSponge Glassbottle HandTowel Kettle " +
			"KeyChain Mug Newspaper PaperTowel Pen Pencil PepperShaker Plate Pot RemoteControl SaltShaker SoapBar " +
			"SoapBottle SprayBottle Statue TissueBox ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle",
		"SideTable": "AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth " +
			"CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug " +
			"Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato RemoteControl SaltShaker SoapBar " +
			"SoapBottle Spatula Spoon SprayBottle Statue TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato " +
			"Vase Watch WateringCan WineBottle",
		"SinkBasin": "Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Glassbottle HandTowel Kettle Knife Ladle Lettuce Mug " +
			"Pan Plate Pot Potato SoapBar Spatula Spoon Tomato",
		"Sofa":        "BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl",
		"StoveBurner": "Kettle Pan Pot",
		"TVStand":     "TissueBox",
		"Toaster":     "",
		"Toilet": "Candle Cloth DishSponge HandTowel Newspaper PaperTowel SoapBar SoapBottle SprayBottle TissueBox " +
			"ToiletPaper ToiletPaperRoll",
		"ToiletPaperHanger": "ToiletPaper ToiletPaperRoll",
		"TowelHolder":       "Towel",
	}
}

// targets says for each task type which object the agent must bring where, or
// look at under which lamp: the combinations in the training games.
func targets() map[string]map[string]string {
	return map[string]map[string]string{
		pickAndPlace: {
			"ArmChair":    "Book Box CellPhone CreditCard KeyChain Laptop Newspaper Pillow RemoteControl",
			"Bed":         "Book CellPhone Laptop",
			"Cabinet":     "Book Candle DishSponge Glassbottle HandTowel Kettle SoapBottle SprayBottle",
			"Cart":        "Candle Cloth DishSponge SoapBar SoapBottle",
			"CoffeeTable": "Book Bowl CreditCard KeyChain RemoteControl Statue TissueBox Vase Watch",
			"CounterTop":  "Candle Cloth Glassbottle HandTowel Lettuce Pan PepperShaker SoapBottle SprayBottle",
			"Desk":        "AlarmClock Book CellPhone CreditCard KeyChain Laptop Pen Pencil",
			"DiningTable": "AlarmClock Box CD CellPhone CreditCard Glassbottle Pan SaltShaker Tomato Watch WineBottle",
			"Drawer": "ButterKnife Candle CellPhone Cloth CreditCard Fork KeyChain Pen PepperShaker SoapBar SoapBottle " +
				"SprayBottle ToiletPaper",
			"Dresser":    "AlarmClock Book Box CD Candle CellPhone KeyChain Mug Pencil Plate RemoteControl Statue TissueBox",
			"Fridge":     "Bowl Egg Glassbottle",
			"GarbageCan": "HandTowel Newspaper Pencil SoapBar SoapBottle SprayBottle TissueBox ToiletPaper",
			"Microwave":  "Bread Egg Potato Tomato",
			"Ottoman":    "KeyChain Laptop Newspaper Pillow RemoteControl",
			"Safe":       "CD CellPhone KeyChain Vase",
			"Shelf":      "AlarmClock CD CellPhone CreditCard Kettle KeyChain Pen Pencil PepperShaker ToiletPaper Watch WineBottle",
			"SideTable": "AlarmClock Book ButterKnife CD Candle CellPhone KeyChain Knife Laptop Mug Pen Pencil PepperShaker " +
				"SoapBottle Statue TissueBox Vase",
			"Sofa":              "Book Box CreditCard KeyChain Laptop Newspaper Pillow RemoteControl",
			"StoveBurner":       "Kettle",
			"Toilet":            "Candle Cloth DishSponge HandTowel SoapBottle SprayBottle TissueBox ToiletPaper",
			"ToiletPaperHanger": "ToiletPaper",
		},
		pickTwo: {
			"ArmChair":    "CellPhone CreditCard KeyChain Newspaper Pillow RemoteControl",
			"Bed":         "Book CellPhone Laptop",
			"Cabinet":     "Candle Cup Kettle Mug PepperShaker SaltShaker SoapBar SoapBottle SprayBottle ToiletPaper WineBottle",
			"Cart":        "DishSponge SoapBar SoapBottle SprayBottle TissueBox",
			"CoffeeTable": "Bowl Box CreditCard KeyChain Newspaper Pencil Plate RemoteControl Statue TissueBox Vase Watch",
			"CounterTop":  "Candle Cup HandTowel Pan SaltShaker SoapBar SoapBottle Spoon SprayBottle ToiletPaper Tomato",
			"Desk":        "AlarmClock Book Bowl CD CellPhone CreditCard KeyChain Laptop Mug Pen Pencil Vase",
			"DiningTable": "Book CellPhone CreditCard Kettle PepperShaker Statue TissueBox Vase",
			"Drawer": "Book CD Candle CellPhone Cloth CreditCard KeyChain Knife Ladle Newspaper Pen Pencil PepperShaker " +
				"SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle TissueBox ToiletPaper",
			"Dresser":    "AlarmClock Book Bowl CD CellPhone CreditCard KeyChain Pen SprayBottle Statue Watch",
			"Fridge":     "Bread Glassbottle Lettuce Potato",
			"GarbageCan": "Apple CD DishSponge Newspaper Pen SoapBar SoapBottle SprayBottle TissueBox WineBottle",
			"Microwave":  "Cup Egg Potato",
			"Ottoman":    "KeyChain Laptop Pillow RemoteControl",
			"Safe":       "CD CellPhone CreditCard KeyChain",
			"Shelf": "AlarmClock CD Candle CellPhone Cloth CreditCard Cup Glassbottle KeyChain Pen Pencil PepperShaker Pot " +
				"SaltShaker SoapBar TissueBox ToiletPaper Watch WateringCan",
			"SideTable": "AlarmClock CD CellPhone CreditCard KeyChain Pen Pencil PepperShaker SaltShaker Spoon Statue TissueBox " +
				"ToiletPaper Vase Watch",
			"Sofa":   "Book CellPhone CreditCard KeyChain Newspaper RemoteControl",
			"Toilet": "Candle Cloth DishSponge HandTowel SoapBar SoapBottle SprayBottle TissueBox ToiletPaper",
		},
		lookInLight: {
			"DeskLamp": "AlarmClock Book Bowl Box CD CellPhone CreditCard KeyChain Laptop Mug Newspaper Pen Pencil Pillow Plate " +
				"Statue TissueBox Vase Watch",
		},
		pickClean: {
			"Cabinet":       "Bowl Cloth Cup DishSponge Kettle Ladle Pan Plate SoapBar",
			"Cart":          "Cloth DishSponge SoapBar",
			"CoffeeMachine": "Mug",
			"CounterTop": "ButterKnife Cloth DishSponge Egg Fork Kettle Knife Ladle Lettuce Pan Plate Potato SoapBar Spatula Spoon " +
				"Tomato",
			"DiningTable": "Apple Bowl ButterKnife Egg Fork Kettle Knife Ladle Lettuce Pan Plate Pot Potato Spatula Spoon Tomato",
			"Drawer":      "ButterKnife Cloth DishSponge Fork Knife Ladle SoapBar Spatula Spoon",
			"Dresser":     "Cloth",
			"Fridge":      "Apple Bowl Egg Lettuce Pan Plate Pot Potato Tomato",
			"GarbageCan":  "Egg Lettuce Potato SoapBar Tomato",
			"Microwave":   "Apple Bowl Cup Egg Plate Potato Tomato",
			"Shelf":       "Bowl Cloth Cup DishSponge Kettle Plate Pot SoapBar",
			"SideTable":   "Apple ButterKnife Cup Egg Fork Knife Lettuce Potato Spatula Spoon Tomato",
			"StoveBurner": "Kettle Pan Pot",
			"Toilet":      "Cloth DishSponge SoapBar",
		},
		pickHeat: {
			"Cabinet":       "Cup Mug Plate",
			"CoffeeMachine": "Mug",
			"CounterTop":    "Apple Bread Cup Egg Plate Potato Tomato",
			"DiningTable":   "Apple Bread Cup Egg Plate Potato Tomato",
			"Fridge":        "Apple Bread Cup Egg Plate Potato Tomato",
			"GarbageCan":    "Apple Bread Egg Potato Tomato",
			"Shelf":         "Cup Mug Plate",
			"SideTable":     "Apple Cup Egg Mug Plate Potato Tomato",
		},
		pickCool: {
			"Cabinet":       "Bowl Cup Mug Pan Plate Pot WineBottle",
			"CoffeeMachine": "Mug",
			"CounterTop":    "Apple Bowl Bread Egg Lettuce Pan Plate Pot Potato Tomato WineBottle",
			"DiningTable":   "Apple Bowl Bread Cup Lettuce Pan Plate Pot Potato Tomato WineBottle",
			"GarbageCan":    "Apple Egg Lettuce Potato Tomato WineBottle",
			"Microwave":     "Apple Bowl Bread Cup Egg Mug Plate Potato Tomato",
			"Shelf":         "Bowl Cup Mug Plate Pot",
			"SideTable":     "Apple Cup Egg Mug Potato",
			"StoveBurner":   "Pan Pot",
		},
	}
}
