// Statement lines, ledger items and differences: their descriptions, rows and columns, and the filter by
// bank.

import type { ComponentChildren } from 'preact'
import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import type { Row } from '../../api.ts'
import { count, humanize, money, shortDay } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Link } from '../../parts/controls.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { amountColumn, type Choosing, type Column, fieldColumn } from '../../parts/table.tsx'
import { BankName, Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'

export type Line = Row<'/api/v1/operator/reconciliation/lines'>
export type Item = Row<'/api/v1/operator/reconciliation/items'>
export type PlainLine = Omit<Line, 'items' | 'payer'>
export type PlainItem = Omit<Item, 'lines'>

export function lineText({ counterpartyName, narration, kind }: PlainLine): string {
  return counterpartyName ?? narration ?? lineKind(kind)
}

export function itemText({ name, reference, accountNumber, kind }: PlainItem): string {
  return name ?? reference ?? accountNumber ?? itemKind(kind)
}

export const lineKind = (kind: string) => reconciliationStrings.lineKinds[kind] ?? humanize(kind)
export const itemKind = (kind: string) => reconciliationStrings.itemKinds[kind] ?? humanize(kind)

type Props = {
  title: string
  kind: string
  amount: number
  currency: string
  about: readonly (string | null | undefined | false)[]
  end?: ComponentChildren
}

// A row for a statement line or a ledger item.
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

// The line’s number, day and identifiers, below its title.
export function lineDetails(line: PlainLine): string[] {
  const { lineNo, sessionId, bankReference, accountNumber, bookedOn } = line
  const parts = [reconciliationStrings.line(count(lineNo)), shortDay(bookedOn), accountNumber]
  return [...parts, sessionId ?? bankReference].filter((part) => part !== null)
}

export function itemDetails({ day, reference, accountNumber }: PlainItem): string[] {
  return [shortDay(day), accountNumber, reference].filter((part) => part !== null)
}

// Links to the object that an item of the books belongs to, if it has a page.
export function ItemLink({ item: { kind, id, reference } }: { item: PlainItem }) {
  const links: Record<string, readonly [href: string, text: string] | undefined> = {
    credit: [hrefOf('credits', `${id}`), strings.viewCredit],
    charges: [hrefOf('credits', `${id}`), strings.viewCredit],
    payout: reference ? [payoutHref(reference), strings.viewPayout] : undefined,
    payout_cost: reference ? [payoutHref(reference), strings.viewPayout] : undefined,
    payout_return: reference ? [payoutHref(reference), strings.viewPayout] : undefined,
    return: reference ? [hrefOf('returns', reference), strings.viewReturn] : undefined,
    recovery: reference ? [hrefOf('adjustments', reference), strings.viewAdjustment] : undefined,
  }
  const link = links[kind]
  if (!link) return null
  return <Link href={link[0]}>{link[1]}</Link>
}

export const payoutHref = (reference: string) => hrefOf('payouts', reference, { tab: 'all' })

export const DIFFERENCES = '/api/v1/operator/reconciliation/differences'
export type Difference = Row<typeof DIFFERENCES>

const TONES: Record<string, string> = { open: 'warn', asked: 'warn', resolved: 'good' }

// An open difference may already be on its way: its booking runs, or it is a timing difference.
export function DifferenceState({ difference }: { difference: Difference }) {
  const { state, isTiming, action } = difference
  if (state === 'open' && action !== null) return <span class="badge">{strings.booking}</span>
  if (state === 'open' && isTiming) return <span class="badge">{strings.timing}</span>
  return <span class={`badge ${TONES[state] ?? ''}`}>{strings.states[state] ?? state}</span>
}

// The owner’s email address, with a remark if the owner no longer has access.
export function OwnerName({ owner }: Pick<Difference, 'owner'>) {
  if (!owner) return <span class="muted">{strings.nobody}</span>
  const { email, hasAccess } = owner
  return <span class="owner">{hasAccess ? email : strings.withoutAccess(email)}</span>
}

export const kindText = (kind: string) => strings.kinds[kind] ?? kind

// The text of the line or item that differs, or else the kind of the difference.
function differenceSubject({ line, item, kind }: Difference): string {
  if (line) return lineText(line)
  return item ? itemText(item) : kindText(kind)
}

export const DIFFERENCE_COLUMNS: readonly Column<Difference>[] = [
  fieldColumn(reconciliationStrings.kind, 'kind', 'lead', (kind) => kindText(kind)),
  amountColumn(reconciliationStrings.amount),
  {
    name: reconciliationStrings.state,
    place: 'state',
    show: (it) => <DifferenceState difference={it} />,
    fields: ['state'],
  },
  {
    name: strings.line,
    place: 'second',
    show: differenceSubject,
    fields: ['counterparty', 'narration', 'reference'],
  },
  fieldColumn(strings.bank, 'bankCode', undefined, (bankCode) => <BankName code={bankCode} />),
  fieldColumn(strings.owner, 'owner', 'line', (owner) => <OwnerName owner={owner} />),
  {
    name: strings.age,
    place: 'time',
    show: ({ ageDays, day }) => `${reconciliationStrings.ageOf(ageDays)} · ${shortDay(day)}`,
    fields: ['ageDays', 'day'],
  },
]

const mayResolve = ({ state, actions }: Difference) => state === 'open' && actions.length > 0

// The checkboxes of a list of differences. Only open differences that the user can resolve have one.
export function differenceSelection(
  chosen: ReadonlySet<string>,
  choose: (keys: ReadonlySet<string>) => void,
): Choosing<Difference> {
  const nameOf = (difference: Difference) =>
    [
      kindText(difference.kind),
      money(difference.amount, difference.currency),
      differenceSubject(difference),
    ].join(', ')
  return { chosen, choose, mayChoose: mayResolve, nameOf }
}

// Warns before the user works on a difference that belongs to somebody else.
export function OthersNotice(props: { difference: Pick<Difference, 'owner'>; session: Session }) {
  const { difference, session } = props
  const { owner } = difference
  if (!owner || owner.id === session.user.id) return null
  return (
    <p class="notice after-facts">
      {owner.hasAccess ? strings.owned(owner.email) : strings.ownerGone(owner.email)}
    </p>
  )
}

export function useBankFilter(): Filter {
  const { data } = useData('/api/v1/operator/banks', {})
  const choices = Object.fromEntries((data ?? []).map(({ code, name }) => [code, name]))
  return { name: 'bankCode', label: reconciliationStrings.bank, choices }
}
