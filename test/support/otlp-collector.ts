// A collector of OpenTelemetry traces: takes OTLP over HTTP, in protobuf, and stores the spans. Parses
// the wire format itself, to test what is sent against the standard.

import { buffer } from 'node:stream/consumers'
import { httpReceiver } from '../webhooks/receivers.ts'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  attributes: Record<string, string | bigint | boolean>
  links: string[] // The ids of the spans.
  isError: boolean
}

type Field = { number: number; value: bigint | Buffer }
const ERROR = 2n

export async function startCollector() {
  const bodies: Buffer[] = []
  const headers: Record<string, unknown>[] = []
  const receiver = await httpReceiver(async (request, response) => {
    bodies.push(await buffer(request))
    headers.push({ ...request.headers, path: request.url })
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  return Object.assign(receiver, {
    headers,
    raw: () => Buffer.concat(bodies).toString('latin1'),
    spans: () => bodies.flatMap(spansOf),
    services: () => bodies.flatMap(servicesOf),
  })
}

function fields(bytes: Buffer): Field[] {
  const found: Field[] = []
  let at = 0
  const varint = () => {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = bytes[at++] as number
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
      shift += 7n
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = varint()
    const wire = Number(key & 7n)
    const value =
      wire === 0
        ? varint()
        : wire === 1
          ? take(8).readBigUInt64LE()
          : take(wire === 5 ? 4 : Number(varint()))
    found.push({ number: Number(key >> 3n), value })
  }
  return found
}

const all = (bytes: Buffer, number: number) =>
  fields(bytes).flatMap((field) => (field.number === number ? [field.value as Buffer] : []))
const first = (bytes: Buffer, number: number) => all(bytes, number)[0] ?? Buffer.alloc(0)

function servicesOf(body: Buffer): unknown[] {
  return all(body, 1).map((resource) => attributesOf(first(resource, 1), 1)['service.name'])
}

function spansOf(body: Buffer): CollectedSpan[] {
  const scopes = all(body, 1).flatMap((resource) => all(resource, 2))
  return scopes.flatMap((scope) => all(scope, 2)).map(spanOf)
}

function spanOf(span: Buffer): CollectedSpan {
  return {
    traceId: first(span, 1).toString('hex'),
    spanId: first(span, 2).toString('hex'),
    parentSpanId: first(span, 4).toString('hex'),
    name: first(span, 5).toString(),
    attributes: attributesOf(span, 9),
    links: all(span, 13).map((link) => first(link, 2).toString('hex')),
    isError: fields(first(span, 15)).some(({ number, value }) => number === 3 && value === ERROR),
  }
}

function attributesOf(bytes: Buffer, number: number): CollectedSpan['attributes'] {
  const entries = all(bytes, number).map((pair) => {
    const [field] = fields(first(pair, 2))
    const value = field?.value as bigint | Buffer
    const read = Buffer.isBuffer(value)
      ? value.toString()
      : field?.number === 2
        ? value > 0n
        : value
    return [first(pair, 1).toString(), read]
  })
  return Object.fromEntries(entries)
}
