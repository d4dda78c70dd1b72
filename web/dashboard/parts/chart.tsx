// Gross volume of the last hours or days, as bars or a table. Drawn by hand: a charting library would weigh
// more than the whole page.

import { useState } from 'preact/hooks'
import { chartStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { count, day, hour, money, shortMoney } from '../format.ts'
import { Button } from './button.tsx'
import { Segments } from './segments.tsx'
import { Skeleton } from './states.tsx'

type Point = Schemas['OverviewPoint']
type Span = 'hours' | 'days'

const HEIGHT = 160
const LABELS_HEIGHT = 22
const LABELS = { hours: 6, days: 7 } // One label per this many bars.

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
          <AsTable points={points} label={label} />
        ) : (
          <Bars points={points} span={span} label={label} />
        ))}
    </section>
  )
}

type Label = (iso: string) => string

function Bars({ points, span, label }: { points: Point[]; span: Span; label: Label }) {
  const [pointed, setPointed] = useState<number | undefined>()
  const most = ceiling(Math.max(...points.map(({ gross }) => gross)))
  const width = 100 / points.length
  const shown = pointed === undefined ? undefined : points[pointed]
  const total = points.reduce((sum, { gross }) => sum + gross, 0)
  return (
    <div class="plot">
      <p class="plot-sum" aria-hidden="true">
        {shown
          ? strings.point(label(shown.from), money(shown.gross), count(shown.credits))
          : strings.sum(money(total))}
      </p>
      <div class="plot-body">
        <div class="plot-scale muted small" aria-hidden="true">
          <span>{shortMoney(most)}</span>
          <span>{shortMoney(most / 2)}</span>
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
              <Bar at={at} width={width} share={gross / most} isPointed={at === pointed} />
            </g>
          ))}
          <Labels points={points} span={span} label={label} />
        </svg>
      </div>
    </div>
  )
}

function Labels({ points, span, label }: { points: Point[]; span: Span; label: Label }) {
  const width = 100 / points.length
  const last = points.length - 1
  return (
    <>
      {points.map(({ from }, at) =>
        (last - at) % LABELS[span] === 0 ? (
          <text key={from} x={`${(at + 0.5) * width}%`} y={HEIGHT + 18} text-anchor="middle">
            {label(from)}
          </text>
        ) : null,
      )}
    </>
  )
}

const BAR_SHARE = 0.64

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

// The next number that halves evenly, so that the scale reads well.
function ceiling(most: number): number {
  if (most <= 0) return 1000
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 3, 4, 6, 8, 10].find((step) => step * power >= most) ?? 10) * power
}

// A scrolling region must be reachable by keyboard.
const SCROLLED = { tabIndex: 0 }

function AsTable({ points, label }: { points: Point[]; label: Label }) {
  return (
    <section class="plot-table" aria-label={strings.table} {...SCROLLED}>
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
