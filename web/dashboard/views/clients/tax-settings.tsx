// A client's details on VAT invoices, and the withholding tax on its fees.

import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { addDays, today } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { factList } from '../../parts/drawer.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'

const PATH = '/api/v1/operator/clients/{clientId}/tax-settings'
const RATES = '/api/v1/operator/tax-rates'

// The client’s details for tax documents, and the rate at which it withholds tax.
export function TaxSettings({ clientId }: { clientId: string }) {
  const { data, problem, reload } = useData(PATH, { clientId })
  return (
    <>
      <h3>{strings.tax}</h3>
      <Pending {...{ data, problem, reload }} kind="text" lines={3} />
      {data && (
        <>
          {factList([
            [strings.legalName, data.legalName],
            [strings.taxAddress, data.address ?? strings.notOnRecord],
            [strings.tin, data.tin ?? strings.notOnRecord],
            [
              strings.withholding,
              strings.withholdingRate(data.withholdingPercent, data.withholdingFrom),
            ],
          ])}
          <div class="buttons after-facts">
            <EditDetails settings={data} onDone={reload} />
            <SetWithholding settings={data} onDone={reload} />
          </div>
        </>
      )}
    </>
  )
}

type Props = { settings: Schemas['TaxSettings']; onDone: () => void }

function EditDetails({ settings, onDone }: Props) {
  const { clientId, legalName, address, tin } = settings
  return (
    <Action
      label={strings.editTax}
      title={strings.editTaxTitle}
      action={appStrings.save}
      text={strings.editTaxText}
      run={(form) => {
        const body = {
          legalName: form.text('legalName'),
          address: form.text('address'),
          tin: form.text('tin'),
        }
        return send('PUT', PATH, { params: { clientId }, body })
      }}
      message={appStrings.saved}
      onDone={onDone}
    >
      <InputField
        label={strings.legalName}
        name="legalName"
        required
        maxLength={200}
        defaultValue={legalName}
      />
      <InputField
        label={strings.taxAddress}
        name="address"
        required
        maxLength={300}
        defaultValue={address ?? ''}
      />
      <InputField label={strings.tin} name="tin" required maxLength={20} defaultValue={tin ?? ''} />
    </Action>
  )
}

// Adds a rate at which the client withholds tax from fees. Past days keep their rate.
function SetWithholding({ settings: { clientId, withholdingPercent }, onDone }: Props) {
  const tomorrow = addDays(today(), 1)
  return (
    <Action
      label={strings.setWithholding}
      title={strings.setWithholdingTitle}
      action={appStrings.save}
      text={strings.setWithholdingText}
      run={(form, headers) => {
        const body = {
          tax: 'withholding' as const,
          clientId,
          percent: Number(form.text('percent')),
          effectiveFrom: form.text('effectiveFrom'),
          source: form.text('source'),
        }
        return send('POST', RATES, { body, headers })
      }}
      message={appStrings.saved}
      onDone={onDone}
    >
      <InputField
        label={strings.percent}
        name="percent"
        type="number"
        required
        min={0}
        max={50}
        step={0.01}
        defaultValue={`${withholdingPercent}`}
      />
      <InputField
        label={strings.effectiveFrom}
        name="effectiveFrom"
        type="date"
        required
        min={tomorrow}
        defaultValue={tomorrow}
      />
      <InputField label={strings.source} name="source" required maxLength={300} />
    </Action>
  )
}
