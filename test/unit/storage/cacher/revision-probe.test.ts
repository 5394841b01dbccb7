import { expect } from 'chai'
import type { Backend } from '../../../../src/storage/backend.ts'
import { RevisionProbe } from '../../../../src/storage/cacher/revision-probe.ts'
import type { Revision } from '../../../../src/storage/revision.ts'

/** A store whose responses the test resolves. */
function byHand() {
  const asked: { resolve(revision: number): void; reject(error: Error): void }[] = []
  const currentRevision = () =>
    new Promise<Revision>((resolve, reject) => asked.push({ resolve: revision => resolve(revision as Revision), reject }))
  return { asked, probe: new RevisionProbe({ currentRevision } as unknown as Backend, new AbortController().signal) }
}

describe('RevisionProbe', () => {
  it('shares the next probe among all callers that arrive during one', async () => {
    const { asked, probe } = byHand()
    const first = probe.revision()
    const others = [probe.revision(), probe.revision(), probe.revision()]
    expect(asked.length).to.equal(1)
    asked[0]?.resolve(4)
    expect(await first).to.equal(4)
    await Promise.resolve()
    expect(asked.length).to.equal(2)
    asked[1]?.resolve(7)
    expect(await Promise.all(others)).to.deep.equal([7, 7, 7])
  })

  it('fails callers that wait when the probe in flight fails, and starts a new one afterwards', async () => {
    const { asked, probe } = byHand()
    const waiting = [probe.revision(), probe.revision()]
    asked[0]?.reject(new Error('away'))
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(asked.length).to.equal(1)
    const later = probe.revision()
    asked[1]?.resolve(9)
    expect(await later).to.equal(9)
  })
})
