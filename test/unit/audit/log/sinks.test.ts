import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type AuditLine, lineOf } from '../../../../src/audit/line.ts'
import { BatchingSink, type BatchOptions } from '../../../../src/audit/log/batching-sink.ts'
import { blockingSink } from '../../../../src/audit/log/blocking-sink.ts'
import { LineWriter } from '../../../../src/audit/log/line-writer.ts'
import type { LogOutput } from '../../../../src/audit/log/output.ts'
import { AuditMetrics } from '../../../../src/audit/metrics.ts'
import type { WrittenEvent } from '../../../../src/audit/sink.ts'
import { filledWith } from '../../../../src/lib/filled-body.ts'
import { silentLogger } from '../../../../src/lib/log.ts'

/** A disk: what it holds, and a gate that holds it up. */
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

const event = (text: string): WrittenEvent => ({ line: lineOf([text]), told: () => text })
const errors = (metrics: AuditMetrics): string[] =>
  metrics.families
    .flatMap(family => [...family.samples()])
    .filter(({ metricName }) => metricName === 'apiserver_audit_error_total')
    .map(({ labels, value }) => `${labels.plugin} ${value}`)

describe('lines of the audit log', () => {
  it('are written in order, those that come together at once', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    await Promise.all(['a', 'b', 'c'].map(text => writer.write(lineOf([text]))))
    await writer.write(lineOf(['d']))
    expect([disk.text, disk.writes]).to.deep.equal(['a\nb\nc\nd\n', 2])
  })
  it('may be long, and are none the less lines', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    const segments = Array.from({ length: 40 }, () => Buffer.from(`${'x'.repeat(10_000)}\n`))
    const line: AuditLine = lineOf(['{', filledWith(segments, 400_040), Buffer.from('1\n2\n'), '}'])
    await Promise.all([writer.write(lineOf(['before'])), writer.write(line), writer.write(lineOf(['after']))])
    expect(disk.text.split('\n').map(({ length }) => length)).to.deep.equal([6, line.length - 1, 5, 0])
  })
  it('begin anew behind one that has broken off', async () => {
    const disk = new Disk()
    const writer = new LineWriter(disk)
    disk.fault = 'no space left'
    expect(await writer.write(lineOf(['lost'])).then(String, (error: Error) => error.message)).to.equal('no space left')
    disk.fault = undefined
    await writer.write(lineOf(['next']))
    expect(disk.text).to.equal('\nnext\n')
  })
  it('are lost where too much waits for a disk that hangs, and taken again when it goes on', async () => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const writer = new LineWriter(disk)
    const parts = { writer, metrics, log: silentLogger }
    let goOn = (): void => {}
    disk.gate = new Promise(resolve => {
      goOn = resolve
    })
    const first = writer.write(lineOf(['first']))
    await sleep(0)
    // What is 64 MiB long need not be there yet.
    const long = (): AuditLine => ({ parts: [], length: 64 << 20 })
    const waiting = Array.from({ length: 7 }, () => writer.write(long()))
    expect(await blockingSink(parts, true).process({ line: long(), told: () => '' })).to.equal(false)
    expect(errors(metrics)).to.deep.equal(['log 1'])
    goOn()
    await Promise.all([first, ...waiting])
    expect(await blockingSink(parts, true).process(event('next'))).to.equal(true)
    expect(disk.text).to.equal('first\nnext\n')
  })
  it('are told where they are lost, and fail a request in the strict mode alone', async () => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const parts = { writer: new LineWriter(disk), metrics, log: silentLogger }
    disk.fault = 'no space left'
    expect([await blockingSink(parts, false).process(event('a')), await blockingSink(parts, true).process(event('b'))]).to.deep.equal([true, false])
    expect(errors(metrics)).to.deep.equal(['log 2'])
  })
})

describe('the batching audit log', () => {
  const batching = (options: Partial<BatchOptions> = {}) => {
    const disk = new Disk()
    const metrics = new AuditMetrics()
    const parts = { writer: new LineWriter(disk), metrics, log: silentLogger }
    return { disk, metrics, sink: new BatchingSink(parts, { bufferSize: 3, maxSize: 1, maxWaitMs: 0, throttle: undefined, ...options }) }
  }

  it('holds up nobody, and loses what does not fit', async () => {
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
  it('writes what waits when it is closed, and nothing after', async () => {
    const { disk, metrics, sink } = batching({ maxSize: 10, maxWaitMs: 60_000, bufferSize: 10 })
    for (const text of ['a', 'b']) await sink.process(event(text))
    await sink.close()
    expect(disk.text).to.equal('a\nb\nclosed')
    await sink.process(event('late'))
    expect(errors(metrics)).to.deep.equal(['buffered 1'])
  })
  it('waits for a whole batch as long as wanted', async () => {
    const { disk, sink } = batching({ maxSize: 2, maxWaitMs: 60_000, bufferSize: 10 })
    await sink.process(event('a'))
    await sleep(20)
    expect(disk.text).to.equal('')
    await sink.process(event('b'))
    await sink.close()
    expect([disk.text, disk.writes]).to.deep.equal(['a\nb\nclosed', 1])
  })
  it('writes no more batches than wanted', async () => {
    const { disk, sink } = batching({ bufferSize: 10, throttle: { qps: 0.001, burst: 2 } })
    for (const text of ['a', 'b', 'c']) await sink.process(event(text))
    for (let i = 0; i < 100 && disk.writes < 2; i++) await sleep(5)
    await sleep(30)
    expect(disk.text).to.equal('a\nb\n')
    await sink.close()
  })
})
