// Gross volume of the last hours or days, as bars or a table; and today's sums by bank and by merchant. Uses
// no charting library, because one would be larger than the whole page.

import { useState } from 'preact/hooks'
import { chartStrings as strings, todayStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { count, day, hour, money, shortMoney } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Button, Segments } from '../../parts/controls.tsx'
import { Pending, Skeleton } from '../../parts/states.tsx'
import { Money } from '../../parts/values.tsx'

type Point = Schemas['OverviewPoint']
type Span = 'hours' | 'days'

const HEIGHT = 160
const LABELS_HEIGHT = 22
const LABELS = { hours: 6, days: 7 } // The number of bars from one label of the axis to the next.

// Both spans come with the overview; the user chooses the span, and bars or a table.
export function Chart({ hours, days }: { hours: Point[] | undefined; days: Point[] | undefined }) {
  const [span, setSpan] = useState<Span>('hours')
  const [isTable, setTable] = useState(false)
  const points = span === 'hours' ? hours : days
  const label = span === 'hours' ? hour : day
  return (
    <section class="card chart" aria-labelledby="chart">
      <header class="card-top">
        <h2 id="chart">{strings.title}</h2>
        <Segments
          label={strings.span}
          options={['hours', 'days'] as const}
          names={strings}
          chosen={span}
          choose={setSpan}
        />
        <Button style="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {strings.table}
        </Button>
      </header>
      {!points && <Skeleton kind="chart" />}
      {points &&
        (isTable ? (
          <ChartTable points={points} label={label} />
        ) : (
          <Bars points={points} span={span} label={label} />
        ))}
    </section>
  )
}

type Label = (iso: string) => string

// The bars with their scale. The text above them describes the bar under the pointer, or else gives the sum.
// Lines at half a pixel are drawn sharp.
function Bars({ points, span, label }: { points: Point[]; span: Span; label: Label }) {
  const [pointed, setPointed] = useState<number | undefined>()
  const scaleMax = roundUpForScale(Math.max(...points.map(({ gross }) => gross)))
  const width = 100 / points.length
  const point = pointed === undefined ? undefined : points[pointed]
  const total = points.reduce((sum, { gross }) => sum + gross, 0)
  return (
    <div class="plot">
      <p class="plot-sum" aria-hidden="true">
        {point
          ? strings.point(label(point.from), money(point.gross), count(point.credits))
          : strings.sum(money(total))}
      </p>
      <div class="plot-body">
        <div class="plot-scale muted small" aria-hidden="true">
          <span>{shortMoney(scaleMax)}</span>
          <span>{shortMoney(scaleMax / 2)}</span>
          <span>{shortMoney(0)}</span>
        </div>
        <svg
          width="100%"
          height={HEIGHT + LABELS_HEIGHT}
          role="img"
          aria-label={strings.description(strings[span], money(total))}
          onPointerLeave={() => setPointed(undefined)}
        >
          {[0, 0.5, 1].map((at) => (
            <line
              key={at}
              x1="0"
              x2="100%"
              y1={at * (HEIGHT - 1) + 0.5}
              y2={at * (HEIGHT - 1) + 0.5}
            />
          ))}
          {points.map(({ from, gross }, at) => (
            <g key={from} onPointerEnter={() => setPointed(at)}>
              <rect class="plot-slot" x={`${at * width}%`} width={`${width}%`} height={HEIGHT} />
              <Bar at={at} width={width} share={gross / scaleMax} isPointed={at === pointed} />
            </g>
          ))}
          <AxisLabels points={points} span={span} label={label} />
        </svg>
      </div>
    </div>
  )
}

// Labels every sixth hour or seventh day, counted back from the last bar.
function AxisLabels({ points, span, label }: { points: Point[]; span: Span; label: Label }) {
  const width = 100 / points.length
  const last = points.length - 1
  return (
    <>
      {points.map(({ from }, index) =>
        (last - index) % LABELS[span] === 0 ? (
          <text
            key={from}
            x={index === last ? '100%' : `${(index + 0.5) * width}%`}
            y={HEIGHT + 18}
            text-anchor={index === last ? 'end' : 'middle'}
          >
            {label(from)}
          </text>
        ) : null,
      )}
    </>
  )
}

const BAR_SHARE = 0.64

// `at` is the position of the bar, `share` its part of the height. A small amount still gets a visible bar.
function Bar(props: { at: number; width: number; share: number; isPointed: boolean }) {
  const { at, width, share, isPointed } = props
  const height = share > 0 ? Math.max(share * (HEIGHT - 2), 2) : 0
  return (
    <rect
      class={isPointed ? 'bar pointed' : 'bar'}
      x={`${(at + (1 - BAR_SHARE) / 2) * width}%`}
      width={`${width * BAR_SHARE}%`}
      y={HEIGHT - height}
      height={height}
      rx="2"
    />
  )
}

// Rounds up to a number that is easy to read at the top and, halved, in the middle of the scale. Without any
// money the scale ends at 1,000.
function roundUpForScale(most: number): number {
  if (most <= 0) return 1000
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 3, 4, 6, 8, 10].find((step) => step * power >= most) ?? 10) * power
}

// A scrolling region must be reachable by keyboard.
const SCROLLABLE = { tabIndex: 0 }

// The same points as a table, the latest first.
function ChartTable({ points, label }: { points: Point[]; label: Label }) {
  return (
    <section class="plot-table" aria-label={strings.table} {...SCROLLABLE}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{strings.when}</th>
            <th scope="col" class="amount">
              {strings.gross}
            </th>
            <th scope="col" class="amount">
              {strings.credits}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map(({ from, gross, credits }) => (
            <tr key={from}>
              <td>{label(from)}</td>
              <td class="amount">{money(gross)}</td>
              <td class="amount">{count(credits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type Bank = Schemas['OverviewBank']
type Sums = Omit<Bank, 'bankCode' | 'bankName'>
type By = 'banks' | 'merchants'

const DEDUCTIONS = ['reversed', 'returned', 'refunded', 'suspended', 'fees'] as const

// Today's sums by bank or by merchant.
export function Breakdown({ refreshKey }: { refreshKey: number }) {
  const { data, problem, reload } = useData('/api/v1/overview/breakdown', {}, {}, refreshKey)
  const [by, setBy] = useState<By>('banks')
  return (
    <section class="card breakdown" aria-labelledby="breakdown">
      <header class="card-top">
        <h2 id="breakdown">{todayStrings.breakdown}</h2>
        <Segments
          label={todayStrings.breakdown}
          options={['banks', 'merchants'] as const}
          names={todayStrings.by}
          chosen={by}
          choose={setBy}
        />
      </header>
      <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
      {data && (
        <BreakdownTable
          name={todayStrings.by[by]}
          rows={
            by === 'banks'
              ? data.banks.map((bank) => [nameOfBank(bank), bank])
              : data.merchants.map((merchant) => [nameOfMerchant(merchant), merchant])
          }
        />
      )}
    </section>
  )
}

const nameOfBank = ({ bankName, bankCode }: Bank) =>
  bankName ?? bankCode ?? todayStrings.unknownBank

// Credits of payments belong to no merchant. The merchants that the overview does not list are summed in one
// row.
function nameOfMerchant({ merchantCode, isRest }: Schemas['OverviewMerchant']): string {
  if (isRest) return todayStrings.restOfMerchants
  return merchantCode ?? todayStrings.payments
}

function BreakdownTable(props: { name: string; rows: readonly (readonly [string, Sums])[] }) {
  const { name, rows } = props
  if (rows.length === 0) return <p class="muted breakdown-none">{todayStrings.nothingYet}</p>
  // Every deduction has a column, so that each row adds up.
  const deductions = DEDUCTIONS.filter((name) => rows.some(([, sums]) => sums[name] !== 0))
  const amounts = ['gross', ...deductions, 'net'] as const
  return (
    <section class="listing" aria-label={name} {...SCROLLABLE}>
      <table class="list">
        <caption class="hidden">{todayStrings.breakdown}</caption>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col" class="amount">
              {todayStrings.credits}
            </th>
            {amounts.map((each) => (
              <th key={each} scope="col" class="amount">
                {todayStrings.columns[each]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([who, sums]) => (
            <tr key={who}>
              <td class="at-lead">{who}</td>
              <td class="amount at-line" data-name={todayStrings.credits}>
                {count(sums.credits)}
              </td>
              {amounts.map((each) => (
                <td key={each} class="amount at-line" data-name={todayStrings.columns[each]}>
                  <Money amount={sums[each]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
