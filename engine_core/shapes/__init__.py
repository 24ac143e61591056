"""What a shape is: settings cooked into arrays; bounds, mass, support, ray."""
