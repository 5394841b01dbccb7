import { expect } from 'chai'
import { prefixEnd } from '../../../src/storage/key-range.ts'
import { RequestTimings } from '../../../src/storage/request-timings.ts'
import { key } from '../../../src/storage/revision.ts'
import { HeldTime } from '../../support/held-time.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const { signal } = new AbortController()
const name = key('/registry/pods/default/a')

describe('storage/request-timings', () => {
  it('times reads and writes by operation, and counts failures', async () => {
    const timings = new RequestTimings('1.33')
    const backend = new MemoryBackend()
    const timed = timings.timed(backend, 'pods')
    const created = await timed.write({ key: name, expected: 0, value: Buffer.from('1') }, signal)
    const updated = await timed.write({ key: name, expected: created.revision, value: Buffer.from('2') }, signal)
    const time = HeldTime.hold()
    backend.before = async () => {
      await Promise.resolve()
      time.pass(30)
    }
    expect((await timed.get(name, signal)).item?.value.toString()).to.equal('2')
    time.release()
    backend.before = () => {}
    expect((await timed.range({ start: key('/registry/'), end: prefixEnd(key('/registry/')) }, signal)).items).to.have.length(1)
    await timed.write({ key: name, expected: updated.revision }, signal)
    backend.down = true
    expect((await timed.get(name, signal).catch((error: { code: string }) => error)) as object).to.include({ code: 'unavailable' })
    const samples = timings.families().flatMap(family => [...family.samples()])
    const counts = (metric: string) =>
      Object.fromEntries(
        samples.filter(({ metricName }) => metricName === metric).map(({ labels, value }) => [`${labels.operation} ${labels.type}`, value]),
      )
    const all = { 'create pods': 1, 'update pods': 1, 'get pods': 2, 'list pods': 1, 'delete pods': 1 }
    expect(counts('etcd_requests_total')).to.deep.equal(all)
    expect(counts('etcd_request_duration_seconds_count')).to.deep.equal(all)
    expect(counts('etcd_request_errors_total')).to.deep.equal({ 'get pods': 1 })
    timings.forget('pods')
    expect(timings.families().flatMap(family => [...family.samples()])).to.deep.equal([])
    const seconds = counts('etcd_request_duration_seconds_sum')
    expect(seconds['get pods']).to.be.at.least(0.03)
  })

  it('labels the resource by group and name since 1.34', async () => {
    const timings = new RequestTimings('1.34')
    await timings.timed(new MemoryBackend(), 'widgets.example.com').get(name, signal)
    const samples = () => timings.families().flatMap(family => [...family.samples()])
    expect(samples().find(({ metricName }) => metricName === 'etcd_requests_total')?.labels).to.deep.equal({
      operation: 'get',
      group: 'example.com',
      resource: 'widgets',
    })
    timings.forget('widgets.example.com')
    expect(samples()).to.deep.equal([])
  })
})
