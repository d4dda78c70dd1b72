// Splits: how subaccounts share the receipts of an account or payment.

import { useState } from 'preact/hooks'
import { settingsStrings, splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Link } from '../../parts/link.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { AddSplit } from './add-split.tsx'

type Split = Schemas['Split']

const { splits: strings } = splitsStrings
const PATH = '/api/v1/splits'

const stateOf = ({ isActive }: Split) => (isActive ? 'active' : 'inactive')

const shareOf = (type: string, share: number) =>
  type === 'percentage' ? strings.percentOf(share) : money(share)

const shownParts = ({ type, parts }: Split) =>
  parts.map(({ subaccountCode, share }) => `${subaccountCode} ${shareOf(type, share)}`).join(', ')

const COLUMNS: readonly Column<Split>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.code, show: ({ splitCode }) => <code>{splitCode}</code> },
  { name: strings.parts, place: 'second', show: shownParts },
  { name: strings.state, place: 'state', show: (split) => <Badge state={stateOf(split)} /> },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function Splits(props: ViewProps) {
  const [version, setVersion] = useState(0)
  const mayWrite = props.session.scopes.includes('payouts:write')
  return (
    <ListView
      {...props}
      view="settings"
      icon="action"
      path={PATH}
      caption={settingsStrings.tabs.splits}
      columns={COLUMNS}
      keyOf={({ splitCode }) => splitCode}
      none={{ title: strings.none, text: strings.noneText }}
      add={mayWrite && <AddSplit done={() => setVersion(version + 1)} />}
      version={version}
      one={{
        title: strings.one,
        path: `${PATH}/{splitCode}`,
        show: (split, { changed }) => (
          <>
            <About split={split} />
            {mayWrite && split.isActive && <Deactivate split={split} done={changed} />}
          </>
        ),
      }}
    />
  )
}

function About({ split }: { split: Split }) {
  return (
    <>
      <TextHeadline text={split.name} badge={<Badge state={stateOf(split)} />} />
      <Facts
        facts={[
          [strings.code, <Copyable key="code" text={split.splitCode} />],
          [strings.type, strings.types[split.type]],
          ...split.parts.map(
            ({ subaccountCode: code, share, bearsFee }): Fact => [
              code,
              <>
                <Link href={hrefOf('settings', code, { tab: 'subaccounts' })}>
                  {shareOf(split.type, share)}
                </Link>
                {bearsFee && `, ${strings.bears}`}
              </>,
            ],
          ),
          [strings.created, <Time key="created" at={split.createdAt} />],
        ]}
      />
    </>
  )
}

function Deactivate({ split: { splitCode, name }, done }: { split: Split; done: () => void }) {
  const path = `${PATH}/{splitCode}/deactivate` as const
  return (
    <div class="buttons">
      <Action
        title={strings.deactivateTitle(name)}
        action={strings.deactivate}
        isDangerous
        text={strings.deactivateText}
        run={(_, headers) => send('POST', path, { params: { splitCode }, body: {}, headers })}
        message={strings.deactivated}
        done={done}
      />
    </div>
  )
}
