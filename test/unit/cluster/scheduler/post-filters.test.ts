import { expect } from 'chai'
import { PostFilters } from '../../../../src/cluster/scheduler/post-filters.ts'
import { infoOf, nodeOf, snapshotOf } from '../../../support/scheduling.ts'

describe('help for a pod that fits on no node', () => {
  it('ends the nomination of the pod if its profile does not preempt pods', async () => {
    const ended: string[] = []
    const parts = { endNomination: ({ metadata }: { metadata: { name: string } }) => ended.push(metadata.name) }
    const filters = new PostFilters(parts as unknown as ConstructorParameters<typeof PostFilters>[0])
    const info = infoOf({ name: 'p', status: { nominatedNodeName: 'n' } })
    const infeasible = { nodeCount: 1, preFilterReason: 'full', statuses: new Map(), plugins: new Set<string>() }
    const profile = { schedulerName: 's', plugins: [], percentageOfNodesToScore: 0 }
    const filtered = { infeasible, filters: [], postFilters: [] }
    expect(await filters.help(info, snapshotOf([nodeOf('n')]), filtered, profile, () => true)).to.deep.equal({
      reason: 'Unschedulable',
      message: '0/1 nodes are available: full.',
      nominatedNode: '',
    })
    expect(ended).to.deep.equal(['p'])
  })
})
