// A keyed, pseudo-random order of the numbers 0 … size−1. Index after index gives numbers that
// nobody without the key can foresee, and never one number twice, by construction: a Feistel
// network maps its domain one to one whatever its round function, and cycle walking keeps the
// walk inside [0, size).
//
// The order belongs to (key, size): a range keeps both for ever, or numbers would come again.

import { createCipheriv, createHmac } from 'node:crypto'

export const SIZE_MAX = 1_000_000_000
const KEY_BYTES_MIN = 16
const ROUNDS = 10 // as many as NIST's FF1

// At most 2^15 inputs reach a round, so each round function is a table, drawn once per order from
// the AES-256-CTR key stream. Measured for size 1e9: 1.4 ms to draw, 0.6 µs a call (0.9 µs where
// the walk is longest); one AES call a round took 16 µs, and four times that on a long walk.
type Order = { halfBits: number; rounds: Uint16Array }

// 640 kB an order at size 1e9; the oldest leaves when there are more than this.
const ORDERS_MAX = 64
const orders = new Map<string, Order>()

export function permute(key: Buffer, size: number, index: number): number {
  if (!Number.isInteger(size) || size < 1 || size > SIZE_MAX) {
    throw new RangeError(`A permutation has a size from 1 to ${SIZE_MAX}.`)
  }
  if (!Number.isInteger(index) || index < 0 || index >= size) {
    throw new RangeError('The index lies outside the permutation.')
  }
  const order = orderOf(key, size)
  let at = encrypt(order, index)
  while (at >= size) at = encrypt(order, at)
  return at
}

function encrypt({ halfBits, rounds }: Order, value: number): number {
  const mask = 2 ** halfBits - 1
  let left = value >>> halfBits
  let right = value & mask
  for (let round = 0; round < ROUNDS; round++) {
    const next = left ^ ((rounds[(round << halfBits) + right] as number) & mask)
    left = right
    right = next
  }
  return ((left << halfBits) | right) >>> 0
}

function orderOf(key: Buffer, size: number): Order {
  const name = `${size}:${key.toString('base64')}`
  const known = orders.get(name)
  if (known) return known
  const order = drawOrder(key, size)
  if (orders.size >= ORDERS_MAX) orders.delete(orders.keys().next().value as string)
  orders.set(name, order)
  return order
}

function drawOrder(key: Buffer, size: number): Order {
  if (key.length < KEY_BYTES_MIN) {
    throw new RangeError(`A permutation key has at least ${KEY_BYTES_MIN} bytes.`)
  }
  const bits = Math.max(2, (size - 1).toString(2).length)
  const halfBits = Math.ceil(bits / 2)
  const streamKey = createHmac('sha256', key).update(`manilla permutation v1 ${size}`).digest()
  const cells = ROUNDS << halfBits
  const stream = createCipheriv('aes-256-ctr', streamKey, Buffer.alloc(16)).update(
    Buffer.alloc(cells * 2),
  )
  const rounds = new Uint16Array(cells)
  // Little-endian on every machine: the order must not depend on where it is computed.
  for (let cell = 0; cell < cells; cell++) rounds[cell] = stream.readUInt16LE(cell * 2)
  return { halfBits, rounds }
}
