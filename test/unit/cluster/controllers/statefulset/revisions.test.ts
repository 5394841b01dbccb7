import { expect } from 'chai'
import type { ControllerRevision } from '../../../../../src/api/apps/v1.types.ts'
import { surplusRevisions } from '../../../../../src/cluster/controllers/statefulset/revisions.ts'
import { podOf, statefulSet } from './sets.ts'

const revisions = [1, 2, 3, 4, 5].map(
  (revision): ControllerRevision => ({
    kind: 'ControllerRevision',
    apiVersion: 'apps/v1',
    metadata: { name: `web-${revision}` },
    data: null,
    revision,
  }),
)

describe('history of a stateful set', () => {
  const surplus = (revisionHistoryLimit: number | undefined, live: readonly string[] = ['web-5']): (string | undefined)[] => {
    const set = statefulSet(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit })
    return surplusRevisions(set, revisions, [podOf(0, { revision: 'web-2' })], live).map(({ metadata }) => metadata.name)
  }

  it('loses the oldest revisions that no pod has', () => {
    expect(surplus(1)).to.deep.equal(['web-1', 'web-3'])
    expect(surplus(0)).to.deep.equal(['web-1', 'web-3', 'web-4'])
  })

  it('is kept up to the limit, and without one', () => {
    expect(surplus(3)).to.deep.equal([])
    expect(surplus(undefined)).to.deep.equal([])
  })
})
