// What runs in the service: the first drawing of the page, as text.

import { STRINGS } from './strings.ts'

export function drawPage(): string {
  return STRINGS.notFoundTitle
}
