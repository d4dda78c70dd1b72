// The load generator, a child process that takes jobs over its IPC channel and runs them one at a time. On
// each connection it waits for the response before the next request, and a job ends with the last response.
// So the books must have exactly as many credits as it counts.

import { type Connection, openConnections } from './http-connection.ts'
import { makeRequests, type Requests, type Workload } from './requests.ts'
import { latencyOf, type Phase, type Slice } from './slice.ts'

export type Job = {
  ports: readonly number[] // Connections are spread over them evenly.
  connections: number
  warmUpMs: number
  sliceMs: number
  perSecond?: number // Open loop: requests arrive at this rate, however slow the answers are.
  mayRefuse?: boolean // Under overload, 503 is a correct answer that acknowledges nothing.
  workload: Workload
}

const FAILURES_MAX = 1_000
const TICK_MS = 1
const GIVE_UP_MS = 1_000 // An arrival gives up if no connection was idle until then.

process.on('message', (job: Job) => void new Run(job, makeRequests(job.workload)).start())
process.on('disconnect', () => process.exit(0))

const report = (phase: Phase) => process.send?.(phase)

class Run {
  readonly #job: Job
  readonly #requests: Requests
  #connections: Connection[] = []
  readonly #idle: Connection[] = []
  readonly #due: number[] = [] // Arrivals that wait for an idle connection.
  readonly #latencies: number[] = []
  readonly #slice: Slice = { acknowledged: 0, failures: { count: 0 }, items: 0, seconds: 0 }
  #phase: 'warming' | 'measuring' | 'over' = 'warming'
  #sent = 0
  #inFlight = 0
  #fromMs = 0
  #pacer: NodeJS.Timeout | undefined
  #isReported = false

  constructor(job: Job, requests: Requests) {
    this.#job = job
    this.#requests = requests
  }

  async start(): Promise<void> {
    const { ports, connections, warmUpMs, perSecond } = this.#job
    const handlers = { onResponse: this.#receive.bind(this), onLost: this.#lose.bind(this) }
    this.#connections = await openConnections(connections, ports, handlers)
    setTimeout(() => this.#startMeasuring(), warmUpMs)
    if (perSecond !== undefined) this.#pace(perSecond)
    else for (const connection of this.#connections) this.#send(connection, performance.now())
  }

  #startMeasuring(): void {
    if (this.#phase === 'over') return
    this.#phase = 'measuring'
    this.#fromMs = performance.now()
    report({ at: 'warm' })
    setTimeout(() => this.#stop(), this.#job.sliceMs)
  }

  // Ends the measurement when the slice's time is over or all requests were sent, whichever comes first.
  #stop(): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#slice.seconds = (performance.now() - this.#fromMs) / 1000
    clearInterval(this.#pacer)
    report({ at: 'measured' })
    this.#endWhenAnswered()
  }

  // Sends requests as Poisson arrivals. A late tick sends all requests that fell due, and its lateness is
  // included in their waiting time.
  #pace(perSecond: number): void {
    this.#idle.push(...this.#connections)
    let nextMs = performance.now()
    this.#pacer = setInterval(() => {
      const nowMs = performance.now()
      while (nextMs <= nowMs) {
        const connection = this.#idle.shift() // In turn: the server closes unused connections.
        if (connection) this.#send(connection, nextMs)
        else this.#due.push(nextMs)
        nextMs += (-Math.log(1 - Math.random()) / perSecond) * 1000
      }
    }, TICK_MS)
  }

  // Sends the next request of the workload. Its latency counts from `sinceMs`, the moment at which it was
  // due. When all requests were sent, the measurement ends.
  #send(connection: Connection, sinceMs: number): void {
    const { all, isRepeated } = this.#requests
    const request = all[isRepeated ? this.#sent % all.length : this.#sent]
    if (request) {
      this.#sent++
      this.#inFlight++
      connection.sentAtMs = sinceMs
      connection.send(request)
    } else this.#stop()
  }

  // Counts a response and sends the connection's next request, or marks the connection idle if no
  // arrival is waiting.
  #receive(connection: Connection, status: number, body: Buffer): void {
    this.#inFlight--
    const nowMs = performance.now()
    const { items, mark } = this.#requests
    if (status === 200 && countOf(body, mark) === items) {
      this.#slice.acknowledged += items
      if (this.#phase === 'measuring') {
        this.#slice.items += items
        this.#latencies.push(nowMs - connection.sentAtMs)
      }
    } else if (status === 503 && this.#job.mayRefuse) {
      if (this.#phase === 'measuring') this.#slice.refused = (this.#slice.refused ?? 0) + 1
    } else {
      this.#fail(`${status} ${body.toString('utf8', 0, 300)}`)
    }
    const dueMs = this.#job.perSecond === undefined ? nowMs : this.#nextDue(nowMs)
    if (this.#phase === 'over') this.#endWhenAnswered()
    else if (dueMs === undefined) this.#idle.push(connection)
    else this.#send(connection, dueMs)
  }

  // Returns the due time of the oldest waiting arrival. First drops the arrivals that waited longer than
  // GIVE_UP_MS, and counts them as given up.
  #nextDue(nowMs: number): number | undefined {
    const firstPatient = this.#due.findIndex((dueMs) => nowMs - dueMs < GIVE_UP_MS)
    const expired = firstPatient < 0 ? this.#due.length : firstPatient
    this.#due.splice(0, expired)
    if (this.#phase === 'measuring') this.#slice.gaveUp = (this.#slice.gaveUp ?? 0) + expired
    return this.#due.shift()
  }

  #fail(message: string): void {
    this.#slice.failures.first ??= message
    if (++this.#slice.failures.count > FAILURES_MAX) this.#stop()
  }

  // Ends the run when a connection breaks. The service may or may not have booked the open request, so the
  // counts no longer prove anything.
  #lose(error: Error): void {
    this.#fail(`a connection was lost: ${error.message}`)
    this.#inFlight = 0
    this.#stop()
    this.#endWhenAnswered()
  }

  // Reports the result once the last response has arrived.
  #endWhenAnswered(): void {
    if (this.#inFlight > 0 || this.#isReported) return
    this.#isReported = true
    for (const connection of this.#connections.splice(0)) connection.close()
    report({ at: 'done', slice: { ...this.#slice, latency: latencyOf(this.#latencies) } })
  }
}

// Counts how often `mark` appears in a response: once for each acknowledged item.
function countOf(body: Buffer, mark: string): number {
  let count = 0
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) count++
  return count
}
