// Describes an alert: its subject in words with a link, and its details as facts.

import { codeOf } from '../../../src/short-codes.ts'
import { appStrings, alertsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { isDay, longDay } from '../days.ts'
import { count, humanize, money } from '../format.ts'
import type { Fact } from '../parts/drawer.tsx'
import { Time } from '../parts/values.tsx'
import { hrefOf } from '../routing.ts'

type Alert = Pick<Schemas['Alert'], 'kind' | 'subject' | 'detail'>
type NameBank = (code: string) => string
type Subject = { text: string; href?: string }

const OF_BANK = /^([0-9]{3,6})(?:[ /](.+))?$/
const OF_SESSION = /^(.+)@([0-9]{3,6})$/
const OF_OBJECT = /^(payout|payout_file|client|case)[ /](\S+)$/
const OF_CASE = /^(CAS[0-9]+) (.+)$/

// Returns the subject of an alert in words, with a link. A subject in an unknown format is returned
// unchanged.
export function subjectOf({ kind, subject, detail }: Alert, nameBank: NameBank): Subject {
  const [, code = '', about] = OF_BANK.exec(subject) ?? []
  if (code) {
    const text = [nameBank(code), about && partOfBank(about)].filter(Boolean).join(', ')
    return { text, href: hrefOfBank({ kind, code, about, day: detail.day }) }
  }
  const [, session, bank = ''] = OF_SESSION.exec(subject) ?? []
  if (session) return { text: `${nameBank(bank)}, ${strings.session(session)}` }
  const [, reference, deadline] = OF_CASE.exec(subject) ?? []
  if (reference) {
    const text = strings.deadline(reference, humanize(deadline ?? ''))
    return { text, href: hrefOf('cases', reference) }
  }
  const [, type, name = ''] = OF_OBJECT.exec(subject) ?? []
  if (type === 'payout') {
    return { text: strings.payout(codeOf(name)), href: hrefOf('payouts', name, { tab: 'all' }) }
  }
  if (type === 'payout_file') {
    return { text: strings.payoutFile(name), href: hrefOf('payouts', name, { tab: 'files' }) }
  }
  if (type === 'client') return { text: strings.client(name), href: hrefOf('clients', name) }
  if (subject.startsWith('destination/')) return { text: String(detail.url ?? strings.endpoint) }
  const [view, text] = WHOLE[subject] ?? []
  return text === undefined ? { text: subject } : { text, ...(view && { href: hrefOf(view) }) }
}

const WHOLE: Readonly<Record<string, readonly [view: string | undefined, text: string]>> = {
  books: ['ledger', strings.books],
  payouts: ['payouts', strings.allPayouts],
  credits: ['screening', strings.credits],
  archive: [undefined, strings.archive],
  holidays: ['settings', strings.holidays],
  identity: [undefined, strings.identity],
}

function partOfBank(about: string): string {
  if (/^[0-9]{10}$/.test(about)) return strings.account(about)
  return strings.parts[about] ?? humanize(about)
}

type OfBank = { kind: string; code: string; about: string | undefined; day: unknown }

function hrefOfBank({ kind, code, about, day }: OfBank): string {
  if (kind === 'rail_item_rejected') return hrefOf('rail-items')
  if (kind === 'payouts_waiting') return hrefOf('payouts', undefined, { tab: 'all' })
  if (kind !== 'reconciliation_difference' && kind !== 'statement_missing') {
    return hrefOf('banks', code)
  }
  return hrefOf('reconciliation', undefined, {
    bankCode: code,
    currency: about,
    day: typeof day === 'string' ? day : undefined,
  })
}

// Hidden facts: ids of database rows mean nothing to users, and each amount already shows the currency.
const HIDDEN = ['checkId', 'creditId', 'currency']

export function detailFacts({ kind, detail }: Alert, nameBank: NameBank): Fact[] {
  const currency = typeof detail.currency === 'string' ? detail.currency : 'NGN'
  return Object.entries(detail)
    .filter(
      ([name]) => !HIDDEN.includes(name) && !(kind === 'endpoint_disabled' && name === 'clientId'),
    )
    .map(([name, value]) => [
      strings.facts[name] ?? humanize(name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()),
      shownValue({ name, value, currency }, nameBank),
    ])
}

type Value = { name: string; value: unknown; currency: string }

const IS_AMOUNT = /^(?:amount|difference)$/

function shownValue({ name, value, currency }: Value, nameBank: NameBank): Fact[1] {
  if (value === null || value === undefined || value === '') return appStrings.nothing
  if (Array.isArray(value)) return value.map((each) => textOf(each)).join('; ')
  if (/Kobo$/.test(name)) return money(Number(value) / 100, currency)
  if (IS_AMOUNT.test(name)) return money(Number(value), currency)
  if (name === 'bank' || name === 'bankCode') return nameBank(String(value))
  if (typeof value === 'number') return count(value)
  if (typeof value !== 'string') return textOf(value)
  if (isDay(value)) return longDay(value)
  return /^\d{4}-\d\d-\d\dT/.test(value) ? <Time key={name} at={value} /> : humanize(value)
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${humanize(name)}: ${textOf(each)}`)
    .join(', ')
}
