// Package jericho is AgentBoard's environment of text adventures.
package jericho
