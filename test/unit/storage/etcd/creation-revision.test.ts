import { expect } from 'chai'
import { BackendError } from '../../../../src/storage/backend.ts'
import { creationRevision } from '../../../../src/storage/etcd/creation-revision.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'

const NEWEST = 20
/**
 * History of a key as `revision=value` (no value: deleted), the revision of the response, and the revision of the
 * creation with the value `a`. Revisions before `compacted` cannot be read.
 */
const cases: [name: string, history: string[], responded: number, revision: number | undefined, compacted?: number][] = [
  ['the revision of the key, not that of the response', ['11=a'], 12, 11],
  ['the revision of the key, if the response was older', ['11=a'], 9, 11],
  ['that of the creation, if the key was changed since', ['11=a', '13=b'], 12, 11],
  ['that of the creation, if the key was deleted since', ['11=a', '13'], 12, 11],
  ['that of the creation, if the key was changed and deleted since', ['11=a', '12=b', '13'], 12, 11],
  ['that of the creation, if another writer has created the key again', ['11=a', '13', '14=c'], 12, 11],
  ['that of the creation, if another writer has created and changed the key again', ['11=a', '13', '14=c', '15=d'], 12, 11],
  ['that of the creation, if the key was deleted up to the revision of the response', ['11=a', '12'], 14, 11],
  [
    'that of the creation, if another writer has created the key again up to the revision of the response',
    ['11=a', '12', '13=c', '15=d'],
    15,
    11,
  ],
  ['unknown, if the creation is too far back', ['1=a', '2'], 19, undefined],
  ['unknown, if the creation is compacted', ['11=a', '13=b'], 12, undefined, 13],
  ['that of the creation, if the store does not have the revision of the response yet', ['11=a', '13'], 21, 11],
  ['unknown, if no state up to the first shows it', ['2=c', '3'], 4, undefined],
]

describe('creationRevision', () => {
  for (const [name, history, responded, revision, compacted = 0] of cases)
    it(`is ${name}`, async () => {
      const changes = history.map(text => {
        const [at, value] = text.split('=')
        return { at: Number(at) as Revision, value: value === undefined ? undefined : Buffer.from(value) }
      })
      const found = await creationRevision(Buffer.from('a'), responded as Revision, async (at = NEWEST as Revision) => {
        if (at < compacted) throw new BackendError('compacted', 'it is compacted')
        if (at === 0) throw new Error('0 is not a revision')
        if (at > NEWEST) throw new BackendError('future', 'it is a future revision')
        const until = changes.filter(change => change.at <= at)
        const last = until.at(-1)
        if (!last?.value) return { item: undefined, revision: NEWEST as Revision }
        const created = until[until.findLastIndex(change => !change.value) + 1]?.at ?? last.at
        return { item: { key: 'k' as Key, value: last.value, createRevision: created, modRevision: last.at }, revision: NEWEST as Revision }
      })
      expect(found).to.equal(revision)
    })

  it('passes on failures of a read', async () => {
    const failure = new BackendError('timeout', 'no response')
    const error = await creationRevision(Buffer.from('a'), 12 as Revision, () => Promise.reject(failure)).catch(error => error)
    expect(error).to.equal(failure)
  })
})
