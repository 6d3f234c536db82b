package minigrid

// Level is one of BabyAI's levels, as registered in MiniGrid 2.3.
type Level struct {
	// Number is AgentBoard's number of the level, from 1.
	Number int
	// ID is MiniGrid's name of the level.
	ID string

	roomSize, rows, columns int
	maxSteps                int // 0 if it depends on the instruction
	build                   func(*builder) *Instruction
}

// Levels lists the levels by number (§3.7). The caller must not change it.
func Levels() []Level { return levels }

var levels = []Level{
	{1, "BabyAI-GoToRedBallGrey-v0", 8, 1, 1, 0, redBall(7, true)},
	{2, "BabyAI-GoToRedBall-v0", 8, 1, 1, 0, redBall(7, false)},
	{3, "BabyAI-GoToRedBallNoDists-v0", 8, 1, 1, 0, redBall(0, false)},
	{4, "BabyAI-GoToObjS6-v0", 4, 1, 1, 0, oneObject},
	{5, "BabyAI-GoToLocalS8N7-v0", 8, 1, 1, 0, reachable(OpGoTo, 7, false)},
	{6, "BabyAI-GoToObjMazeS7-v0", 7, 3, 3, 0, reachable(OpGoTo, 1, true)},
	{7, "BabyAI-GoToImpUnlock-v0", 8, 3, 3, 0, goToImplicitUnlock},
	{8, "BabyAI-GoToSeqS5R2-v0", 5, 2, 2, 0, random(func(r *randomLevel) {
		r.distractors, r.lockedRoom, r.locations, r.unblocking = 4, 0, false, false
		r.actions = []Op{OpGoTo}
	})},
	{9, "BabyAI-GoToRedBlueBall-v0", 8, 1, 1, 0, redBlue},
	{10, "BabyAI-GoToDoor-v0", 7, 3, 3, 0, goToDoor},
	{11, "BabyAI-GoToObjDoor-v0", 8, 3, 3, 0, goToObjectOrDoor},
	{12, "BabyAI-Open-v0", 8, 3, 3, 0, openAny},
	{13, "BabyAI-OpenRedDoor-v0", 5, 1, 2, 0, openRed},
	{14, "BabyAI-OpenDoorLoc-v0", 8, 3, 3, 0, openByLocation},
	{15, "BabyAI-OpenRedBlueDoorsDebug-v0", 6, 3, 3, 720, openTwo},
	{16, "BabyAI-OpenDoorsOrderN4Debug-v0", 6, 3, 3, 720, openInOrder},
	{17, "BabyAI-Pickup-v0", 8, 3, 3, 0, reachable(OpPickup, 18, true)},
	{18, "BabyAI-UnblockPickup-v0", 8, 3, 3, 0, unblockPickup},
	{19, "BabyAI-PickupLoc-v0", 8, 1, 1, 0, random(func(r *randomLevel) {
		r.distractors, r.lockedRoom, r.unblocking = 8, 0, false
		r.actions, r.instructions = []Op{OpPickup}, []instructionForm{single}
	})},
	{20, "BabyAI-PickupDistDebug-v0", 7, 1, 1, 0, pickupDistinct},
	{21, "BabyAI-PickupAbove-v0", 6, 3, 3, 288, pickupAbove},
	{22, "BabyAI-PutNextLocalS6N4-v0", 6, 1, 1, 0, putNextLocal},
	{23, "BabyAI-PutNextS7N4Carrying-v0", 7, 1, 2, 392, putNextCarrying},
	{24, "BabyAI-Unlock-v0", 8, 3, 3, 0, unlock},
	{25, "BabyAI-UnlockLocalDist-v0", 8, 3, 3, 0, unlockLocal},
	{26, "BabyAI-KeyInBox-v0", 8, 3, 3, 0, keyInBox},
	{27, "BabyAI-UnlockPickupDist-v0", 6, 1, 2, 0, unlockPickup},
	{28, "BabyAI-BlockedUnlockPickup-v0", 6, 1, 2, 576, blockedUnlockPickup},
	{29, "BabyAI-UnlockToUnlock-v0", 6, 1, 3, 1080, unlockToUnlock},
	{30, "BabyAI-ActionObjDoor-v0", 7, 3, 3, 0, actionObjectOrDoor},
	{31, "BabyAI-FindObjS7-v0", 7, 3, 3, 980, findObject},
	{32, "BabyAI-KeyCorridorS6R3-v0", 6, 3, 3, 1080, keyCorridor},
	{33, "BabyAI-OneRoomS20-v0", 20, 1, 1, 0, oneRoom},
	{34, "BabyAI-MoveTwoAcrossS8N9-v0", 8, 1, 2, 1024, moveTwoAcross},
	{35, "BabyAI-SynthS5R2-v0", 5, 2, 3, 0, random(func(r *randomLevel) {
		r.locations, r.implicitly = false, false
		r.instructions = []instructionForm{single}
	})},
	{36, "BabyAI-SynthLoc-v0", 8, 3, 3, 0, random(func(r *randomLevel) {
		r.implicitly = false
		r.instructions = []instructionForm{single}
	})},
	{37, "BabyAI-SynthSeq-v0", 8, 3, 3, 0, random(func(r *randomLevel) { r.implicitly = false })},
	{38, "BabyAI-MiniBossLevel-v0", 5, 2, 2, 0, random(func(r *randomLevel) { r.distractors, r.lockedRoom = 7, 0.25 })},
	{39, "BabyAI-BossLevel-v0", 8, 3, 3, 0, random(func(*randomLevel) {})},
	{40, "BabyAI-BossLevelNoUnlock-v0", 8, 3, 3, 0,
		random(func(r *randomLevel) { r.lockedRoom, r.implicitly = 0, false })},
}
