import { createServer, type Server, type Socket } from 'node:net'
import type { PortName } from '../../server/connections/connection-source.ts'
import { listening } from '../../server/connections/listening.ts'
import { portOf } from '../../server/connections/port-of.ts'
import type { WorkerProcess } from './messages.ts'

/** Connections that may wait while no worker accepts any. Beyond, new ones are closed. */
const MAX_WAITING = 10_000
/** Connections that a worker has not acknowledged. A worker that hangs is handed no more. */
const MAX_UNANSWERED = 64

interface Handed {
  readonly socket: Socket
  readonly port: PortName
}

/**
 * Holds the ports, and hands each connection to the next worker. A connection stays open here until the worker
 * acknowledges it, so that none is lost if the worker ends: it is handed to another worker. (This is why `node:cluster`
 * is not used: there, a connection on its way to a killed worker hangs.)
 */
export class Distributor {
  readonly #servers: Server[] = []
  readonly #takers: WorkerProcess[] = []
  readonly #handed = new Map<WorkerProcess, Map<number, Handed>>()
  readonly #waiting: Handed[] = []
  #turn = 0
  #nextId = 0
  #ending = false

  /** Opens a port, and returns its number. Port 0: a free one. Rejects if the address cannot be used. */
  async listen(name: PortName, port: number, host: string): Promise<number> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => {
      socket.on('error', () => {})
      this.#hand({ socket, port: name })
    })
    this.#servers.push(server)
    await listening(server, host, port)
    return portOf(server)
  }

  /** Adds a worker that serves. It is handed connections from now on. */
  add(worker: WorkerProcess): void {
    this.#takers.push(worker)
    const handed = new Map<number, Handed>()
    this.#handed.set(worker, handed)
    worker.onExit(() => this.remove(worker))
    // All messages of the worker have been received by then. Connections that it did not acknowledge were not read.
    worker.onGone(() => {
      this.#handed.delete(worker)
      for (const one of handed.values()) this.#hand(one)
    })
    for (const one of this.#waiting.splice(0)) this.#hand(one)
  }

  /** Stops handing connections to a worker. Acknowledgements of earlier ones are still accepted. */
  remove(worker: WorkerProcess): void {
    const at = this.#takers.indexOf(worker)
    if (at >= 0) this.#takers.splice(at, 1)
    if (this.#ending && this.#takers.length === 0) this.close()
  }

  /** Handles a worker's acknowledgement (`took`) or refusal of a connection. */
  answered(worker: WorkerProcess, id: number, took: boolean): void {
    const handed = this.#handed.get(worker)
    const one = handed?.get(id)
    if (one === undefined) return
    handed?.delete(id)
    if (took) one.socket.destroy()
    else this.#hand(one)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#hand(next)
  }

  /** Closes the ports when no worker accepts connections. */
  end(): void {
    this.#ending = true
    if (this.#takers.length === 0) this.close()
  }

  close(): void {
    for (const server of this.#servers.splice(0)) server.close()
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
  }

  /** Returns the next worker, round-robin, of those with few unacknowledged connections. */
  #next(): WorkerProcess | undefined {
    for (let i = 0; i < this.#takers.length; i++) {
      const worker = this.#takers[this.#turn++ % this.#takers.length]
      if (worker !== undefined && (this.#handed.get(worker)?.size ?? 0) < MAX_UNANSWERED) return worker
    }
    return undefined
  }

  /** Hands a connection to the next worker. Without one it waits, or is closed if too many wait. */
  #hand(one: Handed): void {
    const worker = this.#next()
    if (worker === undefined) {
      if (this.#servers.length > 0 && this.#waiting.length < MAX_WAITING) this.#waiting.push(one)
      else one.socket.destroy()
      return
    }
    const id = this.#nextId++
    this.#handed.get(worker)?.set(id, one)
    worker.send({ type: 'connection', id, port: one.port }, one.socket)
  }
}
