import { expect } from 'chai'
import { deletionBefore, foreignChanges } from '../../../src/explore/deletions.ts'
import { numberedEvents, numberedRequests } from '../../../src/explore/fault-match.ts'
import type { Entry, EventEntry, RequestEntry } from '../../../src/explore/recording.ts'
import { eventEntry, requestEntry as request } from '../../support/explore-entries.ts'

const event = (type: EventEntry['type'], revision: number): EventEntry => eventEntry(type, { revision })
const byTest = (verb: string, more: Partial<RequestEntry> = {}): RequestEntry => request(verb, { isController: false, ...more })
const isController = (entry: RequestEntry): boolean => entry.isController

describe('the deletion of an object right before an update', () => {
  const nameable = { subject: { users: ['c'] }, names: new Set(['web']) }
  /** The deletion before the last of the entries. */
  const deletionOf = (...entries: Entry[]) => {
    const requests = numberedRequests(entries, nameable)
    const update = requests.at(-1) ?? expect.fail('there is no request')
    const recorded = { entries, requests, events: numberedEvents(entries, nameable) }
    return deletionBefore(update, recorded, { ...nameable, isController })
  }
  const calmOf = (...entries: Entry[]): string[] | undefined =>
    deletionOf(...entries)?.calm.map(faults =>
      faults
        .map(({ watch, match, rate, writer = '' }) => {
          const { type = '', skip = 0 } = watch?.endBefore ?? {}
          return watch === undefined ? `${writer} ${match?.verbs} ${rate?.skip}` : `${writer} at ${type} ${skip}`
        })
        .join(', '),
    )

  it('is also made at rest', () => {
    const match = { users: ['c'], verbs: ['update'], resources: ['things/status'], namespaces: ['shop'], names: ['web'] }
    expect(deletionOf(request('patch'), request('update', { resource: 'things/status' }))).to.deep.equal({
      fault: { match, rate: { skip: 0, count: 1 }, writer: 'Deletes' },
      calm: [[{ match, rate: { skip: 0, count: 1 }, writer: 'DeletesAtRest' }]],
      changes: 0,
    })
  })

  it('is also made before the controller sees the object, unless it has changed it', () => {
    expect(calmOf(event('ADDED', 2), request('update'))).to.deep.equal(['DeletesAtRest update 0', 'DeletesAtRest at ADDED 0'])
    expect(calmOf(event('ADDED', 2), request('update', { status: 409 }), request('update'))).to.deep.equal([
      'DeletesAtRest update 1',
      'DeletesAtRest at ADDED 0',
    ])
    expect(calmOf(event('ADDED', 2), request('update'), request('update'))).to.deep.equal(['DeletesAtRest update 1'])
    const again = [event('ADDED', 2), request('update'), byTest('delete'), event('DELETED', 4), event('ADDED', 5), request('update')]
    expect(calmOf(...again)).to.deep.equal(['DeletesAtRest update 1', 'DeletesAtRest at ADDED 1'])
    expect(deletionOf(...again)?.changes).to.equal(1)
  })

  it('is also made before the controller sees the last change of another client', () => {
    const entries = [event('ADDED', 2), request('update'), event('MODIFIED', 3), byTest('patch', { revision: 3 }), event('MODIFIED', 4)]
    expect(calmOf(...entries, request('update'))).to.deep.equal(['DeletesAtRest update 1', 'DeletesAtRest at MODIFIED 1'])
    expect(calmOf(event('ADDED', 2), byTest('patch', { revision: 2 }), event('MODIFIED', 3), request('update'))).to.deep.equal([
      'DeletesAtRest update 0',
      'DeletesAtRest at ADDED 0',
      'DeletesAtRest at MODIFIED 0',
    ])
  })

  it('cuts every watch that delivers the event, and deletes once', () => {
    expect(calmOf(event('ADDED', 2), event('ADDED', 2), request('update'))).to.deep.equal([
      'DeletesAtRest update 0',
      'DeletesAtRest at ADDED 0,  at ADDED 1',
    ])
  })

  it('is also made before the first read of a controller that does not watch', () => {
    const missing = request('get', { status: 404 })
    expect(calmOf(missing, request('get'), request('get'), request('update'))).to.deep.equal(['DeletesAtRest update 0', 'Deletes get 1'])
  })

  it('does not exist if the object may be deleted before the controller sees it, and it is not known how', () => {
    expect(deletionOf(request('list', { name: '' }), request('update'))).to.equal(undefined)
    expect(calmOf(request('create', { name: '' }), request('update'))).to.deep.equal(['DeletesAtRest update 0'])
  })

  it('comes after a number of changes of other clients', () => {
    const entries = [
      byTest('update'),
      byTest('patch', { resource: 'things/status' }),
      byTest('update', { name: 'other' }),
      request('update'),
    ]
    expect(foreignChanges(request('update'), entries, isController)).to.equal(2)
  })
})
