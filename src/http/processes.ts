// Runs several HTTP processes on one port (MANILLA_PROCESSES). The primary runs the database and the workers
// and serves no requests. The other processes serve only HTTP. The primary replaces an HTTP process that
// dies. If the primary dies, the others stop.

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from '#log.ts'

const REPLACE_AFTER_MS = 1_000

export type HttpProcesses = { port: number; stop(): Promise<void> }

type Options = { count: number; role: string; connectionString: string; log: Logger }

export const isHttpProcess = cluster.isWorker

// Starts `count` HTTP processes. Resolves when all of them listen, and rejects if one cannot start. `role` is
// the command-line argument that makes a process serve HTTP.
export async function startHttpProcesses(options: Options): Promise<HttpProcesses> {
  const { count, role, connectionString, log } = options
  let isStopping = false
  cluster.setupPrimary({ args: [role] })

  // Only the primary runs the database and its backup. To the other processes the database is external.
  const env = { DATABASE_URL: connectionString, MANILLA_BACKUP_DIR: '' }
  const start = (): Worker => cluster.fork(env)
  // Starts a new process after a pause, in place of one that has exited while the service runs.
  const replace = (worker: Worker) => {
    if (isStopping) return
    log.error({ pid: worker.process.pid }, 'HTTP process exited; restarting')
    setTimeout(() => {
      if (!isStopping) start()
    }, REPLACE_AFTER_MS)
  }
  // Stops the HTTP processes. Resolves when they have finished their requests and exited.
  async function stop(): Promise<void> {
    isStopping = true
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      running.map((worker) => {
        const ended = once(worker, 'exit')
        worker.process.kill('SIGTERM')
        return ended
      }),
    )
  }

  const ports = await Promise.all(Array.from({ length: count }, () => portOnceListening(start())))
  cluster.on('exit', replace)
  return { port: ports[0] as number, stop }
}

// Resolves to the port of a process once it listens, and rejects if it exits before.
function portOnceListening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port))
    worker.once('exit', () => reject(new Error('HTTP process failed to start')))
  })
}
