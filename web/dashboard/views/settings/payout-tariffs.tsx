// Bank charges for payouts: tariffs by amount, for one bank or for all others. Each applies until the
// next one takes effect.

import { appStrings, settingsStrings } from '../../../copy.ts'
import { Problem, type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { InputField, TextAreaField } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
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
  return (
    <>
      <h2 class="section">{strings.tariffs}</h2>
      <div class="above">
        <AddTariff done={pages.reload} />
      </div>
      <ListTable
        caption={strings.tariffs}
        columns={COLUMNS}
        pages={pages}
        keyOf={keyOf}
        hrefOf={(tariff) => hrefOf('settings', keyOf(tariff), TAB)}
        openKey={openKey}
        empty={<Empty icon="action" title={strings.noTariffs} text={strings.noTariffsText} />}
      />
      {open && <TariffDrawer tariff={open} changed={pages.reload} />}
    </>
  )
}

function TariffDrawer({ tariff, changed }: { tariff: Tariff; changed: () => void }) {
  const { id, effectiveFrom, stampDuty, stampDutyFrom } = tariff
  const close = () => closeTo(hrefOf('settings', undefined, TAB))
  return (
    <Drawer title={strings.tariff} close={close}>
      <TextHeadline text={tariff.bankCode ?? strings.otherBanks} />
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

// A line such as “5000 10” is the greatest amount and its fee. The last line is the fee above all others.
function readBands(text: string): Band[] {
  const lines = text.split('\n').map((line) => line.replaceAll(/[₦,]/g, '').trim().split(/\s+/))
  const rows = lines.filter(([first]) => first !== '')
  const last = rows.length - 1
  const isRight = rows.every(({ length }, at) => length === (at === last ? 1 : 2))
  if (rows.length === 0 || !isRight) throw new Problem('bands', strings.bandsWrong)
  return rows.map(([first = '', fee]) =>
    fee === undefined ? { upTo: null, fee: first } : { upTo: first, fee },
  )
}

function AddTariff({ done }: { done: () => void }) {
  return (
    <Action
      action={strings.addTariff}
      style="primary"
      run={(form, headers) => {
        const optional = (name: string) => {
          const amount = form.amount(name)
          return amount === '' ? {} : { [name]: amount }
        }
        const vat = form.amount('vatBps')
        const body = {
          bankCode: form.text('bankCode') || null,
          bands: readBands(form.text('bands')),
          ...(vat === '' ? {} : { vatBps: Number(vat) }),
          ...optional('stampDuty'),
          ...optional('stampDutyFrom'),
          ...optional('effectiveFrom'),
        }
        return send('POST', PATH, { body, headers })
      }}
      message={appStrings.saved}
      done={done}
    >
      <InputField name="bankCode" label={strings.bank} hint={strings.bankHint} />
      <TextAreaField
        label={strings.bands}
        hint={strings.bandsHint}
        name="bands"
        rows={4}
        required
      />
      <InputField name="vatBps" label={fees.vatBps} />
      <InputField name="stampDuty" label={strings.stampDuty} />
      <InputField name="stampDutyFrom" label={strings.stampDutyFrom} />
      <InputField name="effectiveFrom" label={fees.from} hint={fees.fromHint} />
    </Action>
  )
}
