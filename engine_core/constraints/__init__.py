"""Joints and contact constraints as rows ready to solve."""
