// Preloaded into each process of the service (`node --import`): shifts its `Date` by the milliseconds that
// the parent process sets, at the start or at any moment. Timers follow the monotonic clock and are not
// shifted.

const RealDate = Date
let shiftMs = Number(process.env.TORTURE_CLOCK_SHIFT_MS ?? 0)

class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(ShiftedDate.now())
    else super(...(args as [number]))
  }

  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor

process.on('message', (message: { shiftMs?: number }) => {
  if (typeof message.shiftMs === 'number') shiftMs = message.shiftMs
})
process.on('disconnect', () => process.exit()) // The parent was killed.
process.channel?.unref() // The channel must not keep the process alive.
