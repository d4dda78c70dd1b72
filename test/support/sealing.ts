// What a test must give a domain function so that it seals as the service does.

import { Sealer } from '#seal.ts'
import type { Bench } from './running-service.ts'

export function sealingOf({ config }: Pick<Bench, 'config'>) {
  const { data, hash } = config.secrets
  return { sealer: new Sealer(data, hash), mode: config.mode }
}
