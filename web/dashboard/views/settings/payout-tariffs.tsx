// What banks charge for payouts: tariffs by amount, of a bank or of all others, each in force from its
// time until the next.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { Problem, type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import { Withdraw } from './withdraw.tsx'

type Tariff = Schemas['PayoutTariff']
type Band = Schemas['PayoutTariffRequest']['bands'][number]

const { payoutRules: strings, fees } = settingsStrings
const PATH = '/api/v1/operator/payout-tariffs'
const TAB = { tab: 'payoutRules' }

const bandsOf = ({ bands }: Tariff) =>
  bands
    .map(({ upTo, fee }) => strings.band(upTo === null ? undefined : money(upTo), money(fee)))
    .join(', ')

const COLUMNS: readonly Column<Tariff>[] = [
  { name: strings.bank, place: 'lead', show: ({ bankCode }) => bankCode ?? strings.otherBanks },
  { name: strings.bands, place: 'second', show: bandsOf },
  { name: fees.vat, isAmount: true, show: ({ vatBps }) => fees.percent(vatBps) },
  { name: strings.stampDuty, isAmount: true, show: ({ stampDuty }) => money(stampDuty) },
  { name: fees.from, place: 'time', show: ({ effectiveFrom: at }) => <Time at={at} /> },
]

const keyOf = ({ id }: Tariff) => `${id}`

export function PayoutTariffs({ openKey }: { openKey: string | undefined }) {
  const pages = usePages(PATH, {})
  const open = pages.data?.data.find((tariff) => keyOf(tariff) === openKey)
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <h2 class="section">{strings.tariffs}</h2>
      <div class="above">
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          {strings.addTariff}
        </button>
      </div>
      <ListTable
        caption={strings.tariffs}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(tariff) => hrefOf('settings', keyOf(tariff), TAB)}
        openKey={openKey}
        empty={
          <Empty icon="action" title={strings.noTariffs}>
            {strings.noTariffsText}
          </Empty>
        }
      />
      {open && <TariffDrawer tariff={open} changed={pages.reload} />}
      {isAdding && (
        <TariffForm
          close={() => setAdding(false)}
          done={() => {
            setAdding(false)
            toast(appStrings.saved)
            pages.reload()
          }}
        />
      )}
    </>
  )
}

function TariffDrawer({ tariff, changed }: { tariff: Tariff; changed: () => void }) {
  const { id, effectiveFrom, stampDuty, stampDutyFrom } = tariff
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.tariff} close={close}>
      <div class="headline">
        <span class="headline-text">{tariff.bankCode ?? strings.otherBanks}</span>
      </div>
      <Facts
        facts={[
          [strings.bands, bandsOf(tariff)],
          [fees.vat, fees.percent(tariff.vatBps)],
          [strings.stampDuty, money(stampDuty)],
          [strings.stampDutyFrom, stampDuty > 0 && money(stampDutyFrom)],
          [fees.from, <Time key="from" at={effectiveFrom} />],
        ]}
      />
      <Withdraw
        effectiveFrom={effectiveFrom}
        title={strings.withdrawTitle}
        text={strings.withdrawText}
        run={() => send('DELETE', `${PATH}/{id}`, { params: { id: `${id}` } })}
        done={() => {
          close()
          changed()
        }}
      />
    </Drawer>
  )
}

// A line is “5000 10”, the greatest amount and its fee; the last, the fee of all above.
function readBands(text: string): Band[] {
  const lines = text.split('\n').map((line) => line.replaceAll(/[₦,]/g, '').trim().split(/\s+/))
  const given = lines.filter(([first]) => first !== '')
  const last = given.length - 1
  const isRight = given.every(({ length }, at) => length === (at === last ? 1 : 2))
  if (given.length === 0 || !isRight) throw new Problem('bands', strings.bandsWrong)
  return given.map(([first = '', fee]) =>
    fee === undefined ? { upTo: null, fee: first } : { upTo: first, fee },
  )
}

function TariffForm({ close, done }: { close: () => void; done: () => void }) {
  const sending = useSending(async (given, headers) => {
    const amount = (name: string) => textOf(given, name).replaceAll(',', '')
    const optional = (name: string) => (amount(name) === '' ? {} : { [name]: amount(name) })
    const vat = amount('vatBps')
    const body = {
      bankCode: textOf(given, 'bankCode') || null,
      bands: readBands(textOf(given, 'bands')),
      ...(vat === '' ? {} : { vatBps: Number(vat) }),
      ...optional('stampDuty'),
      ...optional('stampDutyFrom'),
      ...optional('effectiveFrom'),
    }
    await send('POST', PATH, { body, headers })
    done()
  })
  const input = (name: string, label: string, hint?: string) => (
    <Field label={label} {...(hint ? { hint } : {})}>
      {(id) => <input id={id} name={name} autocomplete="off" />}
    </Field>
  )
  return (
    <DialogForm
      title={strings.addTariff}
      action={strings.addTariff}
      sending={sending}
      close={close}
    >
      {input('bankCode', strings.bank, strings.bankHint)}
      <Field label={strings.bands} hint={strings.bandsHint}>
        {(id) => <textarea id={id} name="bands" rows={4} required />}
      </Field>
      {input('vatBps', fees.vatBps)}
      {input('stampDuty', strings.stampDuty)}
      {input('stampDutyFrom', strings.stampDutyFrom)}
      {input('effectiveFrom', fees.from, fees.fromHint)}
    </DialogForm>
  )
}
