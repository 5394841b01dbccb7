import { expect } from 'chai'
import type { Event } from '../../../../src/api/core/v1.types.ts'
import { EventCorrelator } from '../../../../src/cluster/shared/event-correlator.ts'

const event = (message: string, name = 'web', reason = 'FailedCreate'): Event => ({
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: `${name}.1`, namespace: 'ns' },
  involvedObject: { kind: 'ReplicaSet', namespace: 'ns', name, uid: 'u', apiVersion: 'apps/v1' },
  reason,
  message,
  source: { component: 'replicaset-controller' },
  firstTimestamp: '2030-01-01T00:00:00Z',
  lastTimestamp: '2030-01-01T00:00:00Z',
  count: 1,
  type: 'Warning',
  eventTime: null,
  reportingComponent: 'replicaset-controller',
  reportingInstance: '',
})

/** Correlates events at a time, and returns action, count and message of each. */
const correlate = (correlator: EventCorrelator, events: readonly Event[], now = 0): unknown[] =>
  events.map(each => {
    const result = correlator.correlate(each, now)
    return result.action === 'skip' ? 'skip' : [result.action, result.event.count, result.event.message]
  })

describe('event correlator', () => {
  it('counts an event that is repeated, under the name of the first one', () => {
    const correlator = new EventCorrelator()
    correlator.correlate(event('a'), 0)
    const second = correlator.correlate({ ...event('a'), metadata: { name: 'web.2', namespace: 'ns' } }, 1000)
    expect(second).to.nested.include({ action: 'patch', 'event.metadata.name': 'web.1', 'event.count': 2 })
  })

  it('combines events of one reason from the tenth message on', () => {
    const correlator = new EventCorrelator()
    const results = correlate(
      correlator,
      Array.from({ length: 11 }, (_, i) => event(`message ${i}`)),
    )
    expect(results.slice(8)).to.deep.equal([
      ['create', 1, 'message 8'],
      ['create', 1, '(combined from similar events): message 9'],
      ['patch', 2, '(combined from similar events): message 10'],
    ])
  })

  it('does not combine messages that are more than ten minutes apart', () => {
    const correlator = new EventCorrelator()
    correlate(
      correlator,
      Array.from({ length: 9 }, (_, i) => event(`message ${i}`)),
    )
    expect(correlate(correlator, [event('late')], 600_001)).to.deep.equal([['create', 1, 'late']])
  })

  it('writes 25 events of an object, and then one every five minutes', () => {
    const correlator = new EventCorrelator()
    const results = correlate(
      correlator,
      Array.from({ length: 27 }, () => event('a')),
    )
    expect(results.slice(24)).to.deep.equal([['patch', 25, 'a'], 'skip', 'skip'])
    expect(correlate(correlator, [event('a', 'other')])).to.deep.equal([['create', 1, 'a']])
    expect(correlate(correlator, [event('a'), event('a')], 300_000)).to.deep.equal([['patch', 28, 'a'], 'skip'])
  })
})
