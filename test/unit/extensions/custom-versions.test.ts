import { expect } from 'chai'
import { kindIdInSteps } from '../../../src/extensions/custom-versions.ts'
import { unstructuredForm } from '../../../src/schema/json-schema/unstructured-form.ts'
import { countedSteps } from '../../support/counted-steps.ts'

describe('the id of a custom kind', () => {
  it('is made in steps for a schema of very many properties, and is that of its form', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: 'string', description: '<ü', minimum: i / 2 }]),
    )
    const kind = { group: 'e.io', kind: 'W', preserveUnknown: false, schemas: new Map([['v1', { type: 'object', properties }]]) }
    const { result, yields } = countedSteps(kindIdInSteps(kind))
    expect(yields).to.be.at.least(10)
    expect(result).to.equal(unstructuredForm(kind, 'v1').id)
    expect(unstructuredForm({ ...kind, id: 'known' }, 'v1').id).to.equal('known')
  })
})
