"""Section D: temporal logic, from attention outputs near a Boolean or an integer to exact Booleans (D1 to D6)."""
