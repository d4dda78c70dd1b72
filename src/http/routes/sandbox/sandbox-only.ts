// Hook of routes that only a sandbox has.

import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'

export const sandboxOnly = (mode: Deps['mode']) => async () => {
  if (mode === 'live') throw new Refusal('sandbox_only')
}
