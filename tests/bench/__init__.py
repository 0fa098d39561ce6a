"""How long tflint takes, beside other tools that read a `.tflite` file. By hand: `docs/speed.md`."""
