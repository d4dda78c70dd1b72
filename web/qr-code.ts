// QR codes as SVG paths: black on white with the quiet zone that scanners need, in the light and dark theme.

import { encode } from 'uqr'

const QUIET_MODULES = 4 // The width of the quiet zone by ISO/IEC 18004.

// The level of error correction. L has the largest modules; M tolerates more camera noise.
export type Correction = 'L' | 'M'

export type QrPaths = { size: number; white: string; black: string }

// Draws one rectangle for each run of black modules in a row, which needs a third of the bytes of single
// modules and leaves no seams between them.
export function qrPaths(text: string, correction: Correction): QrPaths {
  const { data, size } = encode(text, { ecc: correction, border: QUIET_MODULES })
  const runs = data.flatMap((row, y) =>
    [
      ...row
        .map((isBlack) => (isBlack ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  )
  return { size, white: `M0 0h${size}v${size}H0z`, black: runs.join('') }
}
