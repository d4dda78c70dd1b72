// The time zone of the times on the page.

import { appStrings } from '../../copy.ts'

export function TimeZoneNote() {
  return <p class="muted small zone-note">{appStrings.zone}</p>
}
