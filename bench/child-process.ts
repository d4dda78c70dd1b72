// The bench's own processes: files of this folder, run with an IPC channel. They exit when it
// closes.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpuBetween, type Pids, readCpu } from './process-stats.ts'
import type { Phase, Slice } from './slice.ts'

export type Child = AsyncDisposable & { pid: number; process: ChildProcess }

export function startChild(file: string): Child {
  const child = fork(join(import.meta.dirname, file), [], { serialization: 'advanced' })
  return {
    pid: child.pid as number,
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await untilExited(child)
    },
  }
}

export async function untilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

// Sends a message and waits until `onMessage` returns a result for a reply.
export function request<Reply, T>(
  { process: child }: Child,
  message: object,
  onMessage: (reply: Reply) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a process ended with ${code}`))
    const onReply = (reply: unknown) => {
      const result = onMessage(reply as Reply)
      if (result === undefined) return
      child.off('message', onReply).off('exit', onExit)
      resolve(result)
    }
    child.on('message', onReply).on('exit', onExit)
    child.send(message, (error) => error && reject(error))
  })
}

// Runs one slice of load. CPU time is measured only after the warm-up.
export function measure(child: Child, job: object, pids: Omit<Pids, 'load'>): Promise<Slice> {
  const all = { ...pids, load: child.pid }
  let [start, cpu]: Slice['cpu'][] = []
  return request(child, job, (reply: Phase) => {
    if (reply.at === 'warm') start = readCpu(all)
    if (reply.at === 'measured') cpu = cpuBetween(start, readCpu(all))
    return reply.at === 'done' ? { ...reply.slice, cpu } : undefined
  })
}
