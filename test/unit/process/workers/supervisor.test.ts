import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { FromWorker, ToWorker, WorkerProcess } from '../../../../src/process/workers/messages.ts'
import { restartWait, Supervisor } from '../../../../src/process/workers/supervisor.ts'
import { HeldTime } from '../../../support/held-time.ts'
import { turns } from '../../../support/waiting.ts'

/** A worker that is controlled by the test. */
class FakeWorker implements WorkerProcess {
  readonly pid: number
  readonly told: string[] = []
  /** Whether it responds to pings. */
  answers = false
  readonly #handlers: ((message: FromWorker) => void)[] = []
  readonly #ends: ((code: number | null, signal: string | null) => void)[] = []

  constructor(pid: number) {
    this.pid = pid
  }
  send({ type }: ToWorker): void {
    this.told.push(type)
    if (type === 'ping' && this.answers) this.say({ type: 'pong' })
  }
  kill(): void {
    this.told.push('kill')
    this.end(null, 'SIGKILL')
  }
  onMessage(handle: (message: FromWorker) => void): void {
    this.#handlers.push(handle)
  }
  onGone(): void {}
  onExit(handle: (code: number | null, signal: string | null) => void): void {
    this.#ends.push(handle)
  }
  say(message: FromWorker): void {
    for (const handle of this.#handlers) handle(message)
  }
  end(code: number | null, signal: string | null = null): void {
    for (const handle of this.#ends) handle(code, signal)
  }
}

function supervised(count = 2, pingMs = 5000) {
  const forked: { number: number; othersServe: boolean; worker: FakeWorker }[] = []
  const ended: number[] = []
  const said: string[] = []
  const clock = { now: 0 }
  const supervisor = new Supervisor({
    count,
    fork(number, othersServe) {
      const worker = new FakeWorker(100 + forked.length)
      forked.push({ number, othersServe, worker })
      return worker
    },
    log: silentLogger,
    onMessage: (number, _worker, { type }) => void said.push(`${number} ${type}`),
    onServing: () => {},
    onEnd: number => void ended.push(number),
    now: () => clock.now,
    pingMs,
  })
  const worker = (index: number): FakeWorker => (forked[index] as { worker: FakeWorker }).worker
  return { supervisor, forked, ended, said, clock, worker }
}

describe('Supervisor', () => {
  let time: HeldTime
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  it('resolves serving when all workers serve', async () => {
    const { supervisor, forked, worker } = supervised()
    expect(forked.map(({ number, othersServe }) => [number, othersServe])).to.deep.equal([
      [1, false],
      [2, false],
    ])
    let serving = false
    void supervisor.serving.then(() => {
      serving = true
    })
    worker(0).say({ type: 'serving' })
    await turns()
    expect(serving).to.equal(false)
    worker(1).say({ type: 'serving' })
    await supervisor.serving
    await stopped(supervisor, [worker(0), worker(1)])
  })

  it('rejects serving if a worker ends before', async () => {
    const { supervisor, worker, forked } = supervised()
    worker(0).say({ type: 'serving' })
    worker(1).end(1)
    const failure = await supervisor.serving.then(
      () => 'none',
      (error: Error) => error.message,
    )
    expect(failure).to.equal('worker 2 ended before it served (code 1)')
    expect(forked.length).to.equal(2)
    await stopped(supervisor, [worker(0)])
  })

  it('restarts a worker that ends, and announces that others serve', async () => {
    const { supervisor, forked, ended, clock, worker } = supervised()
    for (const index of [0, 1]) worker(index).say({ type: 'serving' })
    clock.now = 30_000
    worker(0).end(null, 'SIGKILL')
    expect(ended).to.deep.equal([1])
    expect(supervisor.workers().map(([number]) => number)).to.deep.equal([2])
    time.pass(0)
    expect(forked.slice(2).map(({ number, othersServe }) => [number, othersServe])).to.deep.equal([[1, true]])
    expect(supervisor.restarts).to.equal(1)
    // The other worker ends as well before the new one serves: none serves then.
    worker(1).end(0)
    time.pass(0)
    expect(forked.slice(3).map(({ number, othersServe }) => [number, othersServe])).to.deep.equal([[2, false]])
    await stopped(supervisor, [worker(2), worker(3)])
  })

  it('delays the restart of a worker that keeps ending', async () => {
    const { supervisor, forked, worker } = supervised(1)
    worker(0).say({ type: 'serving' })
    worker(0).end(1)
    time.pass(99)
    expect(forked.length).to.equal(1)
    time.pass(1)
    expect(forked.length).to.equal(2)
    worker(1).end(1)
    time.pass(199)
    expect(forked.length).to.equal(2)
    time.pass(1)
    expect(forked.length).to.equal(3)
    await stopped(supervisor, [worker(2)])
  })

  const waits: [shortLives: number, wait: number][] = [
    [0, 0],
    [1, 100],
    [2, 200],
    [5, 1600],
    [8, 10_000],
    [1000, 10_000],
  ]
  for (const [shortLives, wait] of waits)
    it(`waits ${wait} ms after ${shortLives} short runs`, () => {
      expect(restartWait(shortLives)).to.equal(wait)
    })

  it('restarts no worker while stopping, and reports whether all exited with code 0', async () => {
    const { supervisor, forked, worker } = supervised()
    for (const index of [0, 1]) worker(index).say({ type: 'serving' })
    const clean = supervisor.stop(1000)
    expect([worker(0).told, worker(1).told]).to.deep.equal([['stop'], ['stop']])
    worker(0).end(0)
    worker(1).end(1)
    expect(await clean).to.equal(false)
    time.pass(60_000)
    expect(forked.length).to.equal(2)
  })

  it('stops a worker that did not receive messages yet', async () => {
    const { supervisor, worker } = supervised(1)
    const clean = supervisor.stop(1000)
    worker(0).say({ type: 'hello' })
    expect(worker(0).told).to.deep.equal(['stop', 'stop'])
    worker(0).end(0)
    expect(await clean).to.equal(true)
  })

  it('kills workers that do not stop in time', async () => {
    const { supervisor, worker } = supervised(1)
    worker(0).say({ type: 'serving' })
    const clean = supervisor.stop(10)
    time.pass(10)
    expect(await clean).to.equal(false)
    expect(worker(0).told).to.deep.equal(['stop', 'kill'])
  })

  it('kills a worker that does not respond, and restarts it', async () => {
    const { supervisor, worker, forked } = supervised(2, 5)
    for (const index of [0, 1]) worker(index).say({ type: 'serving' })
    worker(1).answers = true
    time.pass(35)
    expect(forked.length).to.equal(2)
    time.pass(100)
    expect(worker(0).told).to.deep.equal([...Array.from({ length: 6 }, () => 'ping'), 'kill'])
    expect(worker(1).told).not.to.include('kill')
    expect(forked[2]?.number).to.equal(1)
    await stopped(supervisor, [worker(2), worker(1)])
  })

  it('passes on other messages', async () => {
    const { supervisor, worker, said } = supervised(1)
    worker(0).say({ type: 'scrape', id: 7 })
    expect(said).to.deep.equal(['1 scrape'])
    await stopped(supervisor, [worker(0)])
  })
})

async function stopped(supervisor: Supervisor, workers: readonly FakeWorker[]): Promise<void> {
  const done = supervisor.stop(1000)
  for (const worker of workers) worker.end(0)
  await done
}
