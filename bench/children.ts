// The bench's own processes: each a file of this folder with a channel to us. They end when we do,
// because they end when their channel closes.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadResult, Report } from './load.ts'
import { type Cast, type CpuSplit, cpuBetween, readCpu } from './processes.ts'

export type Child = AsyncDisposable & {
  pid: number
  process: ChildProcess
}

export function startChild(file: string): Child {
  const child = fork(join(import.meta.dirname, file), [], { serialization: 'advanced' })
  return {
    pid: child.pid as number,
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

// The first thing that it says.
export function ask<T>(child: Child, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a rival ended with ${code}`))
    child.process.once('exit', onExit)
    child.process.once('message', (answer) => {
      child.process.off('exit', onExit)
      resolve(answer as T)
    })
    child.process.send(message, (error) => error && reject(error))
  })
}

export type Measured = LoadResult & { perSecond: number; cpu: CpuSplit | undefined }

// Gives a process its job; CPU is counted while it measures, not while it warms up.
export async function measure(child: Child, job: object, cast: Cast): Promise<Measured> {
  const start: { cpu?: ReturnType<typeof readCpu> } = {}
  const all = { ...cast, generator: cast.generator ?? child.pid }
  let cpu: CpuSplit | undefined
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a load process ended with ${code}`))
    const onMessage = (message: Report) => {
      if (message.at === 'warm') start.cpu = readCpu(all)
      if (message.at === 'measured') cpu = cpuBetween(start.cpu, readCpu(all))
      if (message.at !== 'done') return
      child.process.off('message', onMessage).off('exit', onExit)
      const { at: _, ...result } = message
      resolve({ ...result, perSecond: result.items / result.seconds, cpu })
    }
    child.process.on('message', onMessage).on('exit', onExit)
    child.process.send(job, (error) => error && reject(error))
  })
}
