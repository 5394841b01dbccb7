import { expect } from 'chai'
import type { BackendEvent } from '../../../../src/storage/backend.ts'
import type { WatchResponse } from '../../../../src/storage/etcd/messages.ts'
import { eachOnce, reassemble } from '../../../../src/storage/etcd/watch.ts'
import { NO_REVISION, revision } from '../../../../src/storage/revision.ts'

const event = (modRevision: number) => ({ type: 'put', key: 'k', modRevision }) as unknown as BackendEvent

/** Responses as their events' revisions, `+` where a fragment follows; batches as revisions. */
const cases: [name: string, responses: [string, ...number[]][], batches: number[][]][] = [
  [
    'whole responses pass through',
    [
      ['', 1, 2],
      ['', 3],
    ],
    [[1, 2], [3]],
  ],
  ['a response without events gives nothing', [[''], ['', 1]], [[1]]],
  [
    'the last revision of a fragment waits for the rest',
    [
      ['+', 1, 2, 2],
      ['', 2, 3],
    ],
    [[1], [2, 2, 2, 3]],
  ],
  [
    'a fragment of one revision gives nothing by itself',
    [
      ['+', 5, 5],
      ['+', 5],
      ['', 5],
    ],
    [[5, 5, 5, 5]],
  ],
  [
    'a later revision shows that the held one is whole',
    [
      ['+', 1, 2],
      ['+', 3, 4],
      ['', 4],
    ],
    [[1], [2, 3], [4, 4]],
  ],
  ['a last fragment without events ends it', [['+', 1], ['']], [[1]]],
]

const response = (given: Partial<WatchResponse>): WatchResponse => ({
  revision: NO_REVISION,
  created: false,
  canceled: false,
  compactRevision: NO_REVISION,
  cancelReason: '',
  fragment: false,
  events: [],
  ...given,
})

describe('reassemble', () => {
  for (const [name, responses, batches] of cases) {
    it(name, () => {
      const whole = reassemble()
      const given = responses.map(([mark, ...revisions]) =>
        whole(response({ events: revisions.map(event), fragment: mark === '+', created: mark === '' && revisions.length === 0 })),
      )
      expect(given.flatMap(batch => (batch ? [batch.events.map(e => e.modRevision)] : []))).to.deep.equal(batches)
      for (const batch of given) if (batch) expect(batch.revision).to.equal(batch.events.at(-1)?.modRevision)
    })
  }

  it('treats the revision of a response without events as progress, except that of the creation', () => {
    const whole = reassemble()
    const at = revision(9)
    expect(whole(response({ created: true, revision: at }))).to.equal(undefined)
    expect(whole(response({ events: [event(3)], revision: at }))).to.deep.equal({ events: [event(3)], revision: 3 })
    expect(whole(response({ revision: at }))).to.deep.equal({ events: [], revision: 9 })
  })

  it('does not treat a fragment of one revision as progress', () => {
    const whole = reassemble()
    expect(whole(response({ events: [event(3)], fragment: true, revision: revision(9) }))).to.equal(undefined)
    expect(whole(response({ events: [event(3)], revision: revision(9) }))).to.deep.equal({ events: [event(3), event(3)], revision: 3 })
  })
})

describe('eachOnce', () => {
  /** Batches as their events' revisions, and what is left of each. */
  const batchCases: [name: string, batches: number[][], left: (number[] | undefined)[]][] = [
    ['passes on events in order, several of one revision too', [[5, 5], [6], [9, 9]], [[5, 5], [6], [9, 9]]],
    ['passes on progress', [[5], [], [6]], [[5], [], [6]]],
    ['removes events before the start', [[3, 4, 5], [6]], [[5], [6]]],
    ['removes a batch of events before the start', [[3, 4], [5]], [undefined, [5]]],
    ['removes events that are repeated', [[5, 6, 7], [6], [7, 8], [8], [9]], [[5, 6, 7], undefined, [8], undefined, [9]]],
  ]
  for (const [name, batches, left] of batchCases)
    it(name, () => {
      const once = eachOnce(revision(5))
      const passed = batches.map(revisions => once({ events: revisions.map(event), revision: revision(revisions.at(-1) ?? 9) }))
      expect(passed.map(batch => batch?.events.map(({ modRevision }) => modRevision))).to.deep.equal(left)
    })
})
