import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { countWithLabels } from '../../../../../src/cluster/controllers/replicaset/status.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const podWith = (labels?: Record<string, string>): Pod => ({ metadata: labels ? { labels } : {} }) as unknown as Pod

describe('the pods of a set with the labels of its template', () => {
  it('have all of them', () => {
    const pods = [podWith({ a: '1', b: '2', c: '3' }), podWith({ a: '1', b: '3' }), podWith({ a: '1' }), podWith()]
    expect(countedSteps(countWithLabels(pods, { a: '1', b: '2' })).result).to.equal(1)
    expect(countedSteps(countWithLabels(pods, {})).result).to.equal(4)
  })

  it('are counted in steps if the labels are many', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const { result, yields } = countedSteps(countWithLabels([podWith(labels), podWith({ ...labels, k19999: 'w' })], labels))
    expect(result).to.equal(1)
    expect(yields).to.be.at.least(2 * Math.floor(20_000 / 512))
  })
})
