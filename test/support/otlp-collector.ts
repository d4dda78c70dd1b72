// A collector of OpenTelemetry traces: receives OTLP over HTTP, in protobuf, and stores the spans. It
// parses the wire format itself, so that a test checks the sent bytes against the standard, not against the
// library that wrote them.

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

// A field of a protobuf message: a number, or bytes, which may be text or another message.
type Field = { number: number; value: bigint | Buffer }
const ERROR = 2n

// Starts the collector. `raw` is everything that it received, as text.
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

// Parses a protobuf message.
function fields(bytes: Buffer): Field[] {
  const parsed: Field[] = []
  let offset = 0
  // An integer of variable length: seven bits in each byte, the lowest first.
  const varint = () => {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = bytes[offset++] as number
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
      shift += 7n
    }
  }
  // The next bytes.
  const read = (length: number) => {
    offset += length
    return bytes.subarray(offset - length, offset)
  }
  while (offset < bytes.length) {
    const key = varint()
    const wire = Number(key & 7n) // 0: varint, 1: eight bytes, 2: bytes with their length, 5: four bytes.
    const value =
      wire === 0
        ? varint()
        : wire === 1
          ? read(8).readBigUInt64LE()
          : read(wire === 5 ? 4 : Number(varint()))
    parsed.push({ number: Number(key >> 3n), value })
  }
  return parsed
}

// The values of a repeated field, whose number is in the .proto files of OpenTelemetry; and the first of
// them.
const valuesOf = (bytes: Buffer, number: number) =>
  fields(bytes).flatMap((field) => (field.number === number ? [field.value as Buffer] : []))
const firstOf = (bytes: Buffer, number: number) => valuesOf(bytes, number)[0] ?? Buffer.alloc(0)

function servicesOf(body: Buffer): unknown[] {
  return valuesOf(body, 1).map((resource) => attributesOf(firstOf(resource, 1), 1)['service.name'])
}

// The spans of a request. They are grouped by resource, then by scope.
function spansOf(body: Buffer): CollectedSpan[] {
  const scopes = valuesOf(body, 1).flatMap((resource) => valuesOf(resource, 2))
  return scopes.flatMap((scope) => valuesOf(scope, 2)).map(spanOf)
}

// Reads a span by the field numbers of OpenTelemetry's trace.proto. Field 13 has the links to other spans,
// field 15 the status, whose field 3 says whether the span failed.
function spanOf(span: Buffer): CollectedSpan {
  return {
    traceId: firstOf(span, 1).toString('hex'),
    spanId: firstOf(span, 2).toString('hex'),
    parentSpanId: firstOf(span, 4).toString('hex'),
    name: firstOf(span, 5).toString(),
    attributes: attributesOf(span, 9),
    links: valuesOf(span, 13).map((link) => firstOf(link, 2).toString('hex')),
    isError: fields(firstOf(span, 15)).some(({ number, value }) => number === 3 && value === ERROR),
  }
}

// Reads the attributes of a message, which are the key-value pairs in this field.
function attributesOf(bytes: Buffer, number: number): CollectedSpan['attributes'] {
  const entries = valuesOf(bytes, number).map((pair) => {
    const [field] = fields(firstOf(pair, 2))
    const value = field?.value as bigint | Buffer
    // Field 2 of an attribute's value is a boolean.
    const typed = Buffer.isBuffer(value)
      ? value.toString()
      : field?.number === 2
        ? value > 0n
        : value
    return [firstOf(pair, 1).toString(), typed]
  })
  return Object.fromEntries(entries)
}
