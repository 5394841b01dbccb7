import { createServer, type Server, type Socket } from 'node:net'
import { listening } from '../listening.ts'
import { portOf } from '../port-of.ts'
import type { PortName, WorkerProcess } from './messages.ts'

/** Connections that wait while no worker takes any; beyond, new ones are closed at once. */
const MAX_WAITING = 10_000
/** Connections handed to a worker that it has not answered for: one that hangs gets no more. */
const MAX_UNANSWERED = 64

interface Handed {
  readonly socket: Socket
  readonly port: PortName
}

/**
 * Holds the ports, and hands each connection to the next worker. A connection stays open here until the worker says that it has it, so that none is lost with a worker that ends:
 * another gets it then. (That is why this is not `node:cluster`, where what is on its way to a worker that is killed hangs.)
 */
export class Distributor {
  private readonly servers: Server[] = []
  private readonly takers: WorkerProcess[] = []
  private readonly handed = new Map<WorkerProcess, Map<number, Handed>>()
  private readonly waiting: Handed[] = []
  private turn = 0
  private nextId = 0
  private ending = false

  /** Opens a port, 0 for one that is free, and gives its number. Rejects where the address can't be had. */
  async listen(name: PortName, port: number, host: string): Promise<number> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => {
      socket.on('error', () => {})
      this.hand({ socket, port: name })
    })
    this.servers.push(server)
    await listening(server, host, port)
    return portOf(server)
  }

  /** The worker serves, and takes connections from now on. */
  add(worker: WorkerProcess): void {
    this.takers.push(worker)
    const handed = new Map<number, Handed>()
    this.handed.set(worker, handed)
    worker.onExit(() => this.remove(worker))
    // By then every word of the worker has been heard: what it has not taken it has not read.
    worker.onGone(() => {
      this.handed.delete(worker)
      for (const one of handed.values()) this.hand(one)
    })
    for (const one of this.waiting.splice(0)) this.hand(one)
  }

  /** The worker takes no more. What was handed to it is still answered for. */
  remove(worker: WorkerProcess): void {
    const at = this.takers.indexOf(worker)
    if (at >= 0) this.takers.splice(at, 1)
    if (this.ending && this.takers.length === 0) this.close()
  }

  /** The worker has the connection (`took`), or hands it back. */
  answered(worker: WorkerProcess, id: number, took: boolean): void {
    const handed = this.handed.get(worker)
    const one = handed?.get(id)
    if (one === undefined) return
    handed?.delete(id)
    if (took) one.socket.destroy()
    else this.hand(one)
    const next = this.waiting.shift()
    if (next !== undefined) this.hand(next)
  }

  /** Closes the ports when the last worker takes no more, or at once where none does. */
  end(): void {
    this.ending = true
    if (this.takers.length === 0) this.close()
  }

  close(): void {
    for (const server of this.servers.splice(0)) server.close()
    for (const { socket } of this.waiting.splice(0)) socket.destroy()
  }

  /** Whose turn it is, of those that answer. */
  private next(): WorkerProcess | undefined {
    for (let i = 0; i < this.takers.length; i++) {
      const worker = this.takers[this.turn++ % this.takers.length]
      if (worker !== undefined && (this.handed.get(worker)?.size ?? 0) < MAX_UNANSWERED) return worker
    }
    return undefined
  }

  private hand(one: Handed): void {
    const worker = this.next()
    if (worker === undefined) {
      if (this.servers.length > 0 && this.waiting.length < MAX_WAITING) this.waiting.push(one)
      else one.socket.destroy()
      return
    }
    const id = this.nextId++
    this.handed.get(worker)?.set(id, one)
    worker.send({ type: 'connection', id, port: one.port }, one.socket)
  }
}
