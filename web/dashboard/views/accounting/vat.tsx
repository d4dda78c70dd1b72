// VAT of a month: charged to clients, charged by banks, and what is payable.

import { appStrings, accountingStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { Stat } from '../../parts/stat.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ViewProps } from '../../view-props.ts'
import { bankColumn, clientColumn, sumColumn } from './columns.tsx'
import { monthIn, PeriodChoice, Report, ReportLinks } from './report.tsx'
import { ReportTable } from './report-table.tsx'

const PATH = '/api/v1/operator/vat'

type VatReport = Data<typeof PATH>

const OUTPUT: readonly Column<VatReport['output'][number]>[] = [
  { ...clientColumn(), place: 'lead', show: ({ clientId }) => clientId ?? appStrings.nothing },
  sumColumn(strings.fees, 'fees'),
  sumColumn(strings.vatCharged, 'charged'),
  sumColumn(strings.vatGivenBack, 'givenBack'),
  sumColumn(strings.vatNet, 'vat'),
]

const INPUT: readonly Column<VatReport['input'][number]>[] = [
  {
    ...bankColumn(),
    place: 'lead',
    show: ({ bankCode }) => (bankCode === null ? appStrings.nothing : <BankName code={bankCode} />),
  },
  sumColumn(strings.costs, 'costs'),
  sumColumn(strings.vatPaid, 'vat'),
]

export function Vat({ place }: ViewProps) {
  const month = monthIn(place)
  return (
    <Report
      fields={<PeriodChoice label={strings.month} type="month" name="month" value={month} />}
      links={<ReportLinks path={PATH} query={{ month }} />}
      loaded={useData(PATH, {}, { month })}
      show={(report) => <Whole report={report} />}
    />
  )
}

function Whole({ report: { output, input, totals } }: { report: VatReport }) {
  if (output.length + input.length === 0) {
    return <Empty icon="accounting" title={strings.noVat} text={strings.noVatText} />
  }
  return (
    <>
      {totals.map((total) => (
        <dl key={total.currency} class="stats">
          <Stat name={strings.payable} note={strings.payableNote} isMain>
            {money(total.payable, total.currency)}
          </Stat>
          <Stat name={strings.output} note={strings.outputNote}>
            {money(total.output, total.currency)}
          </Stat>
          <Stat name={strings.input} note={strings.inputNote}>
            {money(total.input, total.currency)}
          </Stat>
        </dl>
      ))}
      <h2 class="section">{strings.output}</h2>
      <ReportTable caption={strings.output} columns={OUTPUT} rows={output} />
      <h2 class="section">{strings.input}</h2>
      <ReportTable caption={strings.input} columns={INPUT} rows={input} />
    </>
  )
}
