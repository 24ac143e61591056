"""What the recorder wrote, made readable."""
