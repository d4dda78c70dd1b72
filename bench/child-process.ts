// Starts files of this folder as child processes with an IPC channel, such as the load generator. They exit
// when the channel closes.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpuBetween, type Pids, readCpu } from './process-stats.ts'
import type { Phase, Slice } from './slice.ts'

export type Child = AsyncDisposable & { pid: number; process: ChildProcess }

// Starts a file of this folder as a child process. Disposing it closes the IPC channel, and so ends it.
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
  message: object | string,
  onMessage: (reply: Reply) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a process ended with ${code}`))
    // While onMessage() returns undefined, more replies to the same message follow.
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

// Runs one slice of load in the load generator, which reports when it is warm, when it has measured, and the
// slice when it is done. CPU time is measured only between the first two.
export function measure(child: Child, job: object, pids: Omit<Pids, 'load'>): Promise<Slice> {
  const measuredPids = { ...pids, load: child.pid }
  let [start, cpu]: Slice['cpu'][] = [] // Both stay undefined until the generator reports a phase.
  return request(child, job, (reply: Phase) => {
    if (reply.at === 'warm') start = readCpu(measuredPids)
    if (reply.at === 'measured') cpu = cpuBetween(start, readCpu(measuredPids))
    return reply.at === 'done' ? { ...reply.slice, cpu } : undefined
  })
}
