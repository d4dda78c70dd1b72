// An SMTP server on loopback that fails on demand: at a chosen command it refuses, hangs or drops the
// connection. It stores every mail that it accepted.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

// A fault at a command; DOT is the end of the mail's text. `{ at: 'DOT', accepts: true, answer: 'drop' }`
// accepts the mail but drops the connection instead of saying so. `stall` at DATA asks for the mail and
// never reads it.
export type MailFault = {
  at: 'CONNECT' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'DOT'
  answer: 'hang' | 'drop' | 'stall' | `${number} ${string}`
  accepts?: true
  to?: string // Only for this recipient.
  isLasting?: true // Otherwise the fault happens once.
}

export type AcceptedMail = { from: string; to: string; raw: string }

// A connection that hangs until the test drops it, answers in the server's place, or lets the server go on.
export type Hanging = {
  at: MailFault['at']
  drop: () => void
  answer: (line: string) => void
  goOn: () => void
}

type FindFault = (at: MailFault['at'], to: string) => MailFault | undefined
type Serving = {
  mails: AcceptedMail[]
  commands: string[]
  hanging: Hanging[]
  findFault: FindFault
}

// Starts the server. A test adds to `faults`; a fault that is not lasting is removed when it happens.
export async function startMailServer({ port = 0 } = {}) {
  const mails: AcceptedMail[] = []
  const faults: MailFault[] = []
  const commands: string[] = []
  const hanging: Hanging[] = []
  const sockets = new Set<Socket>()

  const findFault: FindFault = (at, to) => {
    const index = faults.findIndex((fault) => fault.at === at && (!fault.to || fault.to === to))
    const fault = faults[index]
    if (fault && !fault.isLasting) faults.splice(index, 1)
    return fault
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    serve(socket, { mails, commands, hanging, findFault })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo

  async function stop() {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { port: address.port, mails, faults, commands, hanging, stop }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

const HELLO = ['250-mail.test', '250-AUTH PLAIN', '250 SIZE 500000'].join('\r\n')

// Speaks SMTP on one connection, and fails where `findFault` says so.
function serve(socket: Socket, { mails, commands, hanging, findFault }: Serving): void {
  let [from, to, raw, unread] = ['', '', '', '']
  let isInData = false
  const say = (line: string) => void socket.write(`${line}\r\n`)
  // Applies the next fault at this command or, if there is none, does as a working server would.
  const answer = (at: MailFault['at'], otherwise: () => void) => {
    const fault = findFault(at, to)
    if (!fault) return otherwise()
    if (at === 'DOT' && fault.accepts) mails.push({ from, to, raw })
    const drop = () => void socket.destroy()
    if (fault.answer === 'hang')
      return void hanging.push({ at, drop, answer: say, goOn: otherwise })
    if (fault.answer === 'drop') return drop()
    if (fault.answer === 'stall') {
      say('354 go ahead')
      socket.pause()
      return void hanging.push({ at, drop, answer: say, goOn: () => socket.resume() })
    }
    say(fault.answer)
  }

  const verbs: Record<string, (line: string) => void> = {
    EHLO: () => answer('EHLO', () => say(HELLO)),
    AUTH: () => answer('AUTH', () => say('235 2.7.0 ok')),
    MAIL: (line) => {
      from = /<(.*?)>/.exec(line)?.[1] ?? ''
      answer('MAIL', () => say('250 2.1.0 ok'))
    },
    RCPT: (line) => {
      to = /<(.*?)>/.exec(line)?.[1] ?? ''
      answer('RCPT', () => say('250 2.1.5 ok'))
    },
    DATA: () =>
      answer('DATA', () => {
        isInData = true
        say('354 go ahead')
      }),
    QUIT: () => void socket.end('221 bye\r\n'),
  }

  // Handles a command line or, after DATA, the whole text of a mail.
  function receive(part: string): void {
    if (!isInData) {
      commands.push(part)
      const verb = verbs[part.slice(0, 4).toUpperCase()] ?? (() => say('250 ok'))
      verb(part)
      return
    }
    isInData = false
    raw = part.replaceAll('\r\n..', '\r\n.') // SMTP doubles a dot at the start of a line.
    answer('DOT', () => {
      mails.push({ from, to, raw })
      say('250 2.0.0 queued')
    })
  }

  answer('CONNECT', () => say('220 mail.test ESMTP'))
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1')
    for (;;) {
      const mark = isInData ? '\r\n.\r\n' : '\r\n'
      const end = unread.indexOf(mark)
      if (end < 0) return
      const part = unread.slice(0, end)
      unread = unread.slice(end + mark.length)
      receive(part)
    }
  })
}
