import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { createValidatingAdmissionPolicyBindingResource } from '../../../../../src/resources/admissionregistration/validating-admission-policy-binding/definition.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const of = (parts: object = {}): object => ({ spec: { policyName: 'p', validationActions: ['Deny'], ...parts } })
const param = (parts: object): object => of({ paramRef: { parameterNotFoundAction: 'Deny', ...parts } })
const selector = { matchLabels: { b: 'c', a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['v', 'w'] }] }

describe('ValidatingAdmissionPolicyBinding', () => {
  it('has no validationActions in 1.26, where every violation rejects the request', async () => {
    const cases = new KindCases(createValidatingAdmissionPolicyBindingResource())
    cases.server.features = parseGates('1.26')
    expect(await causesOf(cases.create({ spec: { policyName: 'p', paramRef: { name: 'a' } } }))).to.deep.equal([])
  })

  validates(createValidatingAdmissionPolicyBindingResource(), {
    'a binding': [of(), []],
    nothing: [{}, ['Required spec.policyName', 'Required spec.validationActions']],
    'a bad name': [of({ policyName: 'a_b' }), ['Invalid spec.policyName']],
    'an unknown action': [of({ validationActions: ['x'] }), ['NotSupported spec.validationActions[0]']],
    'an action twice': [of({ validationActions: ['Audit', 'Audit'] }), ['Duplicate spec.validationActions[1]']],
    'deny and warn': [of({ validationActions: ['Deny', 'Warn'] }), ['Invalid spec.validationActions']],
    'a parameter': [param({ name: 'a', namespace: 'ns' }), []],
    'neither name nor selector': [param({}), ['Required spec.paramRef']],
    'name and selector': [param({ name: 'a', selector: {} }), ['Forbidden spec.paramRef.name', 'Forbidden spec.paramRef.selector']],
    'a bad name of parameters': [param({ name: 'a/b' }), ['Invalid spec.paramRef.name']],
    'no action for missing parameters': [of({ paramRef: { name: 'a' } }), ['Required spec.paramRef.parameterNotFoundAction']],
    'an unknown action for missing parameters': [
      param({ name: 'a', parameterNotFoundAction: 'Wait' }),
      ['NotSupported spec.paramRef.parameterNotFoundAction'],
    ],
    'a bad rule': [
      of({ matchResources: { resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'] }] } }),
      ['Required spec.matchResources.resourceRules[0].resources'],
    ],
  })

  const cells: Record<string, [paramRef: object | undefined, cell: string]> = {
    none: [undefined, '<unset>'],
    'a name': [{ name: 'a' }, '*/a'],
    'a name in a namespace': [{ name: 'a', namespace: 'ns' }, 'ns/a'],
    'a selector': [
      { selector },
      '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},},}',
    ],
  }
  for (const [what, [paramRef, cell]] of Object.entries(cells))
    it(`prints parameters: ${what}`, async () => {
      const cases = new KindCases(createValidatingAdmissionPolicyBindingResource())
      await cases.create(paramRef ? param(paramRef) : of())
      expect(cases.cells()).to.deep.equal(['x', 'p', cell, '0s'])
    })

  it('defaults matchResources only if it is set', async () => {
    const cases = new KindCases(createValidatingAdmissionPolicyBindingResource())
    const { metadata, spec } = await cases.create(of())
    expect([metadata.generation, spec.matchResources]).to.deep.equal([1, undefined])
    const next = await cases.update(of({ matchResources: {} }))
    expect([next.metadata.generation, next.spec.matchResources]).to.deep.equal([
      2,
      { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    ])
  })
})
