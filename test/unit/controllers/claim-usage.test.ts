import { expect } from 'chai'
import { UsedClaims, usageCondition } from '../../../src/controllers/claim-usage.ts'
import { podOf } from '../../support/scheduling.ts'

describe('claims that pods use', () => {
  const pod = (name: string, claims: readonly string[], phase = 'Pending') =>
    podOf({
      name,
      status: { phase } as object,
      spec: { volumes: claims.map(claimName => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
    })

  it('change with the first and the last pod that has not ended', () => {
    const changed: string[] = []
    const used = new UsedClaims(
      claim => changed.push(claim),
      () => changed.push('synced'),
    )
    used.put(pod('p', ['a', 'b']))
    used.put(pod('q', ['a']))
    used.synced()
    expect(changed.splice(0)).to.deep.equal(['default/a', 'default/b', 'synced'])
    used.put(pod('p', ['a', 'b'], 'Succeeded'))
    expect(changed.splice(0)).to.deep.equal(['default/b'])
    expect([used.isUsed('default/a'), used.isUsed('default/b')]).to.deep.equal([true, false])
    used.remove('default', 'q')
    expect(changed).to.deep.equal(['default/a'])
    expect([...used.keys()]).to.deep.equal([])
  })

  it('include those of ephemeral volumes', () => {
    const used = new UsedClaims(
      () => {},
      () => {},
    )
    used.put(podOf({ name: 'p', spec: { volumes: [{ name: 'e', ephemeral: {} }] } }))
    expect(used.isUsed('default/p-e')).to.equal(true)
  })

  it('have a condition with the time of the change', () => {
    expect(usageCondition(false, 0)).to.deep.equal({
      type: 'Unused',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '1970-01-01T00:00:00Z',
      reason: 'NoPodsUsingPVC',
      message: 'No pods are currently referencing this PVC',
    })
    expect(usageCondition(true, 0)).to.include({
      status: 'False',
      reason: 'PodUsingPVC',
      message: 'A pod is currently referencing this PVC',
    })
  })
})
