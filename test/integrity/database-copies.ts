// Copies of a database as a test has filled it: some 20 ms each, where filling it anew takes half a
// second. The service on it is closed first, because a database is copied at rest.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createPool } from '#db/pool.ts'
import type { Bench } from './running-service.ts'

export async function freeze(bench: Bench) {
  const { connectionString } = bench.database
  const [, original = ''] = /\/(manilla_[0-9a-f]+)/.exec(connectionString) ?? []
  await bench.service.close()
  await bench.db.end()
  const admin = new pg.Client(connectionString.replace(original, 'postgres'))
  await admin.connect()
  const drop = (name: string) => admin.query(`drop database ${name} with (force)`)

  return {
    async copy() {
      const name = `manilla_${randomBytes(6).toString('hex')}`
      await admin.query(`create database ${name} template ${original} strategy file_copy`)
      const db = createPool({
        connectionString: connectionString.replace(original, name),
        max: 2,
        onIdleError: () => {},
      })
      return {
        db,
        async [Symbol.asyncDispose]() {
          await db.end()
          await drop(name)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await drop(original)
      await admin.end()
    },
  }
}
