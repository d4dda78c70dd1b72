// The network between the service and its database, or between two databases: a TCP proxy that can
//
//   reset      cut all connections, with a reset
//   stall      keep all connections and pass nothing on, in either direction, until it is healed
//   half-open  accept data and lose it permanently, even after healing
//   slow       pass everything on late
//
// A half-open connection stays half open after healing: only new ones work.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

type Mode = 'clear' | 'stall' | 'half-open' | 'slow'
// `near` is the connection from the client, and `far` the one to the server. Data of a lost pair goes
// nowhere.
type Pair = { near: Socket; far: Socket | undefined; isLost: boolean }

export type FaultyLink = Awaited<ReturnType<typeof startFaultyLink>>

// Starts the proxy in front of `to`. Its methods set the fault of all connections, present and future.
export async function startFaultyLink(to: NetConnectOpts) {
  const pairs = new Set<Pair>()
  let mode: Mode = 'clear'
  let delayMs = 0

  // Accepts a connection and connects it to `to`. If one of the two closes, the other is closed too. On a
  // half-open link nothing is connected: data is accepted and lost.
  const server = createServer((near) => {
    const isLost = mode === 'half-open'
    const far = isLost ? undefined : connect(to)
    const pair = { near, far, isLost }
    pairs.add(pair)
    for (const [source, target] of [[near, far] as const, [far, near] as const]) {
      source?.setNoDelay(true)
      source?.on('error', () => {})
      source?.once('close', () => {
        target?.destroy()
        pairs.delete(pair)
      })
      if (source) forward(source, target, pair)
    }
  })

  // Forwards data in order: once data is delayed, later data queues behind it, even when the link is fast
  // again.
  function forward(source: Socket, target: Socket | undefined, pair: Pair): void {
    const delayed: Buffer[] = []
    source.on('data', (bytes: Buffer) => {
      if (pair.isLost || !target || target.destroyed) return
      if (mode !== 'slow' && delayed.length === 0) return void target.write(bytes)
      delayed.push(bytes)
      setTimeout(() => target.write(delayed.shift() as Buffer), delayMs)
    })
    if (mode === 'stall') source.pause()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const forEachSocket = (act: (socket: Socket) => void) => {
    for (const { near, far } of pairs) for (const socket of [near, far]) if (socket) act(socket)
  }

  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.size,
    reset() {
      forEachSocket((socket) => socket.resetAndDestroy())
    },
    stall() {
      mode = 'stall'
      forEachSocket((socket) => socket.pause())
    },
    halfOpen() {
      mode = 'half-open'
      for (const pair of pairs) pair.isLost = true
    },
    slow(ms: number) {
      delayMs = ms
      mode = 'slow'
    },
    heal() {
      mode = 'clear'
      forEachSocket((socket) => socket.resume())
    },
    async [Symbol.asyncDispose]() {
      forEachSocket((socket) => socket.destroy())
      await new Promise((closed) => server.close(closed))
    },
  }
}
