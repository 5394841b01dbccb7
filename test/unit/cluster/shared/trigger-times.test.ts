import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { TriggerTimes } from '../../../../src/cluster/shared/trigger-times.ts'
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
    expect(times.next(serviceOf(), [pod('a', 20)])).to.equal(CREATED)
    expect(times.next(serviceOf(), [pod('a', 20)])).to.equal(undefined)
    expect(times.next(serviceOf(), [pod('a', 40), pod('b', 30)])).to.equal(CREATED + 30_000)
    expect(times.next(serviceOf(), [pod('a', 40), pod('b', 30)])).to.equal(undefined)
    times.forget('default/web')
    expect(times.next(serviceOf(), [pod('a', 50)])).to.equal(CREATED)
  })
})
