import type { Socket } from 'node:net'
import type { FromWorker, MetricSnapshot, PortName, ToWorker, WorkerBegin } from './messages.ts'

/** The environment variable of a worker's process: a number from 1 on. */
export const WORKER_VARIABLE = 'BINNACLE_WORKER'

/** The metrics of several processes, from any of them. */
export interface SharedMetrics {
  /** What this process has counted, for whoever gathers. */
  offer(collect: () => Promise<readonly MetricSnapshot[]>): void
  /** The exposition of all. */
  gather(): Promise<string>
}

/** Connections that another process takes from a port and hands on. */
export interface ConnectionSource {
  /** Of the port. */
  readonly port: number
  /** Gives every connection from now on; those that come before are handed back. */
  open(take: (socket: Socket) => void): void
  /** Takes no more: what still comes is handed back. */
  close(): void
}

/** A worker's side of its talk with the primary. */
export interface WorkerLink extends SharedMetrics {
  readonly number: number
  readonly begin: Promise<WorkerBegin>
  /** Resolves when the primary says that it is time to end. */
  readonly stop: Promise<void>
  /** `number`: of the port that the primary holds. */
  connections(port: PortName, number: number): ConnectionSource
  /** The ports are open. */
  serving(): void
}

/** What a link needs of the process. */
export interface Channel {
  readonly env: Readonly<Record<string, string | undefined>>
  send?: ((message: FromWorker) => boolean) | undefined
  on(event: 'message', handle: (message: ToWorker, socket?: Socket) => void): unknown
}

const GATHER_MS = 10_000

/** The link to the primary; undefined in a process that is no worker. */
export function connectToPrimary(channel: Channel): WorkerLink | undefined {
  const number = Number(channel.env[WORKER_VARIABLE] ?? 0)
  if (!(number > 0) || channel.send === undefined) return undefined
  const send = (message: FromWorker): void => void channel.send?.(message)
  const waiting = new Map<number, (text: string) => void>()
  const takers = new Map<PortName, (socket: Socket) => void>()
  let collect: () => Promise<readonly MetricSnapshot[]> = async () => []
  let nextId = 0
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
    gather: () =>
      new Promise((resolve, reject) => {
        const id = nextId++
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new Error('the primary does not tell the metrics of all workers'))
        }, GATHER_MS)
        waiting.set(id, text => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(text)
        })
        send({ type: 'scrape', id })
      }),
  }
  const take = (id: number, port: PortName, socket: Socket): void => {
    const taker = takers.get(port)
    // Said before anything is read of it.
    send({ type: taker === undefined ? 'refused' : 'took', id })
    if (taker === undefined) socket.destroy()
    else taker(socket)
  }
  channel.on('message', (message, socket) => {
    switch (message.type) {
      case 'connection':
        // Its client may have gone on the way.
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
        return waiting.get(message.id)?.(message.text)
    }
  })
  send({ type: 'hello' })
  return link
}

/** JSON has no word for what is no number, as the mean of nothing. */
const finite = (family: MetricSnapshot): MetricSnapshot => ({ ...family, values: family.values.filter(({ value }) => Number.isFinite(value)) })
