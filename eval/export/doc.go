// Package export writes episodes and verified trajectories as training data, in the
// forms that trainers read: conversations as they were played, with the turns that a
// model is trained on.
package export
