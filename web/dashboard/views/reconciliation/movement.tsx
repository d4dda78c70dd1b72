// A statement line or a ledger item in one row.

import type { ComponentChildren } from 'preact'
import { differencesStrings, reconciliationStrings as strings } from '../../../copy.ts'
import type { Row } from '../../api.ts'
import { shortDay } from '../../days.ts'
import { count, humanize } from '../../format.ts'
import { Link } from '../../parts/link.tsx'
import { Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'

export type Line = Row<'/api/v1/operator/reconciliation/lines'>
export type Item = Row<'/api/v1/operator/reconciliation/items'>
export type PlainLine = Omit<Line, 'items'>
export type PlainItem = Omit<Item, 'lines'>

export function lineText({ counterpartyName, narration, kind }: PlainLine): string {
  return counterpartyName ?? narration ?? lineKind(kind)
}

export function itemText({ name, reference, accountNumber, kind }: PlainItem): string {
  return name ?? reference ?? accountNumber ?? itemKind(kind)
}

export const lineKind = (kind: string) => strings.lineKinds[kind] ?? humanize(kind)
export const itemKind = (kind: string) => strings.itemKinds[kind] ?? humanize(kind)

type Props = {
  title: string
  kind: string
  amount: number
  currency: string
  about: readonly (string | null | undefined | false)[]
  end?: ComponentChildren
}

export function Movement({ title, kind, amount, currency, about, end }: Props) {
  return (
    <li>
      <div class="movement-text">
        <p class="movement-title">{title}</p>
        <p class="muted small">{[kind, ...about].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="movement-end">
        <Money amount={amount} currency={currency} />
        {end}
      </div>
    </li>
  )
}

export function aboutLine(line: PlainLine): string[] {
  const { lineNo, sessionId, bankReference, accountNumber, bookedOn } = line
  const about = [strings.line(count(lineNo)), shortDay(bookedOn), accountNumber]
  return [...about, sessionId ?? bankReference].filter((each) => each !== null)
}

export function aboutItem({ day, reference, accountNumber }: PlainItem): string[] {
  return [shortDay(day), accountNumber, reference].filter((each) => each !== null)
}

export function ItemLink({ item: { kind, id, reference } }: { item: PlainItem }) {
  const links: Record<string, readonly [href: string, text: string] | undefined> = {
    credit: [hrefOf('credits', `${id}`), differencesStrings.viewCredit],
    charges: [hrefOf('credits', `${id}`), differencesStrings.viewCredit],
    payout: reference ? [payoutHref(reference), differencesStrings.viewPayout] : undefined,
    payout_cost: reference ? [payoutHref(reference), differencesStrings.viewPayout] : undefined,
    payout_return: reference ? [payoutHref(reference), differencesStrings.viewPayout] : undefined,
    return: reference ? [hrefOf('returns', reference), differencesStrings.viewReturn] : undefined,
    recovery: reference
      ? [hrefOf('adjustments', reference), differencesStrings.viewAdjustment]
      : undefined,
  }
  const link = links[kind]
  if (!link) return null
  return <Link href={link[0]}>{link[1]}</Link>
}

export const payoutHref = (reference: string) => hrefOf('payouts', reference, { tab: 'all' })
