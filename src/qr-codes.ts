// QR codes as SVG: black on white with the quiet zone that scanners need, in light and dark alike.

import { encode } from 'uqr'

const QUIET_MODULES = 4 // ISO/IEC 18004.

// One rectangle for each run of black: a third of the bytes of one for each module, and no seams.
export function qrCode(text: string): string {
  // On screens nothing is torn or stained: the least correction, and so the largest modules.
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_MODULES })
  const runs = data.flatMap((row, y) =>
    [
      ...row
        .map((isBlack) => (isBlack ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`),
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" ` +
    `shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/>` +
    `<path d="${runs.join('')}"/></svg>`
  )
}
