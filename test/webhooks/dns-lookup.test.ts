// Resolves names at the name server, and tells "no such name" from "no answer".

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { lookupFor, queryNameServers } from '#ssrf-guard.ts'

const TYPE_A = 1
const NO_SUCH_NAME = 3
const SERVER_FAILURE = 2

test('both families are asked, and IPv4 comes first', async () => {
  await using server = await nameServer(0)
  assert.deepEqual(await queryNameServers([server.address])('shop.example.ng'), [
    { address: '1.2.3.4', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
})

test('a name that does not exist is distinguished from a name server that fails', async () => {
  await using absent = await nameServer(NO_SUCH_NAME)
  await using failing = await nameServer(SERVER_FAILURE)
  await assert.rejects(queryNameServers([absent.address])('gone.example.ng'), { code: 'ENOTFOUND' })
  await assert.rejects(queryNameServers([failing.address])('shop.example.ng'), {
    code: 'EAI_AGAIN',
  })
})

test('the sandbox knows the names of the hosts file', async () => {
  const addresses = await lookupFor('sandbox')('localhost')
  assert(addresses.some(({ address }) => address === '127.0.0.1' || address === '::1'))
})

// Starts a name server that answers every query with one address of the requested kind if `code` is 0,
// and otherwise with that error code.
async function nameServer(code: number) {
  const socket = createSocket('udp4')
  socket.on('message', (query, sender) => {
    // The name in the question ends with a zero byte, followed by two bytes each for its type and class.
    const questionEnd = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(questionEnd - 4) === TYPE_A
    const data = Buffer.from(isA ? '01020304' : '26064700000000000000000000000001', 'hex')
    // A response has the query's id, its error code in the fourth byte, and the number of answers in the
    // eighth.
    const header = Buffer.from([0, 0, 0x81, 0x80 | code, 0, 1, 0, code === 0 ? 1 : 0, 0, 0, 0, 0])
    query.copy(header, 0, 0, 2)
    const record = Buffer.from([0xc0, 12, 0, isA ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length])
    const answer = code === 0 ? [record, data] : []
    const reply = Buffer.concat([header, query.subarray(12, questionEnd), ...answer])
    socket.send(reply, sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const close = async () => {
    socket.close()
    await once(socket, 'close')
  }
  return { address: `127.0.0.1:${socket.address().port}`, [Symbol.asyncDispose]: close }
}
