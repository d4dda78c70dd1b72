// The hook of routes that exist in the sandbox only.

import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'

export function sandboxOnly({ mode }: Pick<Deps, 'mode'>): () => Promise<void> {
  return async () => {
    if (mode === 'live') throw new Refusal('sandbox_only')
  }
}
