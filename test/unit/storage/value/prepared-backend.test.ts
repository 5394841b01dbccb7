import { expect } from 'chai'
import type { RangePage, RangeQuery } from '../../../../src/storage/backend.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import { preparedBackend } from '../../../../src/storage/value/prepared-backend.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'

const { signal } = new AbortController()

describe('storage/value/prepared-backend', () => {
  it('returns the items of a range when all are prepared, and visits none before', async () => {
    const steps: string[] = []
    class Visiting extends MemoryBackend {
      override async range(query: RangeQuery): Promise<RangePage> {
        const item = { key: key('/registry/pods/a'), value: Buffer.from('stored'), createRevision: revision(2), modRevision: revision(2) }
        query.visit?.(item)
        return { items: query.visit ? [] : [item], revision: revision(2), more: false }
      }
    }
    const backend = preparedBackend(new Visiting(), async stored => void steps.push(`prepared ${stored}`))
    const { items } = await backend.range(
      { start: key('/a'), end: key('/z'), visit: ({ value }) => steps.push(`visited ${value}`) },
      signal,
    )
    expect([...steps, ...items.map(item => item.key)]).to.deep.equal(['prepared stored', '/registry/pods/a'])
  })
})
