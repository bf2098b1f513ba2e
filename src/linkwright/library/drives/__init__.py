"""1-D drive trains: shafts (`rotational`), rods (`translational`), and drives mounted on moving parts (`mounted`)."""
