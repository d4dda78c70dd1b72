// Starts a real PgBouncer in transaction mode, if it is installed. It is configured to drop start-up
// parameters that it does not support, as hosted poolers do.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from './embedded-bench.ts'
import { freePort } from './free-port.ts'
import { createTempFolder } from './temp-folder.ts'

const IGNORED = 'options,statement_timeout,idle_in_transaction_session_timeout,extra_float_digits'

export const isPgBouncerInstalled = spawnSync('pgbouncer', ['--version']).status === 0

type Where = { host: string; port: number; user: string; database: string; servers: number }

// Starts PgBouncer in front of a database, with `servers` server connections.
export async function startPgBouncer({ host, port, user, database, servers }: Where) {
  const folder = createTempFolder()
  const listenPort = await freePort()
  const config = join(folder.path, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
${database} = host=${host} port=${port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${servers}
server_round_robin = 1
ignore_startup_parameters = ${IGNORED}
`,
  )
  chmodSync(config, 0o644)
  // PgBouncer refuses to run as root.
  const runAs = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...runAs, config], { stdio: 'ignore' })
  const closed = once(child, 'close')
  await until('PgBouncer listens', () => isListening(listenPort))
  return {
    url: `postgres://${user}@127.0.0.1:${listenPort}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
      folder[Symbol.dispose]()
    },
  }
}

// Whether something accepts connections on this port of the loopback interface.
async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  const answer = await promise
  socket.destroy()
  return answer
}
