import { expect } from 'chai'
import type { ResourceQuota } from '../../../../src/api/core/v1.types.ts'
import { quotaChange } from '../../../../src/controllers/resource-quota/quota-change.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const COUNT = 5120
const SMALL = { pods: '1' }
const wide = (amount: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`count/x${i}.example.com`, amount]))

const quota = (hard: Record<string, string>, status: ResourceQuota['status'] = {}, uid = 'u'): ResourceQuota => ({
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name: 'q', namespace: 'n', uid },
  spec: { hard },
  status,
})

describe('the change of a quota', () => {
  const CHANGED = { isChanged: true, isCounted: false }
  const UNCOUNTED = { isChanged: false, isCounted: false }
  const COUNTED = { isChanged: false, isCounted: true }
  const status = { hard: { pods: '1' }, used: { pods: '0' } }
  const cases: Record<string, [before: ResourceQuota | undefined, next: ResourceQuota, expected: object]> = {
    'is a new quota': [undefined, quota(SMALL, status), CHANGED],
    'is a quota that was created again': [quota(SMALL, status), quota(SMALL, status, 'v'), CHANGED],
    'is another limit': [quota(SMALL, status), quota({ pods: '2' }, status), CHANGED],
    'leaves the usage to be counted': [quota(SMALL), quota({ pods: '1' }), UNCOUNTED],
    'leaves the usage to be counted for other limits': [quota(SMALL), quota(SMALL, { ...status, hard: { pods: '2' } }), UNCOUNTED],
    'is the usage': [quota(SMALL), quota({ pods: '1' }, status), COUNTED],
  }
  for (const [what, [before, next, expected]] of Object.entries(cases))
    it(what, () => expect(countedSteps(quotaChange(before, next))).to.deep.equal({ result: expected, yields: 0 }))

  it('is found in steps if there are many limits', () => {
    const { result, yields } = countedSteps(quotaChange(quota(wide('1')), quota(wide('1'), { hard: wide('1'), used: {} })))
    expect(result).to.deep.equal(COUNTED)
    expect(yields).to.be.at.least((2 * COUNT) / 512 - 1)
    expect(countedSteps(quotaChange(quota(wide('1')), quota(wide('2')))).result).to.deep.equal(CHANGED)
  })
})
