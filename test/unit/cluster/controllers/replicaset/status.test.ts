import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { countPods } from '../../../../../src/cluster/controllers/replicaset/status.ts'
import { formatTime } from '../../../../../src/meta/time.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

const podWith = (labels?: Record<string, string>): Pod => ({ metadata: labels ? { labels } : {}, status: {} }) as unknown as Pod

/** @param readyFor seconds. */
const readyPod = (readyFor: number): Pod => {
  const since = formatTime(NOW - readyFor * 1000)
  return { metadata: {}, status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] } } as unknown as Pod
}

const counted = (pods: readonly Pod[], labels: Record<string, string>, minReadySeconds = 0) =>
  countedSteps(countPods(pods, { labels, minReadySeconds, now: NOW }))

describe('the pods of a set', () => {
  it('are counted with all labels of the template', () => {
    const pods = [podWith({ a: '1', b: '2', c: '3' }), podWith({ a: '1', b: '3' }), podWith({ a: '1' }), podWith()]
    expect(counted(pods, { a: '1', b: '2' }).result).to.deep.equal({ active: 4, fullyLabeled: 1, ready: 0, available: 0 })
    expect(counted(pods, {}).result.fullyLabeled).to.equal(4)
  })

  it('are counted as available when they have been ready for long enough', () => {
    const pods = [readyPod(30), readyPod(5), podWith()]
    expect(counted(pods, {}, 10).result).to.deep.include({ ready: 2, available: 1 })
    expect(counted(pods, {}).result).to.deep.include({ ready: 2, available: 2 })
  })

  it('are counted in steps if there are many', () => {
    const pods = Array.from({ length: 10_000 }, () => readyPod(1))
    const { result, yields } = counted(pods, {})
    expect(result.available).to.equal(10_000)
    expect(yields).to.be.at.least(Math.floor(10_000 / 512))
  })

  it('are counted in steps if the labels are many', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const { result, yields } = counted([podWith(labels), podWith({ ...labels, k19999: 'w' })], labels)
    expect(result.fullyLabeled).to.equal(1)
    expect(yields).to.be.at.least(2 * Math.floor(20_000 / 512))
  })
})
