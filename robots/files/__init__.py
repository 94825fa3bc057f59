"""Files of descriptions: reading, packages, XML and meshes."""
