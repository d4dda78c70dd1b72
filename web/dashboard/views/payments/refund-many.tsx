// Refunds the remaining amount of each selected payment. First reads the amounts and recipients; then the
// user confirms the count, the total and the recipients. Each refund is a separate request, under the same
// rules as a single refund.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, refundManyStrings as strings } from '../../../copy.ts'
import { getData, problemFrom, type Schemas } from '../../api.ts'
import { humanize } from '../../format.ts'
import { useData } from '../../loading.ts'
import { OpenButton } from '../../parts/action.tsx'
import { BulkProgress, forEach, sumOf, useBulk } from '../../parts/bulk.tsx'
import { Dialog, DialogForm, NoticeDialog } from '../../parts/dialog.tsx'
import { ReasonField, useSending } from '../../parts/forms.tsx'
import { listRefunds, refundState, requestRefund, waitsForApproval } from '../../parts/refunds.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Money } from '../../parts/values.tsx'
import { isPaid, onlyPayer, refundableAmount } from './drawer.tsx'

type Payment = Schemas['Payment']
type Part = { payment: Payment; payer: string | null; amount: number; currency: string }
// The refunds to send, and the other payments, each with the reason why it cannot be refunded.
type Plan = { parts: Part[]; others: { payment: Payment; why: string }[] }

type Props = { payments: readonly Payment[]; endSelection: () => void }

export function RefundMany({ payments, endSelection }: Props) {
  return (
    <OpenButton label={strings.open}>
      {(close) => <PlanDialog {...{ payments, endSelection, close }} />}
    </OpenButton>
  )
}

const keyOf = ({ paymentReference }: Payment) => paymentReference

// Reads each payment and its refunds. Payments that cannot be refunded are listed with the reason.
async function makePlan(payments: readonly Payment[]): Promise<Plan> {
  const plan: Plan = { parts: [], others: [] }
  await forEach(payments, async (payment) => {
    const target = { reference: payment.paymentReference }
    try {
      const [detail, refunds] = await Promise.all([
        getData('/api/v1/payments/{reference}', target),
        listRefunds(target),
      ])
      const amount = refundableAmount(detail, refunds)
      const part = { payment, payer: onlyPayer(detail), amount, currency: payment.currency }
      if (amount > 0) plan.parts.push(part)
      else
        plan.others.push({ payment, why: isPaid(detail) ? strings.nothingLeft : strings.notPaid })
    } catch (error) {
      plan.others.push({ payment, why: problemFrom(error).message })
    }
  })
  const position = ({ payment }: { payment: Payment }) => payments.indexOf(payment)
  plan.parts.sort((one, other) => position(one) - position(other))
  plan.others.sort((one, other) => position(one) - position(other))
  return plan
}

// Shows the plan once it is complete. It is made of the payments that were selected when the dialog opened,
// because the list may change in the meantime.
function PlanDialog({ payments, endSelection, close }: Props & { close: () => void }) {
  const [plan, setPlan] = useState<Plan | undefined>()
  useEffect(() => {
    void makePlan(payments).then(setPlan)
  }, [])
  if (!plan) {
    return (
      <Dialog title={strings.reading(payments.length)} close={close}>
        <Skeleton kind="rows" lines={4} />
      </Dialog>
    )
  }
  if (plan.parts.length === 0) {
    return (
      <NoticeDialog title={strings.none} closeLabel={appStrings.close} close={close}>
        <OtherPayments plan={plan} />
      </NoticeDialog>
    )
  }
  return <RefundDialog {...{ plan, endSelection, close }} />
}

// Asks for the reason and a confirmation, then sends the refunds and shows the result of each.
function RefundDialog(props: { plan: Plan; endSelection: () => void; close: () => void }) {
  const { plan, endSelection, close } = props
  const { parts } = plan
  const [reason, setReason] = useState<string | undefined>()
  const bulk = useBulk(
    parts,
    ({ payment }) => keyOf(payment),
    () => {},
  )
  const run = (chosenReason: string) =>
    bulk.run(async ({ payment, amount }, headers) => {
      const body = { amount: amount.toFixed(2), reason: chosenReason }
      const target = { reference: payment.paymentReference }
      return humanize(refundState(await requestRefund(target, body, headers)))
    })
  // Begins the refunds. The dialog then shows their progress, so the form does not wait for them.
  const sending = useSending(async (form) => {
    setReason(form.text('reason'))
    void run(form.text('reason'))
  })
  // Once refunds were sent, closing the dialog also ends the selection and reloads the list.
  const closeDialog = () => (bulk.results.size > 0 ? endSelection() : close())
  const title = strings.title(parts.length, sumOf(parts))
  if (reason === undefined) {
    return (
      <DialogForm
        title={title}
        action={strings.sure(parts.length, sumOf(parts))}
        isDangerous
        {...{ sending, close }}
      >
        <p>{strings.text}</p>
        <Approval parts={parts} />
        <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
        <ul class="bulk-results" aria-label={strings.recipients}>
          {parts.map((part) => (
            <li key={keyOf(part.payment)}>
              <RefundLine part={part} />
            </li>
          ))}
        </ul>
        <OtherPayments plan={plan} />
      </DialogForm>
    )
  }
  return (
    <Dialog title={title} close={closeDialog}>
      <BulkProgress
        bulk={bulk}
        line={(part) => <RefundLine part={part} />}
        retry={() => void run(reason)}
        close={closeDialog}
      />
    </Dialog>
  )
}

function RefundLine({ part: { payment, payer, amount, currency } }: { part: Part }) {
  return (
    <>
      <span>{payer ?? strings.unknown(payment.customerName)}</span>
      <Money amount={amount} currency={currency} />
    </>
  )
}

// The selected payments that are not refunded, with the reasons.
function OtherPayments({ plan: { others } }: { plan: Plan }) {
  if (others.length === 0) return null
  return (
    <>
      <p>{strings.others(others.length)}</p>
      <ul class="bulk-results" aria-label={strings.othersLabel}>
        {others.map(({ payment, why }) => (
          <li key={keyOf(payment)}>
            <span>{payment.customerName}</span>
            <Money amount={payment.amountPaid} currency={payment.currency} />
            <span class="muted small">{why}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

// Renders nothing until the approval rule is known.
function Approval({ parts }: { parts: readonly Part[] }) {
  const { data } = useData('/api/v1/payout-settings', {})
  if (!data) return null
  const waiting = parts.filter(({ amount }) => waitsForApproval(data, amount)).length
  return <p>{strings.approval(waiting, parts.length)}</p>
}
