"""Files of descriptions: sources, packages, XML and meshes."""
