// Package minigrid is MiniGrid's grid world with the levels of BabyAI: rooms, doors, keys, balls and boxes, an
// agent that sees seven by seven cells, an instruction and its verifier. A level and a seed give the same world as
// in MiniGrid 2.3, bit for bit.
//
// Section numbers in comments refer to the specification of the reference's behaviour.
package minigrid

// Point is a cell of the grid, or a vector between cells; y grows downwards.
type Point struct{ X, Y int }

// Add returns p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub returns the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Times returns p n times.
func (p Point) Times(n int) Point { return Point{p.X * n, p.Y * n} }

// Distance returns the Manhattan distance.
func (p Point) Distance(q Point) int { return abs(p.X-q.X) + abs(p.Y-q.Y) }

func (p Point) dot(q Point) int { return p.X*q.X + p.Y*q.Y }

func abs(n int) int { return max(n, -n) }

// nowhere is where a carried object is.
var nowhere = Point{-1, -1}

// Direction is the direction that the agent faces.
type Direction uint8

// The directions, clockwise.
const (
	East Direction = iota
	South
	West
	North
)

// Vector returns the direction as a step of one cell.
func (d Direction) Vector() Point {
	return [4]Point{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}[d]
}

// Right returns the direction a quarter turn clockwise.
func (d Direction) Right() Direction { return (d + 1) % 4 }

// Left returns the direction a quarter turn counterclockwise.
func (d Direction) Left() Direction { return (d + 3) % 4 }

// Pose is a position and a direction.
type Pose struct {
	Point
	Dir Direction
}

// Front returns the cell in front.
func (p Pose) Front() Point { return p.Add(p.Dir.Vector()) }

// Kind is the kind of an object; its values are MiniGrid's codes.
type Kind uint8

// The kinds in BabyAI. Unseen is a cell that is not visible, Empty a cell without an object.
const (
	Unseen Kind = 0
	Empty  Kind = 1
	Wall   Kind = 2
	Door   Kind = 4
	Key    Kind = 5
	Ball   Kind = 6
	Box    Kind = 7
)

// AnyKind matches every kind in a Descriptor.
const AnyKind = Unseen

func (k Kind) String() string {
	return [...]string{Unseen: "unseen", Empty: "empty", Wall: "wall", Door: "door", Key: "key", Ball: "ball",
		Box: "box"}[k]
}

// Color is a color; its values are MiniGrid's codes.
type Color uint8

// The colors.
const (
	Red Color = iota
	Green
	Blue
	Purple
	Yellow
	Grey
	// AnyColor matches every color in a Descriptor.
	AnyColor
)

func (c Color) String() string {
	return [...]string{"red", "green", "blue", "purple", "yellow", "grey", "any"}[c]
}

// DoorState is a door's state; its values are MiniGrid's codes. Other objects have the state 0.
type DoorState uint8

// The states of a door.
const (
	Open DoorState = iota
	Closed
	Locked
)

func (s DoorState) String() string { return [...]string{"open", "closed", "locked"}[s] }

// Code is the visible content of a cell.
type Code struct {
	Kind  Kind
	Color Color
	State DoorState
}

// ID names an object of a world.
type ID int16

// The first IDs stand for no object and for any wall.
const (
	None ID = iota
	wall
)

// openWall marks, among a room's doors, a wall that was removed.
const openWall ID = -1

// Object is a thing in a world.
type Object struct {
	Code
	// Content is what a box holds, or None.
	Content ID
	// Pos is the object's position, or (-1,-1) while it is carried. An object that is carried from the start keeps
	// its first position until it is dropped.
	Pos Point
}
