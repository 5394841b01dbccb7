import { expect } from 'chai'
import { createMutatingAdmissionPolicyResource } from '../../../../../src/resources/admissionregistration/mutating-admission-policy/definition.ts'
import { createMutatingAdmissionPolicyBindingResource } from '../../../../../src/resources/admissionregistration/mutating-admission-policy-binding/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const rule = { operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'] }
const apply = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }
const good = { matchConstraints: { resourceRules: [rule] }, mutations: [apply], reinvocationPolicy: 'Never' }
const of = (parts: object = {}): object => ({ spec: { ...good, ...parts } })
const change = (mutation: object): object => of({ mutations: [mutation] })
const patch = { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/" + jsonpatch.escapeKey("a/b")}]' } }

describe('MutatingAdmissionPolicy', () => {
  validates(createMutatingAdmissionPolicyResource(), {
    'a policy': [of({ mutations: [apply, patch], variables: [{ name: 'a', expression: '1' }] }), []],
    nothing: [{}, ['Required spec.matchConstraints', 'Required spec.mutations', 'Required spec.reinvocationPolicy']],
    'an unknown policy': [of({ reinvocationPolicy: 'Always' }), ['NotSupported spec.reinvocationPolicy']],
    'an unknown failure policy': [of({ failurePolicy: 'x' }), ['NotSupported spec.failurePolicy']],
    'a deletion': [
      of({ matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE', '*'] }] } }),
      ['Invalid spec.matchConstraints.resourceRules[0].operations', 'NotSupported spec.matchConstraints.resourceRules.operations'],
    ],
    'a bad variable and a bad condition': [
      of({ variables: [{ name: '1' }], matchConditions: [{ name: 'c' }] }),
      ['Required spec.matchConditions[0].expression', 'Invalid spec.variables[0].name', 'Required spec.variables[0].expression'],
    ],
    'no type': [change({}), ['Required spec.mutations[0].patchType']],
    'an unknown type': [change({ patchType: 'Merge' }), ['NotSupported spec.mutations[0].patchType']],
    'no patch': [change({ patchType: 'JSONPatch' }), ['Required spec.mutations[0].jsonPatch']],
    'a patch of another type': [change({ ...patch, jsonPatch: { expression: '[]' } }), ['Invalid spec.mutations[0].jsonPatch.expression']],
    'a patch without brackets': [change({ ...patch, jsonPatch: { expression: '[' } }), ['Invalid spec.mutations[0].jsonPatch.expression']],
    'an apply configuration of parts': [
      change({ ...apply, applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: object.spec.replicas + 1}}' } }),
      [],
    ],
    'an apply configuration of a map': [
      change({ ...apply, applyConfiguration: { expression: '{"spec": 1}' } }),
      ['Invalid spec.mutations[0].applyConfiguration.expression'],
    ],
    'a variable that is not there': [
      change({ ...apply, applyConfiguration: { expression: 'Object{spec: variables.a}' } }),
      ['Invalid spec.mutations[0].applyConfiguration.expression'],
    ],
    'an empty patch': [change({ ...patch, jsonPatch: {} }), ['Required spec.mutations[0].jsonPatch.expression']],
    'both patches': [change({ ...apply, jsonPatch: patch.jsonPatch }), ['Invalid spec.mutations[0].jsonPatch']],
  })

  it('defaults its constraints, increments the generation and prints', async () => {
    const cases = new KindCases(createMutatingAdmissionPolicyResource())
    const { metadata, spec } = await cases.create(of())
    expect([metadata.generation, spec.failurePolicy, spec.matchConstraints.matchPolicy]).to.deep.equal([1, 'Fail', 'Equivalent'])
    expect((await cases.update(of({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }))).metadata.generation).to.equal(2)
    expect(cases.cells()).to.deep.equal(['x', 1, 'v1/ConfigMap', '0s'])
  })

  it('does not revalidate unchanged conditions on update', async () => {
    const cases = new KindCases(createMutatingAdmissionPolicyResource())
    await cases.create(of())
    const stored = cases.server.objects.get('mutatingadmissionpolicies/x')
    Object.assign(stored?.spec, { matchConditions: [{ name: 'c', expression: '' }] })
    expect(await messagesOf(cases.update(of({ matchConditions: [{ name: 'c' }], failurePolicy: 'Ignore' })))).to.deep.equal([])
    expect(await messagesOf(cases.update(of({ matchConditions: [{ name: 'd' }] })))).to.deep.equal([
      'spec.matchConditions[0].expression: Required value',
    ])
  })
})

describe('MutatingAdmissionPolicyBinding', () => {
  validates(createMutatingAdmissionPolicyBindingResource(), {
    'a binding': [{ spec: { policyName: 'p', paramRef: { name: 'a' } } }, []],
    nothing: [{}, ['Required spec.policyName']],
    'a bad name and bad parameters': [{ spec: { policyName: 'a_b', paramRef: {} } }, ['Invalid spec.policyName', 'Required spec.paramRef']],
    'a deletion': [
      { spec: { policyName: 'p', matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } } },
      ['NotSupported spec.matchResources.resourceRules.operations'],
    ],
  })

  it('defaults parameterNotFoundAction to Deny, and prints its parameters', async () => {
    const cases = new KindCases(createMutatingAdmissionPolicyBindingResource())
    const { spec } = await cases.create({ spec: { policyName: 'p', paramRef: { name: 'a' }, matchResources: {} } })
    expect([spec.paramRef.parameterNotFoundAction, spec.matchResources.matchPolicy]).to.deep.equal(['Deny', 'Equivalent'])
    expect(cases.cells()).to.deep.equal(['x', 'p', '*/a', '0s'])
  })
})
