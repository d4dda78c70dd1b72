// A transaction pooler that is as strict as possible. It refuses unknown start-up parameters, and it runs
// each transaction of a client on another server connection than the last one, so code that relies on session
// state fails at once. It knows only two parts of the protocol: the lengths of messages, and ReadyForQuery,
// which says whether a transaction is open.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const KNOWN = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone']
const SSL_REQUEST = 80877103
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)
const QUERY = 'Q'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)

type Where = { host: string; port: number; user: string; database: string; servers: number }

// Starts the pooler in front of a database, with `servers` server connections.
export async function startPoolerProxy(where: Where) {
  const servers = await Promise.all(Array.from({ length: where.servers }, () => openServer(where)))
  const free = [...servers]
  const waiting: ((server: Server) => void)[] = []
  const clients = new Set<Socket>()
  // Lends the server connection that has been idle longest. A client that has just returned a connection thus
  // gets another one for its next transaction, unless no other connection is free.
  const take = (use: (server: Server) => void) => {
    const server = free.shift()
    if (server) use(server)
    else waiting.push(use)
  }
  // Takes a server connection back, and lends it to the client that has waited longest.
  const give = (server: Server) => {
    const next = waiting.shift()
    if (next) next(server)
    else free.push(server)
  }
  // Replaces a connection whose client disconnected within a transaction: closing it ends the transaction.
  const lose = (lost: Server) => {
    lost.socket.destroy()
    void openServer(where).then(
      (server) => {
        servers.splice(servers.indexOf(lost), 1, server)
        give(server)
      },
      () => {},
    )
  }
  const listener = createServer((socket) => {
    clients.add(socket.setNoDelay())
    socket.on('close', () => clients.delete(socket)).on('error', () => {})
    serve(socket, { take, give, lose })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `postgres://${where.user}@127.0.0.1:${port}/${where.database}`,
    transactions: () => servers.map(({ count }) => count), // By server connection.
    async [Symbol.asyncDispose]() {
      for (const socket of clients) socket.destroy()
      for (const { socket } of servers) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

type Sharing = {
  take: (use: (server: Server) => void) => void
  give: (server: Server) => void
  lose: (server: Server) => void
}

// Passes the messages of one client to borrowed server connections, and the answers back.
function serve(client: Socket, { take, give, lose }: Sharing): void {
  let server: Server | undefined
  let isWaitingForServer = false
  let owed = 0 // Outstanding answers to Sync and Query.
  const unsent: Buffer[] = []
  // Returns the borrowed server connection.
  const release = () => {
    if (server) {
      server.onMessage = () => {}
      give(server)
    }
    server = undefined
  }
  // Passes an answer to the client. The transaction is over when all answers have come and the session is
  // idle.
  const onAnswer = (message: Buffer) => {
    client.write(message)
    if (message[0] !== READY_FOR_QUERY) return
    owed -= 1
    if (owed === 0 && message[5] === IDLE) release()
  }
  // Sends the unsent messages, after borrowing a server connection if the client has none.
  const forward = () => {
    if (server) for (const message of unsent.splice(0)) send(server, message)
    else if (!isWaitingForServer && unsent.length > 0) {
      isWaitingForServer = true
      take((next) => {
        isWaitingForServer = false
        next.count += 1
        next.onMessage = onAnswer
        server = next
        forward()
      })
    }
  }
  // Sends a message to the server connection, and counts the answers that the server owes.
  const send = ({ socket }: Server, message: Buffer) => {
    if (message[0] === SYNC || message[0] === QUERY) owed += 1
    socket.write(message)
  }
  client.on('close', () => server && lose(server))
  // Queues a client's message for a server connection. The message Terminate is not passed on: it only
  // disconnects the client.
  const onMessage = (message: Buffer) => {
    if (message[0] === TERMINATE) return client.end()
    unsent.push(message)
    return forward()
  }
  readMessages(client, onMessage, (message) => greet(client, message))
}

// Answers a client's first message. Returns whether this was the start-up message: a client may ask for
// encryption before it, which is refused.
function greet(client: Socket, message: Buffer): boolean {
  if (message.readInt32BE(4) === SSL_REQUEST) {
    client.write('N')
    return false
  }
  const words = message.subarray(8).toString().split('\0')
  const unknown = words.find((name, at) => at % 2 === 0 && name !== '' && !KNOWN.includes(name))
  if (unknown) client.end(errorMessage('08P01', `unsupported startup parameter: ${unknown}`))
  else client.write(Buffer.concat([answer('R', Buffer.alloc(4)), answer('Z', Buffer.from('I'))]))
  return true
}

type Server = { socket: Socket; count: number; onMessage: (message: Buffer) => void }

// Connects to PostgreSQL and starts a session.
async function openServer({ host, port, user, database }: Where): Promise<Server> {
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  const ready = Promise.withResolvers<void>()
  const server: Server = { socket, count: 0, onMessage: () => {} }
  server.onMessage = (message) => {
    if (message[0] === READY_FOR_QUERY) ready.resolve()
  }
  socket.on('error', ready.reject)
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + parameters.length)
  head.writeInt32BE(196_608, 4) // Protocol version 3.0: 3 << 16.
  socket.write(Buffer.concat([head, parameters]))
  readMessages(socket, (message) => server.onMessage(message))
  await ready.promise
  return server
}

// Splits a stream into messages. A client's start-up message, unlike all others, has no type byte before its
// length.
function readMessages(
  socket: Socket,
  onMessage: (message: Buffer) => void,
  onGreeting?: (message: Buffer) => boolean,
): void {
  let bytes = Buffer.alloc(0)
  let isGreeted = onGreeting === undefined
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const offset = isGreeted ? 1 : 0
      if (bytes.length < offset + 4) return
      const length = offset + bytes.readInt32BE(offset)
      if (bytes.length < length) return
      const message = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      if (isGreeted) onMessage(message)
      else isGreeted = onGreeting?.(message) === true
    }
  })
}

// A message of the server.
function answer(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

function errorMessage(code: string, message: string): Buffer {
  return answer('E', Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`))
}
