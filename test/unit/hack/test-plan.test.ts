import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { LONGEST, testPlan } from '../../../hack/support/test-plan.ts'

const root = join(import.meta.dirname, '../../..')

describe('hack/test-plan', () => {
  it('assigns each file once: the longest first, then those that start servers', () => {
    const files = [
      'test/unit/apply/apply.test.ts',
      'test/e2e/rbac.test.ts',
      'test/unit/storage/etcd/faults.test.ts',
      'test/e2e/kubectl.test.ts',
    ]
    const planned = [
      'test/e2e/kubectl.test.ts',
      'test/unit/storage/etcd/faults.test.ts',
      'test/e2e/rbac.test.ts',
      'test/unit/apply/apply.test.ts',
    ]
    expect(testPlan(files)).to.deep.equal(planned)
  })

  it('names existing files only', () => {
    for (const file of LONGEST) expect(existsSync(join(root, file)), file).to.equal(true)
  })
})
