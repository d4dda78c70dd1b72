// A QR code: black on white with the quiet zone that scanners need, in light and dark alike.

import { encode } from 'uqr'

const QUIET_MODULES = 4 // ISO/IEC 18004.

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_MODULES })
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={data.map(rowPath).join('')} />
    </svg>
  )
}

// One rectangle for each run of black: no seams between modules.
function rowPath(row: readonly boolean[], y: number): string {
  const modules = row.map((isBlack) => (isBlack ? '1' : '0')).join('')
  const runs = [...modules.matchAll(/1+/g)]
  return runs.map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`).join('')
}
