// Addresses of people: parses email addresses and phone numbers into one spelling each, and masks them for
// the log.

import { domainToASCII } from 'node:url'

export const CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type Channel = (typeof CHANNELS)[number]

const ADDRESS_LENGTH_MAX = 254
const LOCAL_LENGTH_MAX = 64

// Accepts plain local parts only. Parsers disagree about the recipient if there are quotes, comments or
// lists.
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN =
  /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

// Returns undefined for an address that we do not send to. A domain in another script becomes its ASCII form
// (xn--…). The log shows that form, so that a look-alike is visible.
export function parseEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > LOCAL_LENGTH_MAX || !LOCAL_PART.test(local)) return undefined
  const domain = domainToASCII(text.slice(at + 1))
  const address = `${local}@${domain}`
  return DOMAIN.test(domain) && address.length <= ADDRESS_LENGTH_MAX ? address : undefined
}

// Returns the number as +234…. A number without a country code is Nigerian. Returns undefined for a number
// that we do not send to.
export function parsePhoneNumber(text: string): string | undefined {
  const digits = text.replace(/[ ().-]/g, '')
  const number = digits.replace(/^00/, '+').replace(/^0(?=[789][0-9]{9}$)/, '+234')
  const international = /^234[789][0-9]{9}$/.test(number) ? `+${number}` : number
  return /^\+[1-9][0-9]{7,14}$/.test(international) ? international : undefined
}

export function parseRecipient(channel: Channel, text: string): string | undefined {
  return channel === 'email' ? parseEmailAddress(text) : parsePhoneNumber(text)
}

// Returns an address such as a•••@example.com or +234•••••1234.
export function maskRecipient(channel: Channel, address: string): string {
  if (channel !== 'email') return `${address.slice(0, 4)}•••••${address.slice(-4)}`
  const at = address.lastIndexOf('@')
  return at < 0 ? '•••' : `${address.slice(0, 1)}•••${address.slice(at)}`
}

// Returns the same key for spellings that may be one mailbox: providers ignore the case of local parts.
export function recipientKey(address: string): string {
  return address.toLowerCase()
}
