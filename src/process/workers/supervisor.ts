import type { Logger } from '../../lib/log.ts'
import type { FromWorker, WorkerProcess } from './messages.ts'

/** Workers share the ports of the server; each is a process of its own. */
export interface SupervisorOptions {
  /** Number of workers to keep running. They are numbered from 1. */
  readonly count: number
  /** Starts a worker. `othersServe`: whether other workers serve while it starts. */
  fork(number: number, othersServe: boolean): WorkerProcess
  readonly log: Logger
  /** Called for messages of a worker that the supervisor does not handle. */
  onMessage(number: number, worker: WorkerProcess, message: FromWorker): void
  /** Called when a worker has opened its ports. */
  onServing(worker: WorkerProcess): void
  /** Called when a worker has ended. */
  onEnd(number: number): void
  /** Milliseconds of a steady clock. */
  now(): number
  /** Milliseconds between two pings. Defaults to 5000. */
  readonly pingMs?: number
}

/** A worker that ends sooner is restarted with an increasing delay. */
const STEADY_MS = 30_000
/** Delay before the restart after the first short run. It doubles with each further one. */
const FIRST_WAIT_MS = 100
/** Upper bound of the delay. */
const LAST_WAIT_MS = 10_000
/** Milliseconds between two pings. */
const PING_MS = 5_000
/** Number of unanswered pings after which a worker is killed: 30 to 35 seconds without a response. */
const MAX_SILENT_PINGS = 6

/** A worker ended during startup. It has written the reason to standard error. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly code = 'WORKER_ENDED'
  /** Exit code of the worker; null if a signal ended it. */
  readonly exitCode: number | null

  constructor(message: string, exitCode: number | null) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The slot of a worker, which survives its restarts. */
interface WorkerSlot {
  /** Number of the worker, also of its replacements. */
  readonly number: number
  /** Undefined between the end of a worker and the start of its replacement. */
  worker: WorkerProcess | undefined
  /** Whether the worker has opened its ports. */
  serving: boolean
  /** Milliseconds of the steady clock. */
  startedAt: number
  /** Consecutive runs that were short. */
  shortLives: number
  /** Pings since the last response. */
  silentPings: number
}

/** Returns the milliseconds before a worker is restarted, by the number of its consecutive short runs. */
export const restartWait = (shortLives: number): number =>
  shortLives === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (shortLives - 1), LAST_WAIT_MS)

/**
 * Keeps a number of workers running. A worker that ends is restarted, with a delay that doubles while it keeps ending;
 * one that does not respond is killed. If a worker ends before all have served for the first time, the start has
 * failed.
 */
export class Supervisor {
  /** Number of restarts. */
  restarts = 0
  /** Resolves when all workers serve for the first time. Rejects if one ends before. */
  readonly serving: Promise<void>
  readonly #options: SupervisorOptions
  readonly #slots: readonly WorkerSlot[]
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #pings: NodeJS.Timeout
  #state: 'starting' | 'serving' | 'stopping' = 'starting'
  #resolveServing: () => void = () => {}
  #rejectServing: (error: Error) => void = () => {}
  #resolveGone: () => void = () => {}
  #clean = true

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.serving = new Promise((resolve, reject) => {
      this.#resolveServing = resolve
      this.#rejectServing = reject
    })
    this.serving.catch(() => {}) // a rejection is reported to the caller that awaits it
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      worker: undefined,
      serving: false,
      startedAt: 0,
      shortLives: 0,
      silentPings: 0,
    }))
    for (const slot of this.#slots) this.#start(slot)
    this.#pings = setInterval(() => this.#ping(), options.pingMs ?? PING_MS)
  }

  /** Returns the running workers by number. */
  workers(): [number, WorkerProcess][] {
    return this.#slots.flatMap<[number, WorkerProcess]>(({ number, worker }) => (worker === undefined ? [] : [[number, worker]]))
  }

  /**
   * Asks all workers to stop, and kills those that still run after `graceMs`. Resolves when all have ended, with
   * whether all exited with code 0.
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#state = 'stopping'
    for (const timer of this.#timers) clearTimeout(timer)
    clearInterval(this.#pings)
    const gone = new Promise<void>(resolve => {
      this.#resolveGone = resolve
    })
    for (const [, worker] of this.workers()) worker.send({ type: 'stop' })
    const late = setTimeout(() => {
      for (const [number, worker] of this.workers()) {
        this.#options.log.warn('killing a worker that does not stop', { worker: number, pid: worker.pid })
        worker.kill()
      }
    }, graceMs)
    if (this.workers().length > 0) await gone
    clearTimeout(late)
    return this.#clean
  }

  /** Kills all workers immediately. */
  kill(): void {
    for (const [, worker] of this.workers()) worker.kill()
  }

  /**
   * Starts a worker in its slot. Messages that only the supervisor needs are handled here, the others are passed on.
   */
  #start(slot: WorkerSlot): void {
    const { fork, now, onMessage } = this.#options
    const worker = fork(
      slot.number,
      this.#slots.some(({ serving }) => serving),
    )
    Object.assign(slot, { worker, serving: false, startedAt: now(), silentPings: 0 })
    worker.onMessage(message => {
      if (message.type === 'hello') {
        if (this.#state === 'stopping') worker.send({ type: 'stop' })
      } else if (message.type === 'serving') this.#onServing(slot, worker)
      else if (message.type === 'pong') slot.silentPings = 0
      else onMessage(slot.number, worker, message)
    })
    worker.onExit((code, signal) => this.#onExit(slot, code, signal))
  }

  /** The start is complete when the last worker serves. */
  #onServing(slot: WorkerSlot, worker: WorkerProcess): void {
    slot.serving = true
    this.#options.onServing(worker)
    if (this.#state !== 'starting' || this.#slots.some(({ serving }) => !serving)) return
    this.#state = 'serving'
    this.#resolveServing()
  }

  /**
   * While starting, the end of a worker is the failure of all. While serving, it is restarted, later each time if it
   * lives shortly.
   */
  #onExit(slot: WorkerSlot, code: number | null, signal: string | null): void {
    const { log, now, onEnd } = this.#options
    const pid = slot.worker?.pid
    slot.worker = undefined
    slot.serving = false
    onEnd(slot.number)
    const how = { worker: slot.number, pid, ...(code !== null && { code }), ...(signal !== null && { signal }) }
    switch (this.#state) {
      case 'stopping':
        if (code !== 0) {
          this.#clean = false
          log.warn('worker failed while stopping', how)
        }
        if (this.workers().length === 0) this.#resolveGone()
        return
      case 'starting':
        this.#rejectServing(new StartError(`worker ${slot.number} ended before it served (${signal ?? `code ${code}`})`, code))
        return
      case 'serving': {
        slot.shortLives = now() - slot.startedAt < STEADY_MS ? slot.shortLives + 1 : 0
        const wait = restartWait(slot.shortLives)
        log.warn('restarting a worker that ended', { ...how, waitMs: wait })
        const timer = setTimeout(() => {
          this.#timers.delete(timer)
          this.restarts++
          this.#start(slot)
        }, wait)
        this.#timers.add(timer)
      }
    }
  }

  /** Kills a worker that has not responded for MAX_SILENT_PINGS pings: its event loop is blocked for good. */
  #ping(): void {
    for (const slot of this.#slots) {
      if (slot.worker === undefined || !slot.serving) continue
      if (slot.silentPings < MAX_SILENT_PINGS) {
        slot.silentPings++
        slot.worker.send({ type: 'ping' })
      } else {
        this.#options.log.error('killing a worker that does not respond', { worker: slot.number, pid: slot.worker.pid })
        slot.worker.kill()
      }
    }
  }
}
