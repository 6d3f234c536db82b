// Package ulimit ends the process with one line where its limits are so low that the
// Go runtime would end it with a traceback, perhaps before main begins.
//
// It imports only syscall: packages are initialized in the order of their paths as
// soon as what they import is, so this one comes before those that open files.
package ulimit
