// Sends one message to a mail server over SMTP, or to the HTTP gateway for SMS and WhatsApp, and returns the
// outcome. A mail server has accepted a mail if it answers 250 after the final dot. The gateway has accepted
// a message if it answers 2xx. If no answer comes, the outcome is unknown, and the message is never sent
// again (I150).

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
  | { outcome: 'withdrawn' } // Not sent, because the message must not be sent any more.

export type TransportName = 'smtp' | 'gateway'

export const TRANSPORT_CHANNELS: Readonly<Record<TransportName, readonly Channel[]>> = {
  smtp: ['email'],
  gateway: ['sms', 'whatsapp'],
}

type Service = { mode: 'sandbox' | 'live'; messages: Pick<MessageSettings, 'smtp' | 'from'> }

// Whether users get mails: by a configured mail server, or in the inbox of a sandbox.
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
  // Commits the state `sending`, before the first byte is sent. Resolves to false if the message must not be
  // sent any more.
  begin: () => Promise<boolean>
  signal: AbortSignal // Aborts the attempt.
}

type SmtpError = Error & {
  responseCode?: number
  response?: string
  command?: string
  code?: string
}

// Sends a mail. Its outcome is unknown if the connection ends after the whole mail was sent and before the
// server has answered. Before the first byte, `begin` commits that the message is being sent. If `begin`
// resolves to false, nothing is sent (Withdrawn).
export async function sendMail(
  smtp: SmtpSettings,
  mail: Mail,
  { begin, signal }: Sending,
): Promise<SendResult> {
  const raw = await compose(mail)
  const connection = createConnection(smtp)
  const progress = { isHandedOver: false }
  // The connection reads this stream only after the server has answered 354, which means that it is ready for
  // the mail. After the end of the stream, the connection sends the final dot.
  const message = Readable.from(streamMail(raw, { begin, progress }), { objectMode: false })
  const timeout = Promise.withResolvers<never>()
  const failInTime = () => timeout.reject(new Error('the mail server took too long'))
  signal.addEventListener('abort', failInTime)
  try {
    // The race is needed because the callback of a command never runs if the connection is closed meanwhile.
    await Promise.race([
      timeout.promise,
      sendOverConnection(connection, smtp, { mail, size: raw.length, message }),
    ])
    connection.quit()
    return { outcome: 'accepted' }
  } catch (error) {
    connection.close()
    return toSendResult(error as SmtpError, { ...progress, to: mail.to })
  } finally {
    signal.removeEventListener('abort', failInTime)
    message.destroy()
  }
}

async function sendOverConnection(
  connection: SMTPConnection,
  smtp: SmtpSettings,
  { mail, size, message }: { mail: Mail; size: number; message: Readable },
): Promise<void> {
  await connectAndSignIn(connection, smtp)
  const envelope = { from: mail.from.address, to: mail.to, size }
  await new Promise<void>((resolve, reject) => {
    connection.on('error', reject)
    connection.send(envelope, message, (error) => (error ? reject(error) : resolve()))
  })
}

// Connects to the mail server and signs in, without sending anything, for `manilla doctor`. Returns the
// problem, or null.
export async function checkServer(smtp: SmtpSettings): Promise<string | null> {
  const connection = createConnection(smtp)
  try {
    await connectAndSignIn(connection, smtp)
    connection.quit()
    return null
  } catch (error) {
    connection.close()
    return describeError(error as SmtpError, '')
  }
}

class Withdrawn extends Error {}

// Yields the mail, after `begin` has committed that it is being sent.
async function* streamMail(
  raw: Buffer,
  { begin, progress }: Pick<Sending, 'begin'> & { progress: { isHandedOver: boolean } },
): AsyncGenerator<Buffer> {
  if (!(await begin())) throw new Withdrawn('not to be sent any more')
  yield raw
  progress.isHandedOver = true // The connection asks for more only when it has taken the whole mail.
}

function createConnection({ host, port, isImplicitTls, needsTls }: SmtpSettings): SMTPConnection {
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

// Opens the connection, and signs in if the settings name a user.
async function connectAndSignIn(
  connection: SMTPConnection,
  { user, password }: SmtpSettings,
): Promise<void> {
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

// Builds the source of a mail. Its headers keep mail systems from answering it automatically.
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

// Decides the outcome of a failed attempt. Only a permanent answer (5xx) about the recipient or the mail
// itself is final. All other failures concern the server or its load, so the mail is tried again; 421 means
// that the server is closing down.
function toSendResult(error: SmtpError, { isHandedOver, to }: Attempted): SendResult {
  if (error instanceof Withdrawn) return { outcome: 'withdrawn' }
  const problem = describeError(error, to)
  const { responseCode, command } = error
  if (responseCode === undefined && isHandedOver) return { outcome: 'unknown', problem }
  const isAboutMessage = command === 'RCPT TO' || command === 'DATA'
  if (!isAboutMessage || responseCode === undefined || responseCode < 500) {
    return { outcome: 'deferred', problem, isOutage: !isAboutMessage || responseCode === 421 }
  }
  return { outcome: 'refused', problem, isBounce: command === 'RCPT TO' && saysNoMailbox(error) }
}

// Whether the server's answer means that the mailbox does not exist. By the enhanced status (RFC 3463): a bad
// address (5.1.x) or a disabled mailbox (5.2.1), but not a policy (5.7.x) or a full mailbox (5.2.2). Without
// an enhanced status, by the code.
function saysNoMailbox({ responseCode = 0, response = '' }: SmtpError): boolean {
  const [, subject, detail] = /^5\d\d[ -]5\.(\d{1,3})\.(\d{1,3})/.exec(response) ?? []
  if (subject !== undefined) return subject === '1' || (subject === '2' && detail === '1')
  return [550, 551, 553].includes(responseCode)
}

const ERROR_WORDS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the user name or password',
  ETLS: 'the mail server offers no secure connection',
  EDNS: 'the name of the mail server could not be resolved',
  ETIMEDOUT: 'the mail server did not answer in time',
  ESOCKET: 'the connection to the mail server failed',
  ECONNECTION: 'the connection to the mail server failed',
}

const ADDRESS = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g
// Links, and long words such as the token of a link. Servers quote them from mails that they refuse.
const LINK = /\bhttps?:\S+|[\w+/=#-]{32,}/gi
const ANSWER_CODE = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/
const LOCAL_PART_MIN = 3 // A shorter local part is a part of ordinary words.

// Describes an error for the log of messages: in the server's own words, if it answered. Removes addresses
// and links that the server quotes, because the log is not erased with the recipient. From an answer to our
// credentials, keeps only the code: a server that does not know the command repeats it with the password.
function describeError({ response, code = '', message, command }: SmtpError, to: string): string {
  const answer = command?.startsWith('AUTH') ? response?.match(ANSWER_CODE)?.[0] : response
  const words = answer ? `the mail server answered ${answer}` : (ERROR_WORDS[code] ?? message)
  const plain = words
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(LINK, '…')
    .replace(ADDRESS, '…')
  return redactLocalPart(plain, to.slice(0, to.lastIndexOf('@'))).slice(0, PROBLEM_LENGTH_MAX)
}

// Removes the part of the address before the @, because servers quote it alone too: "ada.obi: unknown user".
function redactLocalPart(words: string, name: string): string {
  if (name.length < LOCAL_PART_MIN) return words
  const quoted = name.replace(/[^a-z0-9]/gi, '\\$&')
  return words.replace(new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'giu'), '…')
}

const ANSWER_BYTES_MAX = 4_096
const CHECK_MAX_MS = 10_000
// These statuses concern the set-up or the load, not the message.
const RETRYABLE_STATUSES = [401, 403, 404, 408, 425, 429]

type ShortMessage = {
  reference: string
  channel: 'sms' | 'whatsapp'
  to: string
  kind: string
  language: string
  text: string
}

// Sends an SMS or WhatsApp message to the gateway, which recognises a repeated message by its webhook-id. The
// outcome is unknown if the connection was open and no answer came. `begin` commits that the message is being
// sent, and resolves to false if it must not be sent any more.
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
  // Opens a new connection for each message: an idle one could be closed at the moment of sending, which
  // would leave the outcome unknown.
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
    return gatewayResult(answer.statusCode)
  } catch {
    if (connection.isOpen) return { outcome: 'unknown', problem: 'the gateway did not answer' }
    const reason = connection.problem ? `: ${connection.problem}` : ''
    const problem = `the gateway could not be reached${reason}`
    return { outcome: 'deferred', problem, isOutage: true }
  } finally {
    client.destroy().catch(() => {})
  }
}

// Checks the gateway for `manilla doctor`, without sending a message. Any answer to HEAD proves that the
// name, the connection and the certificate work. Returns the problem, or null.
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

// Returns a connector that records whether the connection was opened, TLS handshake included. Before that, no
// byte of the message is sent, so an error means that the gateway does not have the message.
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

// Decides the outcome by the gateway's status. 410 counts as a bounce, which suppresses the phone number.
function gatewayResult(status: number): SendResult {
  if (status >= 200 && status < 300) return { outcome: 'accepted' }
  const problem = `the gateway answered ${status}`
  if (status < 400 || status >= 500 || RETRYABLE_STATUSES.includes(status)) {
    return { outcome: 'deferred', problem, isOutage: true }
  }
  return { outcome: 'refused', problem, isBounce: status === 410 }
}
