// The chart of the table: transactions a second, ours beside the rivals. Plain SVG that reads on a
// light and on a dark page.

export type Bar = { label: string; value: number; isOurs: boolean; note: string }

const WIDTH = 860
const LABEL_WIDTH = 290
const NOTE_WIDTH = 150
const BAR_HEIGHT = 22
const STEP = 32
const TOP = 52

export function drawChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map((bar) => bar.value))
  const height = TOP + bars.length * STEP + 8
  const lines = bars.map(({ label, value, isOurs, note }, at) => {
    const y = TOP + at * STEP
    const length = Math.max(2, ((WIDTH - LABEL_WIDTH - NOTE_WIDTH) * value) / most)
    const middle = y + BAR_HEIGHT / 2 + 4.5
    return [
      `  <text x="${LABEL_WIDTH - 12}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
      `  <rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" ` +
        `rx="3" fill="${isOurs ? '#0f766e' : '#94a3b8'}"/>`,
      `  <text x="${(LABEL_WIDTH + length + 8).toFixed(1)}" y="${middle}">${escaped(note)}</text>`,
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" ` +
      `aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13" ` +
      'fill="#1e293b">',
    `  <rect width="${WIDTH}" height="${height}" rx="8" fill="#f8fafc"/>`,
    `  <text x="20" y="30" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
