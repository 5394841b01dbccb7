import { expect } from 'chai'
import type { Event } from '../../../../src/api/events/v1.types.ts'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import { EventSeries, seriesPatch } from '../../../../src/cluster/shared/event-series.ts'
import { PODS } from '../../../../src/cluster/shared/kinds.ts'
import { type RecordedEvent, SeriesRecorder } from '../../../../src/cluster/shared/series-recorder.ts'
import { WorkQueues } from '../../../../src/controllers/work-queues.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { MovedClock } from '../../../../src/testing/moved-clock.ts'
import { podOf } from '../../../support/scheduling.ts'

const eventAt = (eventTime: string, note = 'first', name = 'p'): Event =>
  ({
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: `${name}.1` },
    eventTime,
    reason: 'FailedScheduling',
    regarding: { kind: 'Pod', name },
    note,
  }) as Event

describe('a series of events', () => {
  it('begins with the second event about the same, whatever its note, and is only counted after that', () => {
    const series = new EventSeries()
    expect(series.add(eventAt('2030-01-01T00:00:00.000000Z'))?.action).to.equal('create')
    const second = series.add(eventAt('2030-01-01T00:00:01.000000Z', 'other'))
    expect([second?.action, second?.event.note, second && seriesPatch(second.event)]).to.deep.equal([
      'patch',
      'first',
      { series: { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' } },
    ])
    expect(series.add(eventAt('2030-01-01T00:00:02.000000Z'))).to.equal(undefined)
    expect(series.add(eventAt('2030-01-01T00:00:02.000000Z', 'first', 'q'))?.action).to.equal('create')
  })

  it('ends when the event has not happened for six minutes', () => {
    const series = new EventSeries()
    for (const second of ['00', '01', '02']) series.add(eventAt(`2030-01-01T00:00:${second}.000000Z`))
    const at = (time: string): number => Date.parse(time)
    expect(series.finish(at('2030-01-01T00:06:01Z'))).to.deep.equal([])
    expect(series.finish(at('2030-01-01T00:06:03Z')).map(event => event.series?.count)).to.deep.equal([3])
    expect(series.add(eventAt('2030-01-01T00:07:00.000000Z'))?.action).to.equal('create')
  })
})

describe('the recorder of series', () => {
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise(setImmediate)
  }

  it('writes an event of events.k8s.io, and makes it a series; creates it again if it has expired', async () => {
    const written: [string, object][] = []
    const client = {
      create: async (_kind: unknown, object: object) => void written.push(['create', object]),
      patch: async (_kind: unknown, _name: unknown, patch: object) => {
        written.push(['patch', patch])
        throw notFoundError({ group: 'events.k8s.io', resource: 'events' }, 'e')
      },
    } as unknown as ApiClient
    const clock = new MovedClock({ at: Date.parse('2030-01-01T00:00:00Z'), runs: false })
    const abort = new AbortController()
    const meter = new WorkQueues().meter('events')
    const recorder = new SeriesRecorder({
      component: 'default-scheduler',
      client,
      clock,
      logger: silentLogger,
      meter,
      signal: abort.signal,
    })
    const event: RecordedEvent<ReturnType<typeof podOf>> = {
      kind: PODS,
      about: podOf({ name: 'victim', metadata: { resourceVersion: '7' } }),
      related: podOf({ name: 'urgent' }),
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: 'Preempted by pod urgent on node n',
      controller: 'default-scheduler',
    }
    recorder.record(event)
    await until(() => written.length === 1)
    expect(written[0]).to.deep.equal([
      'create',
      {
        kind: 'Event',
        apiVersion: 'events.k8s.io/v1',
        metadata: { name: `victim.${(BigInt(clock.now()) * 1_000_000n).toString(16)}`, namespace: 'default' },
        eventTime: '2030-01-01T00:00:00.000000Z',
        reportingController: 'default-scheduler',
        reportingInstance: 'default-scheduler-binnacle',
        action: 'Preempting',
        reason: 'Preempted',
        regarding: { kind: 'Pod', namespace: 'default', name: 'victim', uid: 'victim', apiVersion: 'v1', resourceVersion: '7' },
        related: { kind: 'Pod', namespace: 'default', name: 'urgent', uid: 'urgent', apiVersion: 'v1' },
        note: 'Preempted by pod urgent on node n',
        type: 'Normal',
      },
    ])
    recorder.record(event)
    await until(() => written.length === 3)
    expect(written.slice(1).map(([action]) => action)).to.deep.equal(['patch', 'create'])
    abort.abort()
  })
})
