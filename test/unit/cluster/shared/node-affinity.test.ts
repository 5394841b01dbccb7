import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { matchesRequiredAffinity } from '../../../../src/cluster/shared/node-affinity.ts'

describe('the node selector of a pod', () => {
  it('is listed once for all nodes if it is wide', () => {
    let lists = 0
    const members = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v']))
    const nodeSelector = new Proxy(members, {
      ownKeys: target => {
        lists++
        return Reflect.ownKeys(target)
      },
    })
    const matches = (labels: Record<string, string>): boolean =>
      matchesRequiredAffinity({ spec: { nodeSelector } as unknown as Pod['spec'] }, { metadata: { labels } })
    expect([matches({}), matches({ k0: 'v' }), matches(members), lists]).to.deep.equal([false, false, true, 1])
  })
})
