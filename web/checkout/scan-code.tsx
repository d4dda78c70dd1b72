// On a wide screen: the page's link as a QR code, to go on with the phone that has the bank's app. Where it
// is not shown, the image is not loaded either.

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
