// Renders a QR code.

import { qrPaths } from '../../qr-code.ts'

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, white, black } = qrPaths(text, 'M')
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={white} />
      <path fill="#000" d={black} />
    </svg>
  )
}
