// Reads a QR code from the SVG that the checkout shows, as a phone's camera would.

import jsQr from 'jsqr'

const PIXELS = 4 // Per module.

// Paints the dark runs of the SVG into a bitmap, and decodes the bitmap. A run is a path "M<x>
// <y>h<length>v1". Returns undefined if no code can be read.
export function readQrCode(svg: string): string | undefined {
  const [, size = 0] = (/viewBox="0 0 (\d+) \d+"/.exec(svg) ?? []).map(Number)
  const side = size * PIXELS
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, ...run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    const [x = 0, y = 0, length = 0] = run.map(Number)
    for (let row = y * PIXELS; row < (y + 1) * PIXELS; row++) {
      for (let column = x * PIXELS; column < (x + length) * PIXELS; column++) {
        pixels.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
      }
    }
  }
  return jsQr.default(pixels, side, side)?.data
}
