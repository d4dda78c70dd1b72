// Formats amounts, times and the API's identifiers for people.

const naira = new Intl.NumberFormat('en-NG', { style: 'currency', currency: 'NGN' })
const whole = new Intl.NumberFormat('en-NG')
const percent = new Intl.NumberFormat('en-NG', { style: 'percent', maximumFractionDigits: 1 })
const short = new Intl.NumberFormat('en-NG', {
  style: 'currency',
  currency: 'NGN',
  notation: 'compact',
  maximumFractionDigits: 1,
})

export function money(amount: number, currency = 'NGN'): string {
  if (currency === 'NGN') return naira.format(amount)
  return new Intl.NumberFormat('en-NG', { style: 'currency', currency }).format(amount)
}

export const shortMoney = (amount: number) => short.format(amount)
export const count = (value: number) => whole.format(value)
const tenths = new Intl.NumberFormat('en-NG', { maximumFractionDigits: 1 })
export const seconds = (value: number) => `${tenths.format(value)} s`
export const share = (value: number) => percent.format(value)

// West Africa Time wherever the page is open: days of filters, sums and charts are days of that
// zone, and a time beside them must not be of another day.
const ZONE = { timeZone: 'Africa/Lagos' } as const
export const ZONE_OFFSET = '+01:00' // All year round.

const formatter = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { ...ZONE, ...options })

const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false }
const onThisDay = formatter({ ...time, second: '2-digit' })
const inThisYear = formatter({ ...time, day: 'numeric', month: 'short' })
const everElse = formatter({ ...time, day: 'numeric', month: 'short', year: 'numeric' })
const exact = formatter({ dateStyle: 'full', timeStyle: 'long' })
const dayAndMonth = formatter({ day: 'numeric', month: 'short' })
const hourOnly = formatter(time)
const date = new Intl.DateTimeFormat('en-CA', ZONE) // 2026-11-15

export function shownTime(iso: string, now = new Date()): string {
  const at = new Date(iso)
  const [day, today] = [date.format(at), date.format(now)]
  if (day === today) return onThisDay.format(at)
  return (day.slice(0, 4) === today.slice(0, 4) ? inThisYear : everElse).format(at)
}

export const dayOf = (at: Date) => date.format(at)
export const exactTime = (iso: string) => `${exact.format(new Date(iso))} (${iso})`
export const hour = (iso: string) => hourOnly.format(new Date(iso))
export const day = (iso: string) => dayAndMonth.format(new Date(iso))

// payment_reversed, PartPayment: Payment reversed, Part payment.
export function humanize(name: string): string {
  const apart = name
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return apart.charAt(0).toUpperCase() + apart.slice(1)
}
