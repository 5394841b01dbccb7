import { expect } from 'chai'
import type { ResourceQuota } from '../../../../src/api/core/v1.types.ts'
import { GRACE_MS, Raises } from '../../../../src/controllers/resource-quota/raises.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { resourceListOf } from '../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const quota = (resourceVersion: number, pods: number): ResourceQuota =>
  ({
    metadata: { namespace: 'ns', name: 'q', resourceVersion: `${resourceVersion}` },
    spec: {},
    status: { used: { pods: `${pods}` } },
  }) as unknown as ResourceQuota

describe('Raises', () => {
  it('returns all usage when a quota is first observed', () => {
    const raises = new Raises(() => false)
    runAtOnce(raises.observe(quota(1, 3), 0))
    expect(resourceListOf(runAtOnce(raises.of(quota(1, 3), 0)))).to.deep.equal({ pods: '3' })
    expect(resourceListOf(runAtOnce(raises.of(quota(1, 3), GRACE_MS)))).to.deep.equal({})
  })

  it('returns increases within the grace period, except those of this server', () => {
    const raises = new Raises(revision => revision === 3)
    runAtOnce(raises.observe(quota(1, 3), 0))
    runAtOnce(raises.observe(quota(2, 5), 6000))
    runAtOnce(raises.observe(quota(3, 9), 7000))
    runAtOnce(raises.observe(quota(4, 1), 8000))
    runAtOnce(raises.observe(quota(5, 2), 9000))
    expect(resourceListOf(runAtOnce(raises.of(quota(5, 2), 12_000)))).to.deep.equal({ pods: '3' })
  })

  it('adds up very many amounts in steps, and states that are recorded meanwhile', () => {
    const wide = (resourceVersion: number, amount: string): ResourceQuota => ({
      ...quota(resourceVersion, 1),
      status: { used: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`count/k${i}.x`, amount])) },
    })
    const steps = Math.floor(10_000 / 512)
    const raises = new Raises(() => false)
    expect(countedSteps(raises.observe(wide(1, '1'), 0)).yields).to.be.at.least(2 * steps)
    const recording = raises.observe(wide(2, '2'), 0)
    recording.next()
    runAtOnce(raises.observe(wide(3, '4'), 0))
    runAtOnce(recording)
    const { result, yields } = countedSteps(raises.of(wide(3, '4'), 0))
    expect(yields).to.be.at.least(2 * steps)
    expect(result.get('count/k7.x')?.canonical).to.equal('4')
  })

  it('accepts states in any order, once each', () => {
    const raises = new Raises(() => false)
    runAtOnce(raises.observe(quota(5, 2), 0))
    runAtOnce(raises.observe(quota(4, 1), 0))
    runAtOnce(raises.observe(quota(5, 2), 0))
    expect(resourceListOf(runAtOnce(raises.of(quota(5, 2), 0)))).to.deep.equal({ pods: '2' })
  })

  it('drops old increases even if never read', () => {
    const asked: number[] = []
    const raises = new Raises(revision => asked.push(revision) === 0)
    for (let i = 1; i <= 1000; i++) runAtOnce(raises.observe(quota(i, i), i * 100))
    runAtOnce(raises.of(quota(1000, 1000), 0))
    expect(asked).to.have.length(GRACE_MS / 100)
  })

  it('is cleared with the quota', () => {
    const raises = new Raises(() => false)
    runAtOnce(raises.observe(quota(5, 2), 0))
    raises.forget('ns', 'q')
    expect(resourceListOf(runAtOnce(raises.of(quota(5, 2), 0)))).to.deep.equal({})
  })
})
