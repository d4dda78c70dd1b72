// Which zone the times and days on the page are of.

import { STRINGS } from '../strings.ts'

export function ZoneNote() {
  return <p class="muted small zone-note">{STRINGS.zone}</p>
}
