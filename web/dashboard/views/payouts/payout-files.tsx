// Payout files, for banks without an API, and their reports.

import { payoutsStrings, payoutFilesStrings as strings } from '../../../copy.ts'
import { count } from '../../format.ts'
import { BankName } from '../../parts/bank-name.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { mayAccount } from '../../session.ts'
import { useVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { CreateFile } from './create-file.tsx'
import { FileState, type PayoutFile } from './file-state.tsx'
import { PayoutFileDetail } from './payout-file.tsx'
import { UploadResults } from './upload-results.tsx'

const PATH = '/api/v1/operator/payout-files'

const FILTERS: readonly Filter[] = [
  { name: 'bankCode', label: strings.bank, placeholder: strings.bankDigits },
]

const COLUMNS: readonly Column<PayoutFile>[] = [
  { name: strings.id, place: 'lead', show: ({ id }) => <code>{id}</code> },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.format, show: ({ format }) => strings.formats[format] ?? format },
  { name: strings.payouts, isAmount: true, show: ({ payouts }) => count(payouts) },
  amountColumn(strings.amount),
  { name: strings.status, place: 'state', show: (file) => <FileState file={file} /> },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function PayoutFiles(props: ViewProps) {
  const [version, bump] = useVersion()
  const mayChange = mayAccount(props.session)
  return (
    <ListView
      {...props}
      view="payouts"
      icon="download"
      path={PATH}
      caption={payoutsStrings.tabs.files}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      version={version}
      none={{ title: strings.none, text: strings.noneText }}
      add={
        mayChange && (
          <div class="buttons">
            <UploadResults done={bump} />
            <CreateFile done={bump} />
          </div>
        )
      }
      one={{
        title: strings.one,
        path: `${PATH}/{id}`,
        show: (file) => <PayoutFileDetail file={file} session={props.session} done={bump} />,
      }}
    />
  )
}
