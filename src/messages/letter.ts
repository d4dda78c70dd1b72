// A letter: the content of a message before it is laid out (render.ts). Also cleans the values of a letter.

import type { MessageFacts, MessageKind } from './kinds.ts'

export type Part =
  | { text: string }
  | { rows: readonly (readonly [label: string, value: string])[] }
  | { button: { label: string; link: string } }
  | { note: string }

export type Letter = {
  subject: string
  heading: string
  parts: readonly Part[]
  short: string
  attachments?: readonly Attachment[]
}

// The words of all messages in one language; copy/ has one per language.
export type Copy = {
  language: string
  sentBy: (name: string) => string
  questions: string
  via: (name: string, sender: string) => string
  kinds: { [Kind in MessageKind]: (facts: MessageFacts[Kind]) => Letter }
}

// The branding of the sender. Null: the sender has not chosen any.
export type Brand = {
  name: string
  colour: string | null
  logo: string | null // The address of the image.
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
}

export type Attachment = { name: string; mediaType: string; text: string }

const DIRECTIONS = /[\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

// Removes marks that change the direction of the text after them.
export const withoutDirections = (text: string) => text.replace(DIRECTIONS, ' ')

// Replaces control characters, so that a value cannot add a line of its own.
export const flat = (text: string) => text.replace(/\p{Cc}+/gu, ' ')

export function oneLine(text: string, lengthMax: number): string {
  const line = flat(withoutDirections(text)).trim()
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1).toWellFormed()}…`
}
