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
type Pair = { near: Socket; far: Socket | undefined; isLost: boolean }

export type FaultyLink = Awaited<ReturnType<typeof startFaultyLink>>

export async function startFaultyLink(to: NetConnectOpts) {
  const pairs = new Set<Pair>()
  let mode: Mode = 'clear'
  let delayMs = 0

  const server = createServer((near) => {
    const isLost = mode === 'half-open'
    const far = isLost ? undefined : connect(to)
    const pair = { near, far, isLost }
    pairs.add(pair)
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one?.setNoDelay(true)
      one?.on('error', () => {})
      one?.once('close', () => {
        other?.destroy()
        pairs.delete(pair)
      })
      if (one) pass(one, other, pair)
    }
  })

  // Passes data on in order, even when the link becomes fast again.
  function pass(one: Socket, other: Socket | undefined, pair: Pair): void {
    const late: Buffer[] = []
    one.on('data', (bytes: Buffer) => {
      if (pair.isLost || !other || other.destroyed) return
      if (mode !== 'slow' && late.length === 0) return void other.write(bytes)
      late.push(bytes)
      setTimeout(() => other.write(late.shift() as Buffer), delayMs)
    })
    if (mode === 'stall') one.pause()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const each = (act: (socket: Socket) => void) => {
    for (const { near, far } of pairs) for (const socket of [near, far]) if (socket) act(socket)
  }

  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.size,
    reset() {
      each((socket) => socket.resetAndDestroy())
    },
    stall() {
      mode = 'stall'
      each((socket) => socket.pause())
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
      each((socket) => socket.resume())
    },
    async [Symbol.asyncDispose]() {
      each((socket) => socket.destroy())
      await new Promise((closed) => server.close(closed))
    },
  }
}
