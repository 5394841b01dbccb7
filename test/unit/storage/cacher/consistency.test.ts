import { expect } from 'chai'
import { KeyDigest, nextComparisonMs } from '../../../../src/storage/cacher/consistency.ts'
import { key, revision } from '../../../../src/storage/revision.ts'

type Entry = readonly [name: string, at: number]

const digestOf = (entries: readonly Entry[]): string => {
  const digest = new KeyDigest()
  for (const [name, at] of entries) digest.add(key(name), revision(at))
  return digest.text
}

describe('storage/cacher/consistency', () => {
  const entries: Entry[] = [
    ['/registry/pods/default/a', 2],
    ['/registry/pods/default/b', 3],
    ['/registry/pods/default/é', 2 ** 40 + 1],
  ]

  it('has the same digest for the same keys and revisions in any order', () => {
    expect(digestOf([...entries].reverse())).to.equal(digestOf(entries))
  })

  const others: Record<string, Entry[]> = {
    nothing: [],
    'one less': entries.slice(1),
    'one twice': [...entries, entries[0]!],
    'another revision': [['/registry/pods/default/a', 4], ...entries.slice(1)],
    'another high part of a revision': [...entries.slice(0, 2), ['/registry/pods/default/é', 2 ** 41 + 1]],
    'revisions exchanged': [['/registry/pods/default/a', 3], ['/registry/pods/default/b', 2], entries[2]!],
    'another key': [['/registry/pods/default/c', 2], ...entries.slice(1)],
  }
  for (const [what, changed] of Object.entries(others))
    it(`has another digest for ${what}`, () => {
      expect(digestOf(changed)).to.not.equal(digestOf(entries))
    })

  it('follows soon after one that failed, and ever later while they fail', () => {
    const delay = (failures: number) => nextComparisonMs(failures, { intervalMs: 300_000, recheckMs: 30_000 }) / 1000
    expect([0, 1, 2, 3, 4, 5, 2000].map(delay)).to.deep.equal([300, 30, 60, 120, 240, 300, 300])
    expect(nextComparisonMs(1, { intervalMs: 20, recheckMs: 30_000 })).to.equal(20)
  })

  it('has different digests for all revisions of a key', () => {
    const digests = new Set(Array.from({ length: 100_000 }, (_, at) => digestOf([['/registry/pods/default/a', at]])))
    expect(digests.size).to.equal(100_000)
  })
})
