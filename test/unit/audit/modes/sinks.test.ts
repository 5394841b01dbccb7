import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type AuditLine, lineOf } from '../../../../src/audit/line.ts'
import { LineWriter } from '../../../../src/audit/log/line-writer.ts'
import { logBackend } from '../../../../src/audit/log/log-backend.ts'
import type { LogOutput } from '../../../../src/audit/log/output.ts'
import { AuditMetrics } from '../../../../src/audit/metrics.ts'
import { BatchingSink, type BatchOptions } from '../../../../src/audit/modes/batching-sink.ts'
import { blockingSink } from '../../../../src/audit/modes/blocking-sink.ts'
import type { AuditBackend, WrittenEvent } from '../../../../src/audit/sink.ts'
import { steadyClock } from '../../../../src/lib/clock.ts'
import { filledWith } from '../../../../src/lib/filled-body.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { eventually } from '../../../support/waiting.ts'

/** A disk: its contents, and a gate that blocks writes. */
class Disk implements LogOutput {
  text = ''
  writes = 0
  fault: string | undefined
  gate: Promise<void> = Promise.resolve()
  async prepare(): Promise<void> {}
  async write(bytes: Buffer): Promise<void> {
    await this.gate
    this.writes++
    if (this.fault !== undefined) throw new Error(this.fault)
    this.text += bytes.toString()
  }
  async close(): Promise<void> {
    this.text += 'closed'
  }
}

const event = (text: string): WrittenEvent => ({ line: lineOf([text]), summary: { bytes: 0, text: () => text } })
const errors = (metrics: AuditMetrics): string[] =>
  metrics.families
    .flatMap(family => [...family.samples()])
    .filter(({ metricName }) => metricName === 'apiserver_audit_error_total')
    .map(({ labels, value }) => `${labels.plugin} ${value}`)

describe('LineWriter', () => {
  it('writes lines in order, and joins those of one turn', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    await Promise.all(['a', 'b', 'c'].map(text => writer.write(lineOf([text]))))
    await writer.write(lineOf(['d']))
    expect([disk.text, disk.writes]).to.deep.equal(['a\nb\nc\nd\n', 2])
  })
  it('keeps long bodies on one line', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    const segments = Array.from({ length: 40 }, () => Buffer.from(`${'x'.repeat(10_000)}\n`))
    const line: AuditLine = lineOf(['{', filledWith(segments, 400_040), Buffer.from('1\n2\n'), '}'])
    await Promise.all([writer.write(lineOf(['before'])), writer.write(line), writer.write(lineOf(['after']))])
    expect(disk.text.split('\n').map(({ length }) => length)).to.deep.equal([6, line.length - 1, 5, 0])
  })
  it('begins a new line behind an incomplete one', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    disk.fault = 'no space left'
    expect(await writer.write(lineOf(['lost'])).then(String, (error: Error) => error.message)).to.equal('no space left')
    disk.fault = undefined
    await writer.write(lineOf(['next']))
    expect(disk.text).to.equal('\nnext\n')
  })
  it('rejects lines if too many bytes wait for a disk that hangs, and continues later', async () => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const writer = new LineWriter(disk)
    const backend = logBackend(writer, { metrics, log: silentLogger })
    let goOn = (): void => {}
    disk.gate = new Promise(resolve => {
      goOn = resolve
    })
    const first = writer.write(lineOf(['first']))
    await sleep(0)
    // The 64 MiB of a line need not exist yet.
    const long = (): AuditLine => ({ parts: [], length: 64 << 20 })
    const waiting = Array.from({ length: 7 }, () => writer.write(long()))
    expect(await blockingSink(backend, true).process({ line: long(), summary: { bytes: 0, text: () => '' } })).to.equal(false)
    expect(errors(metrics)).to.deep.equal(['log 1'])
    goOn()
    await Promise.all([first, ...waiting])
    expect(await blockingSink(backend, true).process(event('next'))).to.equal(true)
    expect(disk.text).to.equal('first\nnext\n')
  })
  it('reports lost lines, which fail a request in the strict mode only', async () => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const backend = logBackend(new LineWriter(disk), { metrics, log: silentLogger })
    disk.fault = 'no space left'
    expect([await blockingSink(backend, false).process(event('a')), await blockingSink(backend, true).process(event('b'))]).to.deep.equal([
      true,
      false,
    ])
    expect(errors(metrics)).to.deep.equal(['log 2'])
  })
})

describe('BatchingSink', () => {
  const batching = (options: Partial<BatchOptions> = {}) => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const listeners = { metrics, log: silentLogger }
    const parts = { ...listeners, backend: logBackend(new LineWriter(disk), listeners), concurrency: 1, clock: steadyClock }
    return { disk, metrics, sink: new BatchingSink(parts, { bufferSize: 3, maxSize: 1, maxWaitMs: 0, throttle: undefined, ...options }) }
  }

  it('does not make requests wait, and drops events that do not fit', async () => {
    const { disk, metrics, sink } = batching()
    let open = (): void => {}
    disk.gate = new Promise(resolve => {
      open = resolve
    })
    for (const text of ['a', 'b', 'c', 'd', 'e']) expect(await sink.process(event(text))).to.equal(true)
    expect(errors(metrics)[0]).to.match(/^buffered [12]$/)
    open()
    await sink.close()
    expect(disk.text).to.match(/^a\nb\nc\n(?:d\n)?closed$/)
  })
  // 256 MiB, at 2 KiB and the summary for each event.
  for (const [title, bytes, fitting] of [
    ['short events if very many wait', 0, 131_072],
    ['events of long requests sooner', 2048, 65_536],
  ] as const)
    it(`drops ${title}`, async () => {
      const { metrics, sink } = batching({ bufferSize: 200_000, maxSize: 200_000, maxWaitMs: 60_000 })
      const one: WrittenEvent = { line: { parts: [], length: 0 }, summary: { bytes, text: () => '' } }
      for (let i = 0; i < fitting + 10; i++) await sink.process(one)
      expect(errors(metrics)).to.deep.equal(['buffered 10'])
      await sink.close()
    })
  it('writes waiting events when it is closed, and none afterwards', async () => {
    const { disk, metrics, sink } = batching({ maxSize: 10, maxWaitMs: 60_000, bufferSize: 10 })
    for (const text of ['a', 'b']) await sink.process(event(text))
    await sink.close()
    expect(disk.text).to.equal('a\nb\nclosed')
    await sink.process(event('late'))
    expect(errors(metrics)).to.deep.equal(['buffered 1'])
  })
  it('waits for a complete batch up to the configured time', async () => {
    const { disk, sink } = batching({ maxSize: 2, maxWaitMs: 60_000, bufferSize: 10 })
    await sink.process(event('a'))
    await sleep(20)
    expect(disk.text).to.equal('')
    await sink.process(event('b'))
    await sink.close()
    expect([disk.text, disk.writes]).to.deep.equal(['a\nb\nclosed', 1])
  })
  it('limits the rate of batches', async () => {
    const { disk, sink } = batching({ bufferSize: 10, throttle: { qps: 0.001, burst: 2 } })
    for (const text of ['a', 'b', 'c']) await sink.process(event(text))
    await eventually('two batches are written', () => disk.writes === 2)
    await sleep(30)
    expect(disk.text).to.equal('a\nb\n')
    await sink.close()
  })
})

/** A backend whose batches are written on demand. */
class Gated implements AuditBackend {
  readonly batches: number[] = []
  closed = false
  readonly #waiting: (() => void)[] = []
  async write(events: readonly WrittenEvent[]): Promise<boolean> {
    this.batches.push(events.length)
    await new Promise<void>(resolve => this.#waiting.push(resolve))
    return true
  }
  async close(): Promise<void> {
    this.closed = true
  }
  release(): void {
    for (const go of this.#waiting.splice(0)) go()
  }
}

describe('batches of audit events', () => {
  const gated = (options: Partial<BatchOptions> = {}, { concurrency = 2, now = (): number => 0 } = {}) => {
    const backend = new Gated()
    const parts = { backend, concurrency, metrics: new AuditMetrics(), log: silentLogger, clock: { now } }
    return { backend, sink: new BatchingSink(parts, { bufferSize: 100, maxSize: 10, maxWaitMs: 60_000, throttle: undefined, ...options }) }
  }
  const fill = async (sink: BatchingSink, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await sink.process(event('x'))
    await sleep(0)
  }

  it('are written concurrently, up to a limit', async () => {
    const { backend, sink } = gated()
    await fill(sink, 30)
    expect(backend.batches).to.deep.equal([10, 10])
    backend.release()
    await sleep(0)
    expect(backend.batches).to.deep.equal([10, 10, 10])
    backend.release()
    const closed = sink.close()
    backend.release()
    await closed
  })
  it('are awaited when the sink is closed', async () => {
    const { backend, sink } = gated()
    await fill(sink, 10)
    let isOver = false
    const closed = sink.close().then(() => {
      isOver = true
    })
    await sleep(0)
    expect([isOver, backend.closed]).to.deep.equal([false, false])
    backend.release()
    await closed
    expect(backend.closed).to.equal(true)
  })
  it('are written when the time between two batches is over, whenever the first event came', async () => {
    let now = 0
    const { backend, sink } = gated({ maxWaitMs: 60_000 }, { now: () => now })
    // 20 ms before the end of the second period.
    now = 119_980
    await fill(sink, 1)
    expect(backend.batches).to.deep.equal([])
    await eventually('the batch is written', () => backend.batches.length === 1)
    backend.release()
  })
  it('have a limited number of bytes, but at least one event', async () => {
    const { backend, sink } = gated({ maxSize: 4 }, { concurrency: 9 })
    const long = (megabytes: number): WrittenEvent => ({
      line: { parts: [], length: megabytes << 20 },
      summary: { bytes: 0, text: () => '' },
    })
    for (const megabytes of [20, 10, 10, 1]) await sink.process(long(megabytes))
    void sink.close()
    await eventually('all are written', () => backend.batches.length === 3)
    expect(backend.batches).to.deep.equal([1, 1, 2])
    backend.release()
  })
})
