// The load generator: a process of its own that takes jobs over its channel and runs them one at a
// time. It never sends on a connection that has not been answered, and at the end waits for every
// answer: so what it counts as acknowledged is exactly what the books must hold.

import { HttpConnection } from './http-connection.ts'
import { type Job, type LoadResult, latencyOf, type Report } from './load.ts'
import { makeWork, type Work } from './work.ts'

const FAILURES_MAX = 1_000 // A server that refuses everything is not asked for ever.
const TICK_MS = 1
const WARM_UP_STEP_MS = 100
const WARM_UP_MAX = 2 // As many times the given time, at most.

process.on('message', (job: Job) => {
  const work = makeWork(job.work)
  report({ at: 'ready' })
  void new Run(job, work).result.then((result) => report({ at: 'done', ...result }))
})
process.on('disconnect', () => process.exit(0))

function report(message: Report): void {
  process.send?.(message)
}

type Phase = 'warming' | 'measuring' | 'over'

class Run {
  readonly result: Promise<LoadResult>
  readonly #job: Job
  readonly #work: Work
  readonly #connections: HttpConnection[]
  readonly #free: HttpConnection[] = []
  readonly #due: number[] = [] // Arrivals that no connection was free for.
  readonly #latencies: number[] = []
  readonly #failures: LoadResult['failures'] = { count: 0, first: undefined }
  #finish: (result: LoadResult) => void = () => {}
  #phase: Phase = 'warming'
  #inFlight = 0
  #acknowledged = 0
  #items = 0
  #measuredFromMs = 0
  #measuredToMs = 0
  #pacer: NodeJS.Timeout | undefined

  constructor(job: Job, work: Work) {
    this.#job = job
    this.#work = work
    this.result = new Promise((resolve) => {
      this.#finish = resolve
    })
    const onAnswer = this.#take.bind(this)
    const onLost = (error: Error) => this.#lose(error)
    this.#connections = Array.from(
      { length: job.connections },
      (_, place) => new HttpConnection(place, job.port, onAnswer, onLost),
    )
    setTimeout(() => this.#warmUp(job.warmUpMs * WARM_UP_MAX), job.warmUpMs)
    if (job.perSecond !== undefined) this.#pace(job.perSecond)
    else for (const connection of this.#connections) this.#send(connection, performance.now())
  }

  // A just-in-time compiler warms up by requests, not by seconds: on a busy machine it takes longer.
  #warmUp(leftMs: number): void {
    if (this.#phase === 'over') return
    if (this.#acknowledged < this.#job.warmUpItems && leftMs > 0) {
      setTimeout(() => this.#warmUp(leftMs - WARM_UP_STEP_MS), WARM_UP_STEP_MS)
      return
    }
    this.#phase = 'measuring'
    this.#measuredFromMs = performance.now()
    report({ at: 'warm' })
    setTimeout(() => this.#stop(), this.#job.measureMs)
  }

  // Also when there is nothing left to send; what was measured until then counts.
  #stop(): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#measuredToMs = performance.now()
    this.#measuredFromMs ||= this.#measuredToMs
    clearInterval(this.#pacer)
    report({ at: 'measured' })
    this.#endWhenQuiet()
  }

  // Random arrivals, as many independent payers make them. A late tick sends what fell due since,
  // and its lateness counts as waiting.
  #pace(perSecond: number): void {
    this.#free.push(...this.#connections)
    let nextMs = performance.now()
    this.#pacer = setInterval(() => {
      const nowMs = performance.now()
      while (nextMs <= nowMs) {
        const connection = this.#free.shift() // Each in turn: one that is never used is hung up on.
        if (connection) this.#send(connection, nextMs)
        else this.#due.push(nextMs)
        nextMs += (-Math.log(1 - Math.random()) / perSecond) * 1000
      }
    }, TICK_MS)
  }

  #send(connection: HttpConnection, sinceMs: number): void {
    connection.sentAtMs = sinceMs
    const request = this.#work.next(connection.place)
    if (!request) {
      this.#stop()
      return
    }
    this.#inFlight++
    connection.send(request)
  }

  #take(connection: HttpConnection, status: number, body: Buffer): void {
    this.#inFlight--
    const items = this.#work.take(connection.place, status, body)
    if (status === 503 && this.#job.mayRefuse) {
      this.#goOn(connection, performance.now())
      return
    }
    if (items === undefined) this.#fail(`${status} ${body.toString('utf8', 0, 300)}`)
    if (items === 0) {
      this.#send(connection, connection.sentAtMs)
      return
    }
    const nowMs = performance.now()
    this.#acknowledged += items ?? 0
    if (this.#phase === 'measuring') {
      this.#items += items ?? 0
      this.#latencies.push(nowMs - connection.sentAtMs)
    }
    this.#goOn(connection, nowMs)
  }

  #goOn(connection: HttpConnection, nowMs: number): void {
    const isPaced = this.#job.perSecond !== undefined
    const dueMs = isPaced ? this.#due.shift() : nowMs
    if (this.#phase === 'over') this.#endWhenQuiet()
    else if (dueMs === undefined) this.#free.push(connection)
    else this.#send(connection, dueMs)
  }

  #fail(words: string): void {
    this.#failures.first ??= words
    this.#failures.count++
    if (this.#failures.count > FAILURES_MAX) this.#stop()
  }

  // Whether its request was taken nobody can say now, so the counts prove nothing: the run is over.
  #lose(error: Error): void {
    this.#fail(`a connection was lost: ${error.message}`)
    this.#inFlight = 0
    if (this.#phase === 'over') this.#endWhenQuiet()
    else this.#stop()
  }

  #endWhenQuiet(): void {
    if (this.#inFlight > 0) return
    for (const connection of this.#connections) connection.close()
    this.#finish({
      acknowledged: this.#acknowledged,
      failures: this.#failures,
      items: this.#items,
      seconds: (this.#measuredToMs - this.#measuredFromMs) / 1000,
      latency: latencyOf(Float32Array.from(this.#latencies)),
    })
  }
}
