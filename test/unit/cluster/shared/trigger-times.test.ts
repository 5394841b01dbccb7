import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { TriggerTimes } from '../../../../src/cluster/shared/trigger-times.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { podOf } from '../../../support/scheduling.ts'
import { serviceOf } from '../../../support/slices.ts'

const CREATED = Date.parse('2030-01-01T00:00:00Z')

const pod = (name: string, second: number): Pod => {
  const condition: unknown = { type: 'Ready', status: 'True', lastTransitionTime: `2030-01-01T00:00:${second}Z` }
  return podOf({ name, status: { conditions: [condition as NonNullable<Pod['status']['conditions']>[number]] } })
}

describe('trigger times of endpoints', () => {
  it('are that of the service at first, then the earliest change of a pod', () => {
    const times = new TriggerTimes()
    const next = (...[service, pods]: Parameters<TriggerTimes['next']>) => runAtOnce(times.next(service, pods))
    expect(next(serviceOf(), [pod('a', 20)])).to.equal(CREATED)
    expect(next(serviceOf(), [pod('a', 20)])).to.equal(undefined)
    expect(next(serviceOf(), [pod('a', 40), pod('b', 30)])).to.equal(CREATED + 30_000)
    expect(next(serviceOf(), [pod('a', 40), pod('b', 30)])).to.equal(undefined)
    times.forget('default/web')
    expect(next(serviceOf(), [pod('a', 50)])).to.equal(CREATED)
  })

  it('are looked for in steps', () => {
    const times = new TriggerTimes()
    const pods = Array.from({ length: 5000 }, (_, i) => pod(`p${i}`, 10 + (i % 50)))
    for (const expected of [CREATED, undefined]) {
      const { result, yields } = countedSteps(times.next(serviceOf(), pods))
      expect(result).to.equal(expected)
      expect(yields).to.be.at.least(Math.floor(5000 / 512))
    }
    expect(times.pauseOf('default/web')).to.equal(150)
    expect(times.pauseOf('default/other')).to.equal(0)
  })
})
