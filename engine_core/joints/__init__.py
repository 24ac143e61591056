"""Joints: their data, how they are measured and prepared, and how a sub-step solves them, by trees and by colours."""
