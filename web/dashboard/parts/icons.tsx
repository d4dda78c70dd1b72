// The dashboard's icons, in the colour of the adjacent text. They are decorative, so hidden from screen
// readers.

const PATHS = {
  today: 'M3 12.5 8 8l3.5 3L17 5M13 5h4v4',
  payments: 'M3 6.5h14v8H3zM3 9.5h14M6 12.5h3',
  accounts: 'M3 8 10 4l7 4M4.5 8v6M8 8v6M12 8v6M15.5 8v6M3 16h14',
  banks: 'M2.5 10.5H6L8 5l4 10 2-4.500h3.5',
  clients: 'M3 8.5 4.5 4h11L17 8.5zM4.5 8.5V16h11V8.5M8 16v-4h4v4',
  credits: 'M10 3v10M6 9.5l4 4 4-4M4 17h12',
  settlements: 'M4 5h12v10H4zM7 10l2 2 4-4',
  payouts: 'M10 13V3M6 6.500l4-4 4 4M4 17h12',
  suspense: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14M10 6.5V10l2.5 2',
  webhooks: 'M7 6.5 4 13M4 13h9M9.5 4.5l3.5 7M7 6.5a2 2 0 1 1 2.5-2M13 13a2 2 0 1 0 2-2',
  developers: 'm7 6-4 4 4 4M13 6l4 4-4 4M11 4 9 16',
  sandbox: 'M4 16V8l6-4 6 4v8M8 16v-4h4v4',
  railItems: 'M4 5h12v10H4zM8 8l4 4M12 8l-4 4',
  reconciliation: 'M3 5h5v10H3zM12 5h5v10h-5zM8 8.500h4M8 11.500h4',
  accounting: 'M4 16V9M8 16V4M12 16v-5M16 16V7M3 16h14',
  upload: 'M10 12V3M6.5 6.5 10 3l3.5 3.5M4 12v4h12v-4',
  lock: 'M5 9h10v8H5zM7 9V6.500a3 3 0 0 1 6 0V9',
  ledger: 'M5 3h10v14H5zM8 7h4M8 10h4M8 13h2',
  settings: 'M3 6h9M15 6h2M3 14h2M8 14h9M12 4.5v3M8 12.5v3',
  menu: 'M3 6h14M3 10h14M3 14h14',
  close: 'm5 5 10 10M15 5 5 15',
  minus: 'M6 10h8',
  filter: 'M3 5h14M6 10h8M9 15h2',
  columns: 'M3 4.500h14v11H3zM8 4.500v11M12.5 4.500v11',
  fold: 'm7 8 3 3 3-3',
  bookmark: 'M6 3h8v14l-4-3-4 3z',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4m3.5 8.500L17 17',
  download: 'M10 3v9M6.5 9 10 12.5 13.5 9M4 16h12',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'm4 10.5 4 4 8-9',
  warning: 'M10 4 3 16h14zM10 8.500v3.500M10 14v.5',
  back: 'M12 5 7 10l5 5',
  onward: 'm8 5 5 5-5 5',
  light:
    'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 3v1M10 16v1M3 10h1M16 10h1M5 5l1 1M14 14l1 1M15 5l-1 1M6 14l-1 1',
  dark: 'M16 11.500A6.5 6.5 0 0 1 8.5 4a6.5 6.5 0 1 0 7.5 7.5',
  auto: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
  leave: 'M8 4H4v12h4M9 10h8M14 7l3 3-3 3',
  advice: 'M5 3h7l3 3v11H5zM8 9h4M8 12h4',
  number: 'M4 7.500h12M4 12.500h12M8 4 6.5 16M13.5 4 12 16',
  event: 'M11 3 5 11h4l-1 6 6-8h-4z',
  attempt: 'M3 10 17 4l-5 13-3-5z',
  action: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6M4 17c0-3.5 3-5 6-5s6 1.5 6 5',
  reversal: 'M5 8h8a3.5 3.5 0 0 1 0 7H8M8 5 5 8l3 3',
  transfer: 'M4 7h11M12 4l3 3-3 3M16 13H5M8 10l-3 3 3 3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
