import { expect } from 'chai'
import type { BackendEvent } from '../../../../src/storage/backend.ts'
import { reassemble } from '../../../../src/storage/etcd/watch.ts'

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

describe('reassemble', () => {
  for (const [name, responses, batches] of cases) {
    it(name, () => {
      const whole = reassemble()
      const given = responses.map(([mark, ...revisions]) => whole({ events: revisions.map(event), fragment: mark === '+' }))
      expect(given.flatMap(batch => (batch ? [batch.events.map(e => e.modRevision)] : []))).to.deep.equal(batches)
      for (const batch of given) if (batch) expect(batch.revision).to.equal(batch.events.at(-1)?.modRevision)
    })
  }
})
