"""Areas: overlaps as events, gravity and damping overrides by priority."""
