// The thing under torture, all of it: volumes, database, link, bank, receivers, and the service's own
// processes. What was started is stopped in reverse.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBank, type WitnessedBank } from './bank.ts'
import { type Database, startDatabase } from './database.ts'
import { type FaultyLink, startFaultyLink } from './faulty-link.ts'
import type { Random } from './random.ts'
import { type Receivers, startReceivers } from './receivers.ts'
import { type Roles, startRoles } from './roles.ts'
import { openVolumes, type Volumes } from './volumes.ts'
import type { Witness } from './witness.ts'

export type Target = AsyncDisposable & {
  folder: string
  logs: string
  volumes: Volumes
  database: Database
  link: FaultyLink
  bank: WitnessedBank
  receivers: Receivers
  roles: Roles
}

type Given = { folder: string; witness: Witness; random: Random }

export async function startTarget({ folder, witness, random }: Given): Promise<Target> {
  await using stack = new AsyncDisposableStack()
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  const volumes = stack.use(openVolumes(folder))
  const database = stack.use(await startDatabase(volumes, logs))
  const link = stack.use(await startFaultyLink({ port: database.port, host: '127.0.0.1' }))
  const bank = stack.use(await startBank(witness, random))
  const receivers = stack.use(await startReceivers(witness))
  const { banks } = bank
  const roles = stack.use(await startRoles({ database, linkPort: link.port, banks, folder, logs }))
  const whole = stack.move()
  return {
    ...{ folder, logs, volumes, database, link, bank, receivers, roles },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}
