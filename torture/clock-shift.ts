// Preloaded into a process of the service (`node --import`): its clock is off by so much, as its
// parent says, from the start or at any moment. Timers are not: they run by the monotonic clock.

const RealDate = Date
let shiftMs = Number(process.env.TORTURE_CLOCK_SHIFT_MS ?? 0)

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...(given as [number]))
  }

  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor

process.on('message', (message: { shiftMs?: number }) => {
  if (typeof message.shiftMs === 'number') shiftMs = message.shiftMs
})
process.on('disconnect', () => process.exit()) // Whoever started us was killed.
process.channel?.unref() // Nobody waits for us.
