"""Body segment parameters: masses, centres of mass and inertias, by P. de Leva.

P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29
(1996) 1223, table 4: 100 men and 15 women, young adults. A segment lies between two landmarks, the
proximal (or cranial) one first; the centre of mass is a fraction of the length from it, the radii
of gyration about the centre of mass are fractions of the same length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ConfigurationError, unknown


@dataclass(frozen=True)
class BodySegment:
    """One line of the table.

    Attributes:
        name: of the segment; a number distinguishes the same segment between other landmarks.
        ends: the landmarks between which it lies.
        length: of the average subject [m].
        mass: fraction of the body's mass.
        com: where the centre of mass is, fraction of the length from the first end.
        sagittal: radius of gyration about the axis forwards, fraction of the length.
        transverse: about the axis to the side.
        longitudinal: about the axis along the segment.
    """

    name: str
    ends: str
    length: float
    mass: float
    com: float
    sagittal: float
    transverse: float
    longitudinal: float

    def inertia(self, body_mass: float, length: float, along: str = "y") -> Array:
        """Return the inertia (3, 3) about the centre of mass [kg·m²].

        Axes are x forwards, y up, z to the right; `along` says which one lies along the segment:
        "y", or "x" for a foot, whose sagittal axis then points up.
        """
        if along not in "xy" or len(along) != 1:
            raise ConfigurationError(unknown("axis along a segment", along, "xy"))
        radii = (self.sagittal, self.longitudinal, self.transverse)
        if along == "x":
            radii = (self.longitudinal, self.sagittal, self.transverse)
        return self.mass * body_mass * np.diag(np.square(np.array(radii) * length))


# name, ends; of men: length [mm], mass, centre of mass, sagittal, transverse, longitudinal radius
# of gyration [%]; the same of women
_TABLE = """
head           VERT-MIDG  203.3  6.94 59.76 36.2 37.6 31.2   200.2  6.68 58.94 33.0 35.9 31.8
trunk          SUPR-MIDH  531.9 43.46 44.86 37.2 34.7 19.1   529.3 42.57 41.51 35.7 33.9 17.1
upper trunk    SUPR-XYPH  170.7 15.96 29.99 71.6 45.4 65.9   142.5 15.45 20.77 74.6 50.2 71.8
middle trunk   XYPH-OMPH  215.5 16.33 45.02 48.2 38.3 46.8   205.3 14.65 45.12 43.3 35.4 41.5
lower trunk    OMPH-MIDH  145.7 11.17 61.15 61.5 55.1 58.7   181.5 12.47 49.20 43.3 40.2 44.4
upper arm      SJC-EJC    281.7  2.71 57.72 28.5 26.9 15.8   275.1  2.55 57.54 27.8 26.0 14.8
forearm        EJC-WJC    268.9  1.62 45.74 27.6 26.5 12.1   264.3  1.38 45.59 26.1 25.7  9.4
hand           WJC-MET3    86.2  0.61 79.00 62.8 51.3 40.1    78.0  0.56 74.74 53.1 45.4 33.5
thigh          HJC-KJC    422.2 14.16 40.95 32.9 32.9 14.9   368.5 14.78 36.12 36.9 36.4 16.2
shank          KJC-AJC    434.0  4.33 43.95 25.1 24.6 10.2   432.3  4.81 43.52 26.7 26.3  9.2
foot           HEEL-TTIP  258.1  1.37 44.15 25.7 24.5 12.4   228.3  1.29 40.14 29.9 27.9 13.9
head 2         VERT-CERV  242.9  6.94 50.02 30.3 31.5 26.1   243.7  6.68 48.41 27.1 29.5 26.1
trunk 2        CERV-MIDH  603.3 43.46 51.38 32.8 30.6 16.9   614.8 42.57 49.64 30.7 29.2 14.7
trunk 3        MIDS-MIDH  515.5 43.46 43.10 38.4 35.8 19.7   497.9 42.57 37.82 37.9 36.1 18.2
upper trunk 2  CERV-XYPH  242.1 15.96 50.66 50.5 32.0 46.5   228.0 15.45 50.50 46.6 31.4 44.9
"""


def _read() -> dict[str, dict[str, BodySegment]]:
    tables: dict[str, dict[str, BodySegment]] = {"male": {}, "female": {}}
    for line in _TABLE.strip().splitlines():
        name, cells = line[:15].strip(), line[15:].split()
        values = [float(cell) for cell in cells[1:]]
        for sex, (mm, *percent) in (("male", values[:6]), ("female", values[6:])):
            fractions = [round(p / 100, 6) for p in percent]
            tables[sex][name] = BodySegment(name, cells[0], mm / 1e3, *fractions)
    return tables


DE_LEVA = _read()


def body_segment(name: str, sex: str = "male") -> BodySegment:
    """Return a line of de Leva's table: "thigh", "shank", "foot", "trunk 2", …, "male" or "female".

    Raises:
        ConfigurationError: no such segment or table.
    """
    if not isinstance(sex, str) or sex not in DE_LEVA:
        raise ConfigurationError(unknown("table", sex, DE_LEVA))
    if name not in DE_LEVA[sex]:
        raise ConfigurationError(unknown("body segment", name, DE_LEVA[sex]))
    return DE_LEVA[sex][name]
