import { expect } from 'chai'
import type { Release } from '../../../../src/lifecycle/release.ts'
import type { AuditRecord } from '../../../../src/meta/audit.ts'
import { annotationsOf } from '../../../support/audit-record.ts'
import { PolicyWorld } from '../../../support/policy-world.ts'

describe('audit annotations of validating policies', () => {
  /** Annotations of the creation of a config map. */
  async function annotations(spec: object, binding: object = {}, release?: Release): Promise<Record<string, string>> {
    const world = new PolicyWorld(undefined, [], release)
    await world.policy('p.example.com', spec, binding)
    const { record, annotations: found } = annotationsOf()
    await world.configMap('a', {}, { ctx: { ...world.context(), audit: record satisfies AuditRecord } })
    return found
  }

  it('record the first failed validation if a binding has the action Audit', async () => {
    const validations = [{ expression: 'true' }, { expression: 'false', message: 'no' }, { expression: 'false', message: 'never' }]
    expect(await annotations({ validations }, { validationActions: ['Audit', 'Warn'] })).to.deep.equal({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"no","policy":"p.example.com","binding":"p.example.com","expressionIndex":1,"validationActions":["Audit","Warn"]}]',
    })
  })
  it('record all failed validations since 1.37, up to 50', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `m${i}`)
    const messages = async (release: Release): Promise<string[]> => {
      const validations = names.map(message => ({ expression: 'false', message }))
      const found = await annotations({ validations }, { validationActions: ['Audit'] }, release)
      return (JSON.parse(Object.values(found)[0] ?? '') as { message: string }[]).map(({ message }) => message)
    }
    expect(await messages('1.36')).to.deep.equal(['m0'])
    expect(await messages('1.37')).to.deep.equal(names.slice(0, 50))
  })
  it('encode the failure as Go does', async () => {
    const found = await annotations({ validations: [{ expression: 'false', message: 'a < b & c' }] }, { validationActions: ['Audit'] })
    expect(Object.values(found)[0]).to.contain('"message":"a \\u003c b \\u0026 c"')
  })
  it("include the policy's auditAnnotations", async () => {
    const auditAnnotations = [
      { key: 'name', valueExpression: "'is ' + object.metadata.name" },
      { key: 'none', valueExpression: 'null' },
      {
        key: 'long',
        valueExpression:
          "'xxxxxxxxxx'.replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy').replace('y', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz')",
      },
    ]
    const found = await annotations({ auditAnnotations })
    expect(found['p.example.com/name']).to.equal('is a')
    expect(found['p.example.com/long']).to.have.length(10_240)
    expect(Object.keys(found).sort()).to.deep.equal(['p.example.com/long', 'p.example.com/name'])
  })
})
