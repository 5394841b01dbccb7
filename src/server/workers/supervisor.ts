import type { Logger } from '../../lib/log.ts'
import type { FromWorker, WorkerProcess } from './messages.ts'

export interface SupervisorOptions {
  /** Workers to keep running: they have the numbers 1 to this. */
  readonly count: number
  /** Starts a worker. `othersServe`: it takes the place of one that has ended, while others answer. */
  fork(number: number, othersServe: boolean): WorkerProcess
  readonly log: Logger
  /** What a worker says beyond what the supervisor asks. */
  onMessage(number: number, worker: WorkerProcess, message: FromWorker): void
  /** It has opened its ports. */
  onServing(worker: WorkerProcess): void
  onEnd(number: number): void
  /** Milliseconds, of a clock that nobody sets. */
  now(): number
  /** Time between two questions whether a worker is alive. Default 5 s. */
  readonly pingMs?: number
}

/** A worker that ends after less than this is started anew later and later. */
const STEADY_MS = 30_000
const FIRST_WAIT_MS = 100
const LAST_WAIT_MS = 10_000
/** A worker that leaves so many questions without an answer, one each so often, hangs. */
const PING_MS = 5_000
const MAX_SILENT_PINGS = 6

/** A worker has written why, to standard error. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly code = 'WORKER_ENDED'
  /** Of the worker; null if a signal ended it. */
  readonly exitCode: number | null

  constructor(message: string, exitCode: number | null) {
    super(message)
    this.exitCode = exitCode
  }
}

interface Place {
  readonly number: number
  worker: WorkerProcess | undefined
  serving: boolean
  startedAt: number
  /** Lives in a row that were short. */
  shortLives: number
  silentPings: number
}

/** How long to wait before a worker is started anew, by how many of its lives in a row were short. */
export const restartWait = (shortLives: number): number => (shortLives === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (shortLives - 1), LAST_WAIT_MS))

/**
 * Keeps a number of workers running: one that ends is started anew, at once or after a wait that doubles while it keeps ending; one that no longer answers is killed. A
 * worker that ends before all have served for the first time is a start that has failed.
 */
export class Supervisor {
  /** Workers that were started anew. */
  restarts = 0
  /** Resolves when all serve for the first time; rejects where one ends before. */
  readonly serving: Promise<void>
  private readonly options: SupervisorOptions
  private readonly places: readonly Place[]
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly pings: NodeJS.Timeout
  private state: 'starting' | 'serving' | 'stopping' = 'starting'
  private resolveServing: () => void = () => {}
  private rejectServing: (error: Error) => void = () => {}
  private resolveGone: () => void = () => {}
  private clean = true

  constructor(options: SupervisorOptions) {
    this.options = options
    this.serving = new Promise((resolve, reject) => {
      this.resolveServing = resolve
      this.rejectServing = reject
    })
    this.serving.catch(() => {}) // whoever waits for it sees the failure
    this.places = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      worker: undefined,
      serving: false,
      startedAt: 0,
      shortLives: 0,
      silentPings: 0,
    }))
    for (const place of this.places) this.start(place)
    this.pings = setInterval(() => this.ping(), options.pingMs ?? PING_MS)
  }

  /** Those that run, by their numbers. */
  workers(): [number, WorkerProcess][] {
    return this.places.flatMap<[number, WorkerProcess]>(({ number, worker }) => (worker === undefined ? [] : [[number, worker]]))
  }

  /** Asks all to end, and kills those that have not after `graceMs`. Resolves when none is left, with whether all ended well. */
  async stop(graceMs: number): Promise<boolean> {
    this.state = 'stopping'
    for (const timer of this.timers) clearTimeout(timer)
    clearInterval(this.pings)
    const gone = new Promise<void>(resolve => {
      this.resolveGone = resolve
    })
    for (const [, worker] of this.workers()) worker.send({ type: 'stop' })
    const late = setTimeout(() => {
      for (const [number, worker] of this.workers()) {
        this.options.log.warn('a worker does not end', { worker: number, pid: worker.pid })
        worker.kill()
      }
    }, graceMs)
    if (this.workers().length > 0) await gone
    clearTimeout(late)
    return this.clean
  }

  /** Kills all on the spot. */
  kill(): void {
    for (const [, worker] of this.workers()) worker.kill()
  }

  private start(place: Place): void {
    const { fork, now, onMessage } = this.options
    const worker = fork(
      place.number,
      this.places.some(({ serving }) => serving),
    )
    Object.assign(place, { worker, serving: false, startedAt: now(), silentPings: 0 })
    worker.onMessage(message => {
      if (message.type === 'hello') {
        if (this.state === 'stopping') worker.send({ type: 'stop' })
      } else if (message.type === 'serving') this.onServing(place, worker)
      else if (message.type === 'pong') place.silentPings = 0
      else onMessage(place.number, worker, message)
    })
    worker.onExit((code, signal) => this.onExit(place, code, signal))
  }

  private onServing(place: Place, worker: WorkerProcess): void {
    place.serving = true
    this.options.onServing(worker)
    if (this.state !== 'starting' || this.places.some(({ serving }) => !serving)) return
    this.state = 'serving'
    this.resolveServing()
  }

  private onExit(place: Place, code: number | null, signal: string | null): void {
    const { log, now, onEnd } = this.options
    const pid = place.worker?.pid
    place.worker = undefined
    place.serving = false
    onEnd(place.number)
    const how = { worker: place.number, pid, ...(code !== null && { code }), ...(signal !== null && { signal }) }
    switch (this.state) {
      case 'stopping':
        if (code !== 0) {
          this.clean = false
          log.warn('a worker ended badly', how)
        }
        if (this.workers().length === 0) this.resolveGone()
        return
      case 'starting':
        this.rejectServing(new StartError(`worker ${place.number} ended before it served (${signal ?? `code ${code}`})`, code))
        return
      case 'serving': {
        place.shortLives = now() - place.startedAt < STEADY_MS ? place.shortLives + 1 : 0
        const wait = restartWait(place.shortLives)
        log.warn('a worker has ended and is started anew', { ...how, waitMs: wait })
        const timer = setTimeout(() => {
          this.timers.delete(timer)
          this.restarts++
          this.start(place)
        }, wait)
        this.timers.add(timer)
      }
    }
  }

  private ping(): void {
    for (const place of this.places) {
      if (place.worker === undefined || !place.serving) continue
      if (place.silentPings < MAX_SILENT_PINGS) {
        place.silentPings++
        place.worker.send({ type: 'ping' })
      } else {
        this.options.log.error('a worker does not answer and is killed', { worker: place.number, pid: place.worker.pid })
        place.worker.kill()
      }
    }
  }
}
