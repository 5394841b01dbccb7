import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Distributor } from '../../../../src/process/workers/distributor.ts'
import type { ToWorker, WorkerProcess } from '../../../../src/process/workers/messages.ts'
import { eventually, turns } from '../../../support/waiting.ts'

/** A worker that writes its name to each connection that it accepts. */
class FakeWorker implements WorkerProcess {
  readonly pid = 0
  readonly given: { id: number; port: string; socket: Socket }[] = []
  readonly #name: string
  readonly #ports: Distributor
  readonly #does: 'takes' | 'refuses' | 'is silent'
  readonly #exits: ((code: number | null, signal: string | null) => void)[] = []
  readonly #gone: (() => void)[] = []

  constructor(name: string, ports: Distributor, does: 'takes' | 'refuses' | 'is silent' = 'takes') {
    this.#name = name
    this.#ports = ports
    this.#does = does
  }
  send(message: ToWorker, socket?: Socket): void {
    if (message.type !== 'connection' || socket === undefined) throw new Error('no connection')
    this.given.push({ id: message.id, port: message.port, socket })
    if (this.#does === 'is silent') return
    // Both sides have the same socket object, because they are in one process.
    if (this.#does === 'takes') socket.write(`${this.#name} ${message.port}`, () => this.#ports.answered(this, message.id, true))
    else setImmediate(() => this.#ports.answered(this, message.id, false))
  }
  kill(): void {}
  onMessage(): void {}
  onExit(handle: (code: number | null, signal: string | null) => void): void {
    this.#exits.push(handle)
  }
  onGone(handle: () => void): void {
    this.#gone.push(handle)
  }
  end(): void {
    for (const exit of this.#exits) exit(null, 'SIGKILL')
    for (const gone of this.#gone) gone()
  }
}

describe('Distributor', () => {
  let ports: Distributor
  let port = 0
  beforeEach(async () => {
    ports = new Distributor()
    port = await ports.listen('secure', 0, '127.0.0.1')
  })
  afterEach(() => ports.close())

  /** Text that a connection receives until it is closed. */
  async function told(to = port): Promise<string> {
    const socket = connect(to, '127.0.0.1').on('error', () => {})
    let text = ''
    socket.setEncoding('utf8').on('data', part => {
      text += part
    })
    await once(socket, 'close')
    return text
  }

  it('hands connections to workers round-robin, with their port', async () => {
    for (const name of ['a', 'b']) ports.add(new FakeWorker(name, ports))
    const second = await ports.listen('insecure', 0, '127.0.0.1')
    const all: string[] = []
    for (let i = 0; i < 4; i++) all.push(await told(i < 2 ? port : second))
    expect(all).to.have.ordered.members(['a secure', 'b secure', 'a insecure', 'b insecure'])
  })

  it('keeps connections waiting until there is a worker', async () => {
    const first = told()
    await turns()
    ports.add(new FakeWorker('a', ports))
    expect(await first).to.equal('a secure')
  })

  it('hands the unacknowledged connections of a worker that has ended to another one', async () => {
    const silent = new FakeWorker('a', ports, 'is silent')
    ports.add(silent)
    const waiting = [told(), told()]
    await eventually('it has both', () => silent.given.length === 2)
    ports.add(new FakeWorker('b', ports))
    silent.end()
    expect(await Promise.all(waiting)).to.deep.equal(['b secure', 'b secure'])
    expect(await told()).to.equal('b secure')
  })

  it('hands no more connections to a worker that does not acknowledge them', async () => {
    const silent = new FakeWorker('a', ports, 'is silent')
    for (const worker of [silent, new FakeWorker('b', ports)]) ports.add(worker)
    let answered = 0
    const all = Array.from({ length: 300 }, () => told().finally(() => answered++))
    await eventually('the other has answered', () => answered === 300 - 64)
    expect(silent.given.length).to.equal(64)
    silent.end()
    expect(new Set(await Promise.all(all))).to.deep.equal(new Set(['b secure']))
  })

  it('hands a refused connection to another worker', async () => {
    ports.add(new FakeWorker('a', ports, 'refuses'))
    ports.add(new FakeWorker('b', ports))
    expect(await Promise.all([told(), told(), told()])).to.deep.equal(['b secure', 'b secure', 'b secure'])
  })

  it('hands nothing to a worker that is closing', async () => {
    const [a, b] = [new FakeWorker('a', ports), new FakeWorker('b', ports)]
    for (const worker of [a, b]) ports.add(worker)
    ports.remove(a)
    expect([await told(), await told()]).to.deep.equal(['b secure', 'b secure'])
    expect(a.given).to.deep.equal([])
  })

  it('closes the ports with the last worker', async () => {
    const [a, b] = [new FakeWorker('a', ports), new FakeWorker('b', ports)]
    for (const worker of [a, b]) ports.add(worker)
    ports.end()
    ports.remove(a)
    expect(await told()).to.equal('b secure')
    ports.remove(b)
    const [error] = await once(connect(port, '127.0.0.1'), 'error')
    expect(error.code).to.equal('ECONNREFUSED')
  })

  it('closes waiting connections when it is closed', async () => {
    const waiting = told()
    await turns()
    ports.end()
    expect(await waiting).to.equal('')
  })

  it('rejects if the port is in use', async () => {
    const failure = await new Distributor().listen('secure', port, '127.0.0.1').then(
      () => 'none',
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(failure).to.equal('EADDRINUSE')
  })
})
