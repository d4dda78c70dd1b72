// Sends one message to a mail server over SMTP, or to the HTTP gateway of SMS and WhatsApp, and returns the
// outcome. A mail server has accepted a mail if it answers 250 after the final dot; the gateway has if it
// answers 2xx. Without an answer the outcome is unknown, and the message is never sent again (I150).

import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { buildConnector, Client, request } from 'undici'
import type { GatewaySettings, MessageSettings, SmtpSettings } from '#config/message-settings.ts'
import { sign, signatureHeaders, toUnixSeconds } from '#standard-webhooks.ts'
import type { Channel } from './recipients.ts'

export type SendResult =
  | { outcome: 'accepted' }
  | { outcome: 'deferred'; problem: string; isOutage: boolean } // Not accepted: try again.
  | { outcome: 'refused'; problem: string; isBounce: boolean } // Final: never sent again.
  | { outcome: 'unknown'; problem: string } // No answer came after the whole message was handed over.
  | { outcome: 'withdrawn' } // The message must not be sent any more.

export type TransportName = 'smtp' | 'gateway'

export const TRANSPORT_CHANNELS: Readonly<Record<TransportName, readonly Channel[]>> = {
  smtp: ['email'],
  gateway: ['sms', 'whatsapp'],
}

type Service = { mode: 'sandbox' | 'live'; messages: Pick<MessageSettings, 'smtp' | 'from'> }

// Whether mails leave, or are caught for the inbox of a sandbox.
export function mailsUsers({ mode, messages: { smtp, from } }: Service): boolean {
  return mode === 'sandbox' || (smtp !== undefined && from !== undefined)
}

const CONNECT_TIMEOUT_MS = 10_000
const SILENCE_MAX_MS = 60_000
const PROBLEM_LENGTH_MAX = 300

type Mail = {
  from: { name: string; address: string }
  to: string
  replyTo: string | null
  subject: string
  text: string
  html: string
  messageId: string // Without angle brackets.
  date: Date
  attachments: readonly { name: string; mediaType: string; text: string }[]
}

type Sending = {
  // Commits that the mail is being handed over. Resolves to false if the mail must not be sent any more.
  begin: () => Promise<boolean>
  signal: AbortSignal // Aborts the attempt.
}

type SmtpError = Error & {
  responseCode?: number
  response?: string
  command?: string
  code?: string
}

export async function sendMail(
  smtp: SmtpSettings,
  mail: Mail,
  { begin, signal }: Sending,
): Promise<SendResult> {
  const raw = await compose(mail)
  const connection = connect(smtp)
  const isOver = { all: false }
  // The connection reads this stream only after the server has answered 354. The final dot follows the end of
  // the stream.
  const message = Readable.from(handOver(raw, { begin, isOver }), { objectMode: false })
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(new Error('the mail server took too long'))
  signal.addEventListener('abort', stop)
  try {
    // If the connection is closed during a command, its callback never runs, so the race ends the wait.
    await Promise.race([
      stopped.promise,
      hand(connection, smtp, { mail, size: raw.length, message }),
    ])
    connection.quit()
    return { outcome: 'accepted' }
  } catch (error) {
    connection.close()
    return judge(error as SmtpError, { isHandedOver: isOver.all, to: mail.to })
  } finally {
    signal.removeEventListener('abort', stop)
    message.destroy()
  }
}

type Handing = { mail: Mail; size: number; message: Readable }

async function hand(
  connection: SMTPConnection,
  smtp: SmtpSettings,
  { mail, size, message }: Handing,
): Promise<void> {
  await open(connection, smtp)
  const envelope = { from: mail.from.address, to: mail.to, size }
  await new Promise<void>((resolve, reject) => {
    connection.on('error', reject)
    connection.send(envelope, message, (error) => (error ? reject(error) : resolve()))
  })
}

// Connects and signs in for `manilla doctor`, and sends nothing.
export async function checkServer(smtp: SmtpSettings): Promise<string | null> {
  const connection = connect(smtp)
  try {
    await open(connection, smtp)
    connection.quit()
    return null
  } catch (error) {
    connection.close()
    return describe(error as SmtpError, '')
  }
}

class NotSent extends Error {}

async function* handOver(
  raw: Buffer,
  { begin, isOver }: Pick<Sending, 'begin'> & { isOver: { all: boolean } },
): AsyncGenerator<Buffer> {
  if (!(await begin())) throw new NotSent('not to be sent any more')
  yield raw
  isOver.all = true
}

function connect({ host, port, isImplicitTls, needsTls }: SmtpSettings): SMTPConnection {
  return new SMTPConnection({
    host,
    port,
    secure: isImplicitTls,
    requireTLS: needsTls && !isImplicitTls,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MAX_MS,
    maxResponseSize: 65_536,
  })
}

async function open(connection: SMTPConnection, { user, password }: SmtpSettings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    connection.on('error', reject)
    connection.connect((error) => (error ? reject(error) : resolve()))
  })
  if (user === undefined) return
  await new Promise<void>((resolve, reject) => {
    const credentials = { user, pass: password ?? '' }
    connection.login({ credentials, ...credentials }, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

async function compose(mail: Mail): Promise<Buffer> {
  const { from, to, replyTo, subject, text, html, messageId, date } = mail
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    subject,
    text,
    html,
    date,
    messageId: `<${messageId}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    attachments: mail.attachments.map(({ name, mediaType, text: content }) => ({
      filename: name,
      contentType: mediaType,
      content: Buffer.from(content),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

type Attempted = { isHandedOver: boolean; to: string }

function judge(error: SmtpError, { isHandedOver, to }: Attempted): SendResult {
  if (error instanceof NotSent) return { outcome: 'withdrawn' }
  const problem = describe(error, to)
  const { responseCode, command } = error
  if (responseCode === undefined && isHandedOver) return { outcome: 'unknown', problem }
  const isAboutMessage = command === 'RCPT TO' || command === 'DATA'
  if (!isAboutMessage || responseCode === undefined || responseCode < 500) {
    return { outcome: 'deferred', problem, isOutage: !isAboutMessage || responseCode === 421 }
  }
  return { outcome: 'refused', problem, isBounce: command === 'RCPT TO' && saysNoMailbox(error) }
}

// Judges by the enhanced status (RFC 3463): bad address (5.1.x) or mailbox disabled (5.2.1). Without an
// enhanced status, judges by the code. A policy (5.7.x) or a full mailbox does not mean that the address is
// bad.
function saysNoMailbox({ responseCode = 0, response = '' }: SmtpError): boolean {
  const [, subject, detail] = /^5\d\d[ -]5\.(\d{1,3})\.(\d{1,3})/.exec(response) ?? []
  if (subject !== undefined) return subject === '1' || (subject === '2' && detail === '1')
  return [550, 551, 553].includes(responseCode)
}

const WORDS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the user name or password',
  ETLS: 'the mail server offers no secure connection',
  EDNS: 'the name of the mail server could not be resolved',
  ETIMEDOUT: 'the mail server did not answer in time',
  ESOCKET: 'the connection to the mail server failed',
  ECONNECTION: 'the connection to the mail server failed',
}

const ADDRESS = /[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g
// Servers also quote links of the mail that they refuse, and long words such as a link's token.
const LINK = /\bhttps?:\S+|[\w+/=#-]{32,}/gi
const ANSWER_CODE = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/
const LOCAL_PART_MIN = 3 // A shorter local part is a part of ordinary words.

// Returns the server's own words, if there are any, without the addresses and links that they quote: the log
// shows the words even after an erasure. For an answer to our credentials, returns only the code: a server
// that does not know the command repeats it, password included.
function describe({ response, code = '', message, command }: SmtpError, to: string): string {
  const answer = command?.startsWith('AUTH') ? response?.match(ANSWER_CODE)?.[0] : response
  const words = answer ? `the mail server answered ${answer}` : (WORDS[code] ?? message)
  const plain = words
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(LINK, '…')
    .replace(ADDRESS, '…')
  return withoutName(plain, to.slice(0, to.lastIndexOf('@'))).slice(0, PROBLEM_LENGTH_MAX)
}

// Servers also quote the local part alone: "ada.obi: unknown user".
function withoutName(words: string, name: string): string {
  if (name.length < LOCAL_PART_MIN) return words
  const quoted = name.replace(/[^a-z0-9]/gi, '\\$&')
  return words.replace(new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'giu'), '…')
}

const ANSWER_BYTES_MAX = 4_096
const CHECK_MAX_MS = 10_000
const TRY_AGAIN = [401, 403, 404, 408, 425, 429] // These concern the set-up or the load, not the message.

type ShortMessage = {
  reference: string
  channel: 'sms' | 'whatsapp'
  to: string
  kind: string
  language: string
  text: string
}

// The gateway recognises a repeated message by its webhook-id.
export async function sendShort(
  { url, secret }: GatewaySettings,
  message: ShortMessage,
  { begin, signal, signedAt }: Sending & { signedAt: Date },
): Promise<SendResult> {
  const { reference: id, channel, to, kind, language, text } = message
  const body = JSON.stringify({ id, channel, to, kind, language, text })
  const timestampSeconds = toUnixSeconds(signedAt)
  const signature = sign({ secrets: [secret], id, timestampSeconds, body })
  if (!(await begin())) return { outcome: 'withdrawn' }
  const { origin, pathname, search } = new URL(url)
  const { connect, connection } = observedConnector()
  // Opens a new connection: one that was kept open may close, and leave the outcome unknown.
  const client = new Client(origin, { connect })
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: {
        ...signatureHeaders(id, signedAt, signature),
        'content-type': 'application/json',
        'user-agent': 'Manilla-Messages/1',
      },
      body,
      signal,
      reset: true,
    })
    await answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => {})
    return judgeStatus(answer.statusCode)
  } catch {
    if (connection.isOpen) return { outcome: 'unknown', problem: 'the gateway did not answer' }
    const reason = connection.problem ? `: ${connection.problem}` : ''
    const problem = `the gateway could not be reached${reason}`
    return { outcome: 'deferred', problem, isOutage: true }
  } finally {
    client.destroy().catch(() => {})
  }
}

// Returns why the gateway cannot be reached, or null. Sends no message: any answer to HEAD proves
// the name, the connection and the certificate.
export async function checkGateway({ url }: GatewaySettings): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(CHECK_MAX_MS)
    const answer = await request(url, { method: 'HEAD', signal, reset: true })
    await answer.body.dump()
    return null
  } catch (error) {
    const { code, name } = error as { code?: string; name: string }
    return `the gateway could not be reached (${code ?? name})`
  }
}

// Records whether there was a connection. Until then, and through the whole TLS handshake, no byte of the
// message is transmitted, whatever the error.
function observedConnector() {
  const connection = { isOpen: false, problem: '' }
  const connect = buildConnector({})
  const observe: buildConnector.connector = (options, callback) =>
    connect(options, (...outcome) => {
      const [error] = outcome
      if (error) connection.problem = (error as { code?: string }).code ?? ''
      else connection.isOpen = true
      callback(...outcome)
    })
  return { connect: observe, connection }
}

function judgeStatus(status: number): SendResult {
  if (status >= 200 && status < 300) return { outcome: 'accepted' }
  const problem = `the gateway answered ${status}`
  if (status < 400 || status >= 500 || TRY_AGAIN.includes(status)) {
    return { outcome: 'deferred', problem, isOutage: true }
  }
  return { outcome: 'refused', problem, isBounce: status === 410 }
}
