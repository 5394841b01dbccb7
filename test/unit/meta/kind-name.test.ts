import { expect } from 'chai'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { validateKindName } from '../../../src/meta/kind-name.ts'

describe('validateKindName', () => {
  for (const kind of ['Pod', 'PodList', 'x1', 'A-b'])
    it(`accepts ${kind}`, () => expect(validateKindName(kind, fieldPath('kind'))).to.deep.equal([]))
  for (const kind of ['1Pod', 'a.b', 'a_b', '-a', 'x'.repeat(64)])
    it(`rejects ${kind}`, () => {
      const errors = validateKindName(kind, fieldPath('kind'))
      expect(errors).to.have.length(1)
      expect(errors[0]).to.include({ reason: 'FieldValueInvalid' })
    })
})
