"""From words to the element on the screen that they name: `naming` compares names, `targets` decides."""
