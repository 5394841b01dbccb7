import { expect } from 'chai'
import type { Entry, EventEntry, RequestEntry } from '../../../src/explore/recording.ts'
import { perturbationsOf } from '../../../src/explore/schedule.ts'
import { eventEntry, requestEntry } from '../../support/explore-entries.ts'

const request = (verb: string, resource: string, more: Partial<RequestEntry> = {}): RequestEntry =>
  requestEntry(verb, { resource, name: '', ...more })
const event = (type: EventEntry['type'], name: string, more: Partial<EventEntry> = {}): EventEntry => eventEntry(type, { name, ...more })
const possible = {
  subject: { users: ['c'] },
  restarts: true,
  isController: ({ isController }: RequestEntry) => isController,
  names: new Set(['web']),
}

describe('the perturbations of an undisturbed run', () => {
  it('name the request, and count those that look alike', () => {
    const { error } = perturbationsOf(
      [
        request('update', 'things', { name: 'web' }),
        request('update', 'things', { name: 'web' }),
        request('create', 'things', { name: '' }),
      ],
      possible,
    )
    expect(error).to.have.length(12)
    expect(error[4]?.faults[0]).to.deep.include({
      match: { users: ['c'], verbs: ['update'], resources: ['things'], namespaces: ['shop'], names: ['web'] },
      rate: { skip: 1, count: 1 },
    })
  })

  it('leave out generated names, writes of the test, and reports', () => {
    const entries: Entry[] = [
      request('update', 'things', { name: 'web-x7' }),
      request('update', 'things', { name: 'web', isController: false }),
      request('create', 'events'),
      request('create', 'subjectaccessreviews.authorization.k8s.io'),
      request('update', 'leases.coordination.k8s.io', { name: 'web' }),
      request('get', 'leases.coordination.k8s.io', { name: 'web' }),
      event('MODIFIED', 'web', { resource: 'leases.coordination.k8s.io' }),
    ]
    const { conflict, restart, event: events, other } = perturbationsOf(entries, possible)
    expect(events).to.deep.equal([])
    expect(other.flatMap(({ faults }) => faults[0]?.match?.resources)).to.deep.equal(['things'])
    expect(conflict.map(({ faults }) => faults[0]?.match)).to.deep.equal([
      { users: ['c'], verbs: ['update'], resources: ['things'], namespaces: ['shop'] },
    ])
    expect(restart).to.have.length(3)
  })

  it('restart at rest before each change of the test, and at the end', () => {
    const entries = [1, 2, 3].flatMap(() => [
      request('update', 'things', { name: 'web' }),
      request('create', 'things', { isController: false }),
    ])
    const { restart } = perturbationsOf(entries, possible)
    expect(restart.filter(({ faults }) => faults[0]?.restart === 'AtRest').map(({ faults }) => faults[0]?.rate?.skip)).to.deep.equal([
      2, 1, 0,
    ])
  })

  it('delay or cut the watch before each event', () => {
    const { event: events } = perturbationsOf([event('ADDED', 'web'), event('ADDED', 'web')], possible)
    expect(events).to.have.length(8)
    expect(events[5]?.faults).to.deep.equal([
      {
        match: { users: ['c'], resources: ['things'], verbs: ['watch'] },
        watch: { endBefore: { type: 'ADDED', namespace: 'shop', name: 'web', skip: 1 }, withGone: true, reopen: 'Quiet' },
      },
    ])
  })

  it('restart at rest with a list that is behind to where an object began to be deleted', () => {
    const entries: Entry[] = [
      request('list', 'things', { isAnyVersion: true }),
      event('ADDED', 'web'),
      event('MODIFIED', 'web'),
      event('MODIFIED', 'web', { isDeleting: true }),
      event('DELETED', 'web'),
      event('ADDED', 'web'),
      request('update', 'things', { name: 'web' }),
    ]
    const { stale } = perturbationsOf(entries, possible)
    expect(stale.map(({ faults }) => faults[1]?.behindChanges).toSorted()).to.deep.equal([1, 2, 3, 4, 5])
    expect(stale[0]?.faults[0]).to.deep.include({ restart: 'AtRest' })
    expect(stale[0]?.faults[1]).to.deep.include({ rate: { skip: 1, count: 1 } })
    expect(perturbationsOf(entries, { ...possible, restarts: false }).stale).to.deep.equal([])
  })
})
