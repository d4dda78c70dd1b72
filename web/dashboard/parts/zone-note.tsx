// Which zone the times on the page are of; and whose days are counted, where those are others.

import { timeZone } from '../format.ts'
import { STRINGS } from '../strings.ts'

const SERVICE_OFFSET = 'GMT+1' // Of West Africa, all year round.

export function ZoneNote() {
  const { place, offset } = timeZone()
  return (
    <p class="muted small zone-note">
      {STRINGS.zone.times(place, offset)} {offset !== SERVICE_OFFSET && STRINGS.zone.days}
    </p>
  )
}
