// A run: rounds of faults under load, a check after each round, and a last check when automatic work is done.

import { setTimeout as sleep } from 'node:timers/promises'
import { Availability } from './availability.ts'
import { Caller } from './caller.ts'
import { check } from './checker/check.ts'
import { checkLogs } from './checker/check-logs.ts'
import { Testimony } from './checker/testimony.ts'
import { read } from './client-calls.ts'
import { type Fault, FaultFinding, type Injected } from './faults/fault.ts'
import { Load } from './load.ts'
import { createPeople } from './people.ts'
import { untilAllDelivered, untilQuiet } from './quiescence.ts'
import { type Random, seededRandom } from './random.ts'
import { type AnyTarget, logsIn } from './target.ts'
import type { Witness } from './witness.ts'
import { createWorld } from './world.ts'

const RESUME_MAX_MS = 600_000 // A busy machine takes minutes to start a process
const OVERLAP = 0.15
const CHECKS_MAX = 3 // A check with findings is repeated this often; only a real defect is found each time.
const RECHECK_MS = 2_000
const READS_MAX = 15

export class Run<T extends AnyTarget = AnyTarget> {
  readonly target: T
  readonly witness: Witness
  readonly random: Random
  readonly availability = new Availability()
  readonly testimony = new Testimony()
  readonly findings: string[] = []
  readonly caller: Caller
  checks = 0

  constructor({ target, witness, seed }: { target: T; witness: Witness; seed: number }) {
    this.target = target
    this.witness = witness
    this.random = seededRandom(seed)
    const apis = target.roles.apis.map(({ url }) => url)
    const { onCredit } = this.availability
    this.caller = new Caller({ apis, witness, random: this.random.fork(), onCredit })
  }

  // Creates the clients, users and endpoints of the run, and runs each action of the load a few times.
  async prepare(): Promise<Load> {
    const { target, witness, caller, random } = this
    const { receivers, bank, fileBank } = target
    const apis = target.roles.apis.map(({ url }) => url)
    const people = await createPeople(target.database)
    const setting = { apis, receivers, bank, fileBank, people }
    const world = await createWorld({ ...setting, random: random.fork() })
    const actor = { caller, world, random: random.fork() }
    const load = new Load(actor, witness)
    await load.open()
    this.#load = load
    return load
  }

  // Runs these faults, one after another or overlapping, while the load is on. At the end everything is
  // healed, so that the check finds a working system.
  async round(load: Load, faults: readonly Fault<T>[]): Promise<void> {
    const { availability } = this
    load.start()
    availability.start(load.actor)
    await sleep(500)
    for (const [at, fault] of faults.entries()) {
      const next = faults[at + 1]
      const mayOverlap = next && !fault.isAlone && !next.isAlone
      const isOverlapping = mayOverlap && this.random.happens(OVERLAP)
      const faultDone = this.#recordErrors(fault.name, () => this.#runFault(fault))
      if (isOverlapping) await sleep(this.random.integer(100, 800))
      else await faultDone
      this.#running.push(faultDone)
    }
    await Promise.all(this.#running.splice(0))
    await this.#healEverything()
    await Promise.all([load.stop(), availability.stop()])
  }

  // Checks the books and the logs, and returns new findings. The API is not checked if committed work may
  // be lost.
  async check(isFinal: boolean, waitMs: number): Promise<string[]> {
    const { database, folder } = this.target
    if (isFinal) await untilAllDelivered(database, waitMs)
    else await untilQuiet(database)
    const connectionString = database.url('manilla')
    const { isLossy = false } = this.target
    const ask = (clientId: string, path: string) => this.#readAsClient(clientId, path)
    const options = { connectionString, isFinal, isLossy, ...(isLossy ? {} : { ask }) }
    for (let attempt = 1; ; attempt++) {
      this.testimony.read(this.witness.path)
      const { testimony } = this
      const findings = [...(await check({ ...options, testimony })), ...checkLogs(logsIn(folder))]
      this.checks++
      if (findings.length === 0 || attempt === CHECKS_MAX) {
        const added = findings.filter((finding) => !this.findings.includes(finding))
        this.findings.push(...added)
        return added
      }
      await sleep(RECHECK_MS)
    }
  }

  #load: Load | undefined
  #running: Promise<unknown>[] = []

  // Reads from the API for the checker, with a retry while the service recovers.
  async #readAsClient(clientId: string, path: string): Promise<unknown> {
    const { actor } = this.#load as Load
    const client = actor.world.clients.find((known) => known.clientId === clientId)
    for (let attempt = 1; client && attempt <= READS_MAX; attempt++) {
      const text = await read(actor, client, path)
      if (text !== undefined) return JSON.parse(text)
      await sleep(RECHECK_MS)
    }
    throw new FaultFinding(`${path} was not answered to ${clientId}`)
  }

  // Injects one fault, measures it, and repairs what it left behind.
  async #runFault(fault: Fault<T>): Promise<void> {
    const { name } = fault
    const injectedAtMs = Date.now()
    this.witness.note({ kind: 'fault', at: injectedAtMs, name })
    const injected = await this.#recordErrors(name, () => fault.inject(this.target, this.random))
    if (!injected) return
    await this.#measure(name, injected, injectedAtMs)
    await injected.settle?.()
    // Usually waits until all processes run again, so that the next fault meets a complete system.
    if (fault.starts && this.random.happens(0.8)) await this.target.roles.ready()
  }

  // Waits until the fault is over, heals it, and measures how long no credit was acknowledged.
  async #measure(name: string, injected: Injected, injectedAtMs: number): Promise<void> {
    const outage = this.availability.resumed(injectedAtMs)
    await sleep(injected.lastsMs)
    await this.#recordErrors(name, () => injected.heal())
    const pressing = this.#load && injected.press?.(this.#load.actor)
    const healedAtMs = Date.now()
    this.witness.note({ kind: 'healed', at: healedAtMs, name, ...detailOf(injected) })
    const resumption = this.availability.resumed(healedAtMs)
    const resumedAtMs = await Promise.race([resumption, sleep(RESUME_MAX_MS, 0, { ref: false })])
    await pressing
    if (!resumedAtMs) {
      this.findings.push(`no credit was acknowledged for ${RESUME_MAX_MS / 1000} s after ${name}`)
      return
    }
    this.witness.note({ kind: 'resumed', at: resumedAtMs, name })
    this.availability.measures.push({
      fault: name,
      outageMs: (await outage) - injectedAtMs,
      resumptionMs: resumedAtMs - healedAtMs,
    })
  }

  // Turns an error of the action into a finding, so that the run continues.
  async #recordErrors<T>(name: string, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      const words = error instanceof FaultFinding ? error.message : String((error as Error).stack)
      this.findings.push(`${name}: ${words}`)
      return undefined
    }
  }

  async #healEverything(): Promise<void> {
    const { roles } = this.target
    for (const { process } of roles.all) process.shiftClock(0)
    await this.target.heal()
    await roles.ready()
  }
}

function detailOf({ detail }: Injected): { detail?: string } {
  return detail === undefined ? {} : { detail }
}
