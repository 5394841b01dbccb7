import type { Socket } from 'node:net'
import type { ConnectionSource, PortName } from '../../server/connections/connection-source.ts'
import type { MetricSnapshot, SharedMetrics } from '../../server/metrics/shared-metrics.ts'
import type { FromWorker, ToWorker, WorkerBegin } from './messages.ts'

/** Environment variable of a worker's process: its number, from 1. */
export const WORKER_VARIABLE = 'BINNACLE_WORKER'

/** A worker's link to the primary. */
export interface WorkerLink extends SharedMetrics {
  /** Number of the worker, from 1. A replacement has that of its predecessor. */
  readonly number: number
  /** Resolves with the data of the primary. */
  readonly begin: Promise<WorkerBegin>
  /** Resolves when the primary asks the worker to stop. */
  readonly stop: Promise<void>
  /** Returns the connections of a port. `number`: its number. */
  connections(port: PortName, number: number): ConnectionSource
  /** Reports that the ports are open. */
  serving(): void
}

/** The process's channel to its parent, as far as a link needs it. */
export interface Channel {
  /** Environment, with WORKER_VARIABLE in workers. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Undefined if the process has no parent with a channel. */
  send?: ((message: FromWorker) => boolean) | undefined
  /** Registers a handler. Sockets accompany messages of the type `connection`. */
  on(event: 'message', handle: (message: ToWorker, socket?: Socket) => void): unknown
}

/** Limit for the metrics of all workers. */
const GATHER_MS = 10_000

/** Requests to the primary for the metrics of all workers. */
class Scrapes {
  readonly #send: (message: FromWorker) => void
  readonly #waiting = new Map<number, (text: string) => void>()
  #nextId = 0

  constructor(send: (message: FromWorker) => void) {
    this.#send = send
  }

  /** Resolves with the exposition. Rejects if the primary takes longer than ten seconds. */
  gather(): Promise<string> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error('the primary has not sent the metrics of all workers in time'))
      }, GATHER_MS)
      this.#waiting.set(id, text => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(text)
      })
      this.#send({ type: 'scrape', id })
    })
  }

  /** Takes a response of the primary. One that came too late is dropped. */
  received(id: number, text: string): void {
    this.#waiting.get(id)?.(text)
  }
}

/** Connects to the primary. Returns undefined if the process is not a worker. */
export function connectToPrimary(channel: Channel): WorkerLink | undefined {
  const number = Number(channel.env[WORKER_VARIABLE] ?? 0)
  if (!(number > 0) || channel.send === undefined) return undefined
  const send = (message: FromWorker): void => void channel.send?.(message)
  const scrapes = new Scrapes(send)
  const takers = new Map<PortName, (socket: Socket) => void>()
  let collect: () => Promise<readonly MetricSnapshot[]> = async () => []
  let beginWith: (begin: WorkerBegin) => void = () => {}
  let stopNow: () => void = () => {}
  const link: WorkerLink = {
    number,
    begin: new Promise(resolve => {
      beginWith = resolve
    }),
    stop: new Promise(resolve => {
      stopNow = resolve
    }),
    connections: (name, port) => ({
      port,
      open: take => void takers.set(name, take),
      close() {
        takers.delete(name)
        send({ type: 'closing' })
      },
    }),
    serving: () => send({ type: 'serving' }),
    offer: given => {
      collect = given
    },
    gather: () => scrapes.gather(),
  }
  const take = (id: number, port: PortName, socket: Socket): void => {
    const taker = takers.get(port)
    // Acknowledged before anything is read from it.
    send({ type: taker === undefined ? 'refused' : 'took', id })
    if (taker === undefined) socket.destroy()
    else taker(socket)
  }
  channel.on('message', (message, socket) => {
    switch (message.type) {
      case 'connection':
        // The socket is missing if its client disconnected on the way.
        if (socket !== undefined) take(message.id, message.port, socket)
        else send({ type: 'took', id: message.id })
        return
      case 'begin':
        return beginWith(message.begin)
      case 'stop':
        return stopNow()
      case 'ping':
        return send({ type: 'pong' })
      case 'collect':
        return void collect().then(families => send({ type: 'collected', id: message.id, families: families.map(finite) }))
      case 'scraped':
        return scrapes.received(message.id, message.text)
    }
  })
  send({ type: 'hello' })
  return link
}

/** Removes values that JSON cannot represent, such as NaN for a mean without samples. */
const finite = (family: MetricSnapshot): MetricSnapshot => ({
  ...family,
  values: family.values.filter(({ value }) => Number.isFinite(value)),
})
