"""Areas: overlaps as events, gravity and damping overrides by priority. Nothing is built here yet."""
