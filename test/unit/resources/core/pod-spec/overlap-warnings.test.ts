import { expect } from 'chai'
import type { Volume } from '../../../../../src/api/core/v1.types.ts'
import { overlapWarnings } from '../../../../../src/resources/core/pod-spec/overlap-warnings.ts'

describe('warnings of paths in a volume that are all equal', () => {
  it('are no more than a response has room for, several times over', () => {
    const items = Array.from({ length: 200 }, () => ({ key: 'k', path: 'x'.repeat(4096), mode: 0 }))
    const warnings = overlapWarnings([{ name: 'v', secret: { secretName: 's', items } } as Volume], '1.33')
    expect(warnings.join('').length).to.be.within(4096, 4 << 20)
  })
})
