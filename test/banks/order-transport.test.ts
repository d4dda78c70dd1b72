// The HTTP client never repeats a payout order by itself (I47), so that "not sent" stays true (I105). Over
// HTTP/2 a server may claim that it refused a request unread although it has read it, and HTTP clients
// repeat such requests.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants, createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Agent, setGlobalDispatcher } from 'undici'
import { kobo } from '#money.ts'
import { certificate, privateKey } from '../webhooks/self-signed.ts'
import { FULL_CASES, type FullCase } from './full-cases.ts'
import { callsTo } from './scripted-bank.ts'

setGlobalDispatcher(new Agent({ allowH2: true })) // undici's default, unless Node set it first.

const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' }
const ORDER = { reference: 'p-1', amountKobo: kobo(5n), currency: 'NGN', to, narration: 'n' }

// Starts a bank that reads orders and then claims that it refused them unread. In HTTP/2 it claims this with
// the error REFUSED_STREAM; in HTTP/1.1 it only hangs up.
async function startDenyingBank(login: FullCase['api']['login']) {
  const orders: string[] = []
  const server = createSecureServer({ key: privateKey, cert: certificate, allowHTTP1: true })
  server.on('request', async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (`${request.method} ${request.url}` === login?.line) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(login.answer('token-1')))
      return
    }
    orders.push(text)
    if (request.httpVersion === '2.0') request.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    orders,
    baseUrl: `https://localhost:${port}`,
    [Symbol.dispose]() {
      server.close()
    },
  }
}

for (const connectorCase of FULL_CASES.filter(({ connector }) =>
  ['manilla', 'monnify'].includes(connector),
)) {
  test(`${connectorCase.label}: an order that the bank denies to have read is not repeated`, async () => {
    using bank = await startDenyingBank(connectorCase.api.login)
    const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const { sendMoney } = callsTo(connectorCase, bank.baseUrl, 5_000)
      const answer = await sendMoney(ORDER, {})
      assert.equal(answer.status, 'unknown', JSON.stringify(answer))
      assert.equal(bank.orders.length, 1)
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })
}
