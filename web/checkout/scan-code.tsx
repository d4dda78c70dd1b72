// The page's link as a QR code on wide screens, to continue on the phone with the bank's app. Elsewhere the
// image is not loaded.

import { checkoutStrings as strings } from '../copy.ts'
import type { Model } from './checkout.ts'

export function ScanCode({ checkout }: Pick<Model, 'checkout'>) {
  const { adviceReference } = checkout
  return (
    <div class="scan">
      <img
        src={`/pay/${adviceReference}/qr.svg`}
        loading="lazy"
        width="144"
        height="144"
        alt={strings.scanAlt}
      />
      <div>
        <p class="scan-title">{strings.scan}</p>
        <p class="hint">{strings.scanHint}</p>
      </div>
    </div>
  )
}
