// The sealer of a test service, for calls of functions that read or write personal data.

import { Sealer } from '#seal.ts'
import type { Bench } from './running-service.ts'

// The sealer with the service's keys, and the service's mode, which functions such as requestReturn take as
// dependencies.
export function sealingOf({ config }: Pick<Bench, 'config'>) {
  const { data, hash } = config.secrets
  return { sealer: new Sealer(data, hash), mode: config.mode }
}
