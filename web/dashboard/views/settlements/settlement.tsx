// A settlement: its amounts, the reason why it is held, its approval, payees, payouts, statement and lines.

import { useState } from 'preact/hooks'
import { codeOf, codeOfId } from '../../../../src/short-codes.ts'
import { settlementsStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { day, humanize, money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { ActionDialog } from '../../parts/action.tsx'
import { BankAccountsLink } from '../../parts/choices.tsx'
import { Button, Link } from '../../parts/controls.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import { ExportLinks } from '../../parts/exports.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Pending } from '../../parts/states.tsx'
import { Pager } from '../../parts/table.tsx'
import type { TermName } from '../../parts/term.tsx'
import { Badge, Copyable, Headline, Money, Reference, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'

const PATH = '/api/v1/settlements/{reference}'
const LINES = `${PATH}/lines`
const { person } = suspenseStrings

type Props = { settlement: WholeSettlement; session: Session; changed: () => void }

// The drawer of a settlement: its amounts, the decision if it waits for one, its payouts and its lines.
export function SettlementDetail({ settlement, session, changed }: Props) {
  const { reference, net: amount, currency, status, heldReason, payouts, payees } = settlement
  return (
    <>
      <Headline sum={{ amount, currency }} state={status} about={periodOf(settlement)} />
      {status === 'closed' && heldReason && <HeldNotice reason={heldReason} />}
      {payees?.length > 0 && <Payees settlement={settlement} />}
      <SettlementActions settlement={settlement} session={session} onDone={changed} />
      <AmountList amounts={settlement} />
      <p class="actions">
        <ExportLinks path={`/api/v1/settlements/${reference}`} isOfOne />
        <a
          class="button"
          href={`/api/v1/settlements/${reference}.html`}
          target="_blank"
          rel="noopener"
        >
          <Icon name="ledger" />
          {strings.print}
        </a>
      </p>
      <SettlementFacts settlement={settlement} />
      {payouts.length > 0 && <PayoutList settlement={settlement} />}
      <h3>{strings.lines}</h3>
      <SettlementLines key={status} settlement={settlement} />
    </>
  )
}

// Says why the settlement is not paid out, with a link to the bank accounts unless only an approval is
// missing.
function HeldNotice({ reason }: { reason: string }) {
  return (
    <p class="notice held">
      {strings.held[reason] ?? reason}
      {reason !== 'approval_needed' && (
        <>
          {' '}
          <BankAccountsLink />
        </>
      )}
    </p>
  )
}

function SettlementFacts({ settlement }: { settlement: Settlement }) {
  const { period, closedAt, approvedAt, approvedBy, cancelledAt, cancelledBy } = settlement
  return factList([
    [strings.reference, <Reference key="reference" text={settlement.reference} />],
    [strings.from, period.from && <Time at={period.from} />],
    [strings.cutOff, <Time key="cut-off" at={settlement.cutOff} />],
    [strings.closed, <Time key="closed" at={closedAt} />],
    [strings.closedBy, person(settlement.closedBy)],
    [strings.approved, approvedAt && <Time at={approvedAt} />],
    [strings.approvedBy, approvedBy && person(approvedBy)],
    [strings.cancelled, cancelledAt && <Time at={cancelledAt} />],
    [strings.cancelledBy, cancelledBy && person(cancelledBy)],
    [strings.finished, settlement.finishedAt && <Time at={settlement.finishedAt} />],
  ])
}

// The payouts of the settlement. A payout without a subaccount goes to the client itself.
function PayoutList({ settlement: { payouts, currency } }: { settlement: Settlement }) {
  return (
    <>
      <h3>{strings.payouts}</h3>
      <ul class="attempts" aria-label={strings.payouts}>
        {payouts.map(({ reference, status, amount, subaccountCode }) => (
          <li key={reference}>
            <div>
              <p>
                <Link href={hrefOf('payouts', reference)}>{codeOf(reference)}</Link>
              </p>
              <p class="muted small">{subaccountCode ?? strings.mainAccount}</p>
            </div>
            <div>
              <p>
                <Money amount={amount} currency={currency} />
              </p>
              <Badge state={status} />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

type Line = Schemas['SettlementLine']
type Part = keyof typeof strings.lineParts

const PARTS = Object.keys(strings.lineParts) as Part[]

function SettlementLines({ settlement }: { settlement: Settlement }) {
  const { reference, currency } = settlement
  const pages = usePages(LINES, { reference }, { limit: '20' })
  const { data, problem, reload } = pages
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={4} />
  if (data.data.length === 0 && pages.isFirst) return <p class="muted">{strings.noLines}</p>
  return (
    <>
      <ol class="entries" aria-label={strings.lines}>
        {data.data.map((line, index) => (
          <LineEntry key={`${pages.number} ${index}`} line={line} currency={currency} />
        ))}
      </ol>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

// One line of the settlement: its kind, references and net. Names the parts of the net if there are several.
function LineEntry({ line, currency }: { line: Line; currency: string }) {
  const { kind, net, postedAt } = line
  const isMoneyIn = net >= 0
  const parts = PARTS.filter((part) => line[part] !== 0)
  const texts = parts.map((part) => `${strings.lineParts[part]} ${money(line[part], currency)}`)
  return (
    <li>
      <span class={`entry-mark ${isMoneyIn ? 'in' : 'out'}`}>
        <Icon name={isMoneyIn ? 'credits' : 'payouts'} />
      </span>
      <div class="entry-text">
        <p>
          <LineLink line={line} name={strings.kinds[kind] ?? humanize(kind)} />
        </p>
        <p class="muted small">{lineReferences(line).join(' · ')}</p>
        {parts.length > 1 && <p class="muted small">{texts.join(' · ')}</p>}
      </div>
      <div class="entry-end">
        <Money amount={net} currency={currency} />
        <Time at={postedAt} />
      </div>
    </li>
  )
}

// Links the line to its credit, or else to its payout.
function LineLink({ line: { creditId, payoutReference }, name }: { line: Line; name: string }) {
  if (creditId === null && payoutReference === null) return <>{name}</>
  const href =
    creditId === null ? hrefOf('payouts', payoutReference ?? '') : hrefOf('credits', `${creditId}`)
  return <Link href={href}>{name}</Link>
}

// The reference that the client most likely knows, and the subaccount.
function lineReferences(line: Line): string[] {
  const { subaccountCode, merchantRef, paymentReference, payoutReference } = line
  const { collectionAccountNumber } = line
  const references = [
    merchantRef ??
      (paymentReference && codeOfId('PAY', paymentReference)) ??
      collectionAccountNumber ??
      (payoutReference && codeOf(payoutReference)),
    subaccountCode,
  ]
  return references.filter((reference) => reference !== null)
}

// The bank accounts that a settlement would be paid to if approved now. Highlights accounts chosen after the
// settlement closed, and accounts that cannot be paid.
function Payees({ settlement }: { settlement: WholeSettlement }) {
  const { payees, closedAt, currency } = settlement
  return (
    <>
      <h3>{strings.payees}</h3>
      <ul class="attempts" aria-label={strings.payees}>
        {payees.map((payee) => (
          <li key={payee.subaccountCode}>
            <div>
              <p>{payee.accountName}</p>
              <p>
                {payee.bankName}{' '}
                <Copyable text={payee.accountNumber ?? payee.accountNumberMasked} />
              </p>
              {payee.defaultSince && Date.parse(payee.defaultSince) > Date.parse(closedAt) && (
                <p class="notice held">
                  {payee.subaccountCode === null ? strings.madeDefault : strings.chosenLater}{' '}
                  <Time at={payee.defaultSince} />
                </p>
              )}
              {payee.blockedBy && (
                <p class="notice held">{strings.payeeBlocked[payee.blockedBy]}</p>
              )}
            </div>
            <div>
              <p>
                <Money amount={payee.amount} currency={currency} />
              </p>
              <p class="muted small">
                <Party code={payee.subaccountCode} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

// The receiver of a part of the settlement: the client itself or a subaccount.
function Party({ code }: { code: string | null }) {
  if (code === null) return strings.mainAccount
  return <Link href={hrefOf('settings', code, { tab: 'subaccounts' })}>{code}</Link>
}

type Verb = 'approve' | 'cancel'

type ChosenDecision = { verb: Verb; settlement: WholeSettlement }
type SettlementActionsProps = { settlement: WholeSettlement; session: Session; onDone: () => void }

// Approves or cancels a closed settlement, each after a confirmation dialog, or explains why the user cannot
// approve it. The dialog points out an account whose name no bank has confirmed.
function SettlementActions({ settlement, session, onDone }: SettlementActionsProps) {
  const [decision, setDecision] = useState<ChosenDecision | undefined>()
  if (settlement.status !== 'closed' || !session.scopes.includes('payouts:write')) return null
  const { cannotApprove, heldReason } = settlement
  const isOwn = cannotApprove?.code === 'other_person_needed'
  const openDecision = (verb: Verb) => () => setDecision({ verb, settlement })
  const finish = () => {
    setDecision(undefined)
    onDone()
  }
  return (
    <>
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      {cannotApprove && !isOwn && cannotApprove.code !== heldReason && (
        <p class="notice after-facts">{cannotApprove.message}</p>
      )}
      <div class="actions">
        {!cannotApprove && (
          <Button style="primary" onClick={openDecision('approve')}>
            {strings.approve}
          </Button>
        )}
        <Button style="danger-text" onClick={openDecision('cancel')}>
          {strings.cancel}
        </Button>
      </div>
      {decision && <DecisionDialog {...decision} close={finish} />}
    </>
  )
}

// `payees` is missing in responses of the previous release.
function hasUnconfirmed({ payees }: WholeSettlement): boolean {
  return payees?.some(({ blockedBy }) => blockedBy === 'bank_account_unconfirmed') ?? false
}

// Confirms the approval or cancellation. The approval names the revision that the user saw.
function DecisionDialog({ settlement, verb, close }: ChosenDecision & { close: () => void }) {
  const { reference, net, currency, payees, revision } = settlement
  const namesPayees = verb === 'approve' && payees
  const body = verb === 'approve' ? { revision } : {}
  return (
    <ActionDialog
      title={strings[`${verb}Title`](money(net, currency))}
      action={strings[verb]}
      isDangerous={verb === 'cancel'}
      text={
        <>
          {namesPayees &&
            payees.map((payee) => <p key={payee.subaccountCode}>{payeeText(payee, currency)}</p>)}
          {verb === 'approve' && hasUnconfirmed(settlement) && <p>{strings.approveUnconfirmed}</p>}
          {strings[`${verb}Text`]}
        </>
      }
      run={(_, headers) =>
        send('POST', `${PATH}/${verb}`, { params: { reference }, body, headers })
      }
      message={strings[`${verb}Done`](reference)}
      close={close}
    />
  )
}

// Names one payee and amount that the user approves.
function payeeText(payee: Schemas['SettlementPayee'], currency: string): string {
  const { amount, accountName, bankName, accountNumberMasked } = payee
  const account = `${bankName} ${accountNumberMasked}`
  return strings.approveTo(money(amount, currency), accountName, account)
}

export type Settlement = Schemas['Settlement']
type WholeSettlement = Schemas['SettlementDetail']
type Amounts = Settlement | Schemas['UpcomingSettlement']

const ALWAYS_SHOWN = ['gross', 'fees', 'vat', 'net']
const ADDED_AMOUNTS = ['gross', 'released', 'carried', 'net']

type Name = keyof typeof strings.amounts
const NAMES = Object.keys(strings.amounts) as Name[]

const TERMS: Partial<Record<Name, TermName>> = {
  gross: 'settlementGross',
  net: 'settlementNet',
  refunds: 'settlementRefunds',
  carried: 'settlementCarried',
  reserved: 'reserved',
}

export function periodOf({ period: { from, to } }: Settlement): string {
  return from === null ? strings.upTo(day(to)) : strings.days(day(from), day(to))
}

// Omits zero amounts, except the main ones.
export function AmountList({ amounts }: { amounts: Amounts }) {
  const names = NAMES.filter((name) => amounts[name] !== 0 || ALWAYS_SHOWN.includes(name))
  // A sum of the list, with its sign and the definition of its term.
  const facts = names.map((name): Fact => {
    // Deductions are shown as negative amounts. `0 - amount` never gives −0.
    const amount = ADDED_AMOUNTS.includes(name) ? amounts[name] : 0 - amounts[name]
    const value = <Money amount={amount} currency={amounts.currency} />
    const text = name === 'net' ? <strong>{value}</strong> : value
    return [strings.amounts[name], text, TERMS[name]]
  })
  return <div class="sums">{factList(facts)}</div>
}
