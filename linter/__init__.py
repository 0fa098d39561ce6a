"""The core: reads a model, knows the targets, predicts placement, runs the checks it is handed."""
