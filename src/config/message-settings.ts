// Reads the settings of messages to people (docs/messages.md): the mail server, the gateway for SMS and
// WhatsApp, and the quiet hours.

import { isIP } from 'node:net'
import { loadSecret, type SigningSecret } from '#standard-webhooks.ts'
import type { Parser } from './setting-parsers.ts'
import * as values from './setting-parsers.ts'

export type SmtpSettings = {
  host: string
  port: number
  isImplicitTls: boolean
  needsTls: boolean // If true, no message is sent over a connection without TLS.
  user?: string | undefined
  password?: string | undefined
}

export type GatewaySettings = { url: string; secret: SigningSecret }
export type QuietHours = { from: number; to: number } // Minutes of the day in Lagos.
type Sender = { name: string; address: string }

export type MessageSettings = {
  readonly smtp: SmtpSettings | undefined
  readonly from: Sender | undefined
  readonly gateway: GatewaySettings | undefined
  readonly quietHours: QuietHours
}

// Accepts smtp:// (STARTTLS) and smtps:// URLs. `?tls=none` allows a connection without TLS.
const smtpAddress: Parser<SmtpSettings> = (text, report) => {
  const url = /^smtps?:\/\//.test(text) ? URL.parse(text) : null
  const isPlain = url?.searchParams.get('tls') === 'none'
  const isWellFormed = url && ['', '?tls=none'].includes(url.search) && /^\/?$/.test(url.pathname)
  if (!url?.hostname || !isWellFormed || url.hash || (isPlain && url.protocol === 'smtps:')) {
    report('must look like smtp://user:password@host:587 or smtps://user:password@host:465')
    return undefined
  }
  const isImplicitTls = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  try {
    return {
      host,
      port: url.port === '' ? (isImplicitTls ? 465 : 587) : Number(url.port),
      isImplicitTls,
      needsTls: !isPlain && !isLoopback(host),
      ...(url.username ? { user: decodeURIComponent(url.username) } : {}),
      ...(url.password ? { password: decodeURIComponent(url.password) } : {}),
    }
  } catch {
    report('has a user or password that is not URL-encoded')
    return undefined
  }
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

// Accepts a sender such as `Manilla <no-reply@pay.example>`, or the address alone.
const sender: Parser<Sender> = (text, report) => {
  const [, name = '', bracketed] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? []
  const address = bracketed ?? text
  if (
    /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i.test(address) &&
    name.trim().length <= 60
  ) {
    return { name: name.trim() || 'Manilla', address }
  }
  report('must be an email address, or a name and an address: Manilla <no-reply@pay.example>')
  return undefined
}

const signingSecret: Parser<SigningSecret> = (text, report) => {
  try {
    return loadSecret(text)
  } catch {
    report('must be whsec_ followed by base64 of 24 to 64 bytes')
    return undefined
  }
}

// Accepts a period such as 20:00-08:00, which may go past midnight.
const quietHours: Parser<QuietHours> = (text, report) => {
  const hours = /^([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text)
  if (hours) {
    const [from = 0, fromMinute = 0, to = 0, toMinute = 0] = hours.slice(1).map(Number)
    return { from: from * 60 + fromMinute, to: to * 60 + toMinute }
  }
  report('must look like 20:00-08:00 (Lagos); 00:00-00:00 for none')
  return undefined
}

export const MESSAGE_SETTINGS = {
  MANILLA_SMTP_URL: smtpAddress,
  MANILLA_MAIL_FROM: sender,
  MANILLA_MESSAGE_GATEWAY_URL: values.webAddress,
  MANILLA_MESSAGE_GATEWAY_SECRET: signingSecret,
  MANILLA_QUIET_HOURS: quietHours,
} as const

type Settings = typeof MESSAGE_SETTINGS
type Values = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

const QUIET_HOURS: QuietHours = { from: 20 * 60, to: 8 * 60 }

// Returns the settings of messages, with defaults filled in.
export function readMessageSettings(settings: Values): MessageSettings {
  const url = settings.MANILLA_MESSAGE_GATEWAY_URL
  const secret = settings.MANILLA_MESSAGE_GATEWAY_SECRET
  return {
    smtp: settings.MANILLA_SMTP_URL,
    from: settings.MANILLA_MAIL_FROM,
    gateway: url && secret ? { url, secret } : undefined,
    quietHours: settings.MANILLA_QUIET_HOURS ?? QUIET_HOURS,
  }
}

// Reports settings that are set without another setting that they need.
export function messageProblems(settings: Values, mode: 'sandbox' | 'live'): string[] {
  const needs = (name: keyof Values, required: keyof Values) =>
    settings[name] !== undefined && settings[required] === undefined
      ? [`${name} also needs ${required}`]
      : []
  const isUnencrypted = settings.MANILLA_MESSAGE_GATEWAY_URL?.startsWith('http:') && mode === 'live'
  return [
    ...needs('MANILLA_SMTP_URL', 'MANILLA_MAIL_FROM'),
    ...needs('MANILLA_MAIL_FROM', 'MANILLA_SMTP_URL'),
    ...needs('MANILLA_MESSAGE_GATEWAY_URL', 'MANILLA_MESSAGE_GATEWAY_SECRET'),
    ...needs('MANILLA_MESSAGE_GATEWAY_SECRET', 'MANILLA_MESSAGE_GATEWAY_URL'),
    ...(isUnencrypted ? ['MANILLA_MESSAGE_GATEWAY_URL must start with https:// in live mode'] : []),
  ]
}
