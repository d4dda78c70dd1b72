// Preloaded into a process of the service (`node --import`): shifts its clock by an amount that its
// parent sets, from the start or at any moment. Timers are not shifted: they follow the monotonic
// clock.

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
