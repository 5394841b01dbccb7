import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { LONGEST, testPlan } from '../../../hack/support/test-plan.ts'

const root = join(import.meta.dirname, '../../..')

describe('hack/test-plan', () => {
  it('assigns each file once: the longest first, then those that start servers, and those that measure alone', () => {
    const files = [
      'test/unit/apply/apply.test.ts',
      'test/integration/hostile-clients.test.ts',
      'test/integration/rbac.test.ts',
      'test/integration/slow-clients.test.ts',
      'test/unit/storage/etcd/faults.test.ts',
      'test/e2e/kubectl.test.ts',
    ]
    expect(testPlan(files)).to.deep.equal({
      together: ['test/e2e/kubectl.test.ts', 'test/unit/storage/etcd/faults.test.ts', 'test/integration/rbac.test.ts', 'test/unit/apply/apply.test.ts'],
      alone: ['test/integration/hostile-clients.test.ts', 'test/integration/slow-clients.test.ts'],
    })
  })

  it('names existing files only', () => {
    for (const file of LONGEST) expect(existsSync(join(root, file)), file).to.equal(true)
    const integration = readdirSync(join(root, 'test/integration')).map(name => `test/integration/${name}`)
    expect(testPlan(integration).alone).to.have.members(['hostile', 'slow'].map(word => `test/integration/${word}-clients.test.ts`))
  })
})
