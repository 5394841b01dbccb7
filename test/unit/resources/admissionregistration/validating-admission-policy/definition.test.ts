import { expect } from 'chai'
import { createValidatingAdmissionPolicyResource } from '../../../../../src/resources/admissionregistration/validating-admission-policy/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const rule = { operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'] }
const good = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'object.x < 1' }] }
const of = (parts: object = {}): object => ({ spec: { ...good, ...parts } })
const validation = (parts: object): object => of({ validations: [{ expression: 'true', ...parts }] })
const param = (apiVersion: string, kind = 'Rule'): object => of({ paramKind: { apiVersion, kind } })
const audit = (...auditAnnotations: object[]): object => of({ validations: [], auditAnnotations })

describe('ValidatingAdmissionPolicy', () => {
  validates(createValidatingAdmissionPolicyResource(), {
    'a policy': [of(), []],
    nothing: [{}, ['Required spec.matchConstraints', 'Required spec.validations', 'Required spec.auditAnnotations']],
    'an unknown failure policy': [of({ failurePolicy: 'x' }), ['NotSupported spec.failurePolicy']],
    'no rules': [of({ matchConstraints: {} }), ['Required spec.matchConstraints.resourceRules']],
    'an unknown match policy': [
      of({ matchConstraints: { matchPolicy: 'x', resourceRules: [rule] } }),
      ['NotSupported spec.matchConstraints.matchPolicy'],
    ],
    'names of objects': [
      of({ matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['a', 'a', '%'] }] } }),
      [
        'Duplicate spec.matchConstraints.resourceRules[0].resourceNames[1]',
        'Invalid spec.matchConstraints.resourceRules[0].resourceNames[2]',
      ],
    ],
    'an excluded rule without operations': [
      of({ matchConstraints: { resourceRules: [rule], excludeResourceRules: [{ ...rule, operations: [] }] } }),
      ['Required spec.matchConstraints.excludeResourceRules[0].operations'],
    ],
    'a bad selector': [
      of({ matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { a: '?' } } } }),
      ['Invalid spec.matchConstraints.objectSelector.matchLabels'],
    ],
    'a core kind for parameters': [param('v1', 'ConfigMap'), []],
    'a kind for parameters': [param('rules.example.com/v1'), []],
    'no kind for parameters': [of({ paramKind: {} }), ['Required spec.paramKind.apiVersion', 'Required spec.paramKind.kind']],
    'three parts of an apiVersion': [param('a/b/c'), ['Invalid spec.paramKind.apiVersion']],
    'an apiVersion without version': [param('a/'), ['Invalid spec.paramKind.apiVersion']],
    'a bad group and version': [param('a_b/1'), ['Invalid spec.paramKind.apiVersion', 'Invalid spec.paramKind.apiVersion']],
    'a bad kind': [param('v1', 'a.b'), ['Invalid spec.paramKind.kind']],
    'a condition without name': [of({ matchConditions: [{ expression: 'true' }] }), ['Required spec.matchConditions[0].name']],
    variables: [of({ variables: [{ name: 'a1', expression: '1' }] }), []],
    'a variable without anything': [of({ variables: [{}] }), ['Required spec.variables[0].name', 'Required spec.variables[0].expression']],
    'a reserved name': [of({ variables: [{ name: 'in', expression: '1' }] }), ['Invalid spec.variables[0].name']],
    'no expression': [validation({ expression: ' ' }), ['Required spec.validations[0].expression']],
    'blank messages': [
      validation({ message: ' ', messageExpression: ' ' }),
      ['Invalid spec.validations[0].messageExpression', 'Invalid spec.validations[0].message'],
    ],
    'a line break': [validation({ message: 'a\nb' }), ['Invalid spec.validations[0].message']],
    'a line break at the end': [validation({ message: 'a\n' }), []],
    'an unknown reason': [validation({ reason: 'Other' }), ['NotSupported spec.validations[0].reason']],
    'an expression that does not parse': [validation({ expression: 'object.x in [1, 2,' }), ['Invalid spec.validations[0].expression']],
    'an expression that gives no bool': [validation({ expression: '1 + 1' }), ['Invalid spec.validations[0].expression']],
    'parameters without a kind of them': [validation({ expression: 'params.x == 1' }), ['Invalid spec.validations[0].expression']],
    'a message that is not a string': [validation({ messageExpression: '1 + 1' }), ['Invalid spec.validations[0].messageExpression']],
    'an authorizer in a message': [
      validation({ messageExpression: "authorizer.path('/').check('get').reason()" }),
      ['Invalid spec.validations[0].messageExpression'],
    ],
    'a condition that gives a string': [
      of({ matchConditions: [{ name: 'c', expression: "'a'" }] }),
      ['Invalid spec.matchConditions[0].expression'],
    ],
    'an annotation of a number': [audit({ key: 'a', valueExpression: '1' }), ['Invalid spec.auditAnnotations[0].valueExpression']],
    'a variable of a variable before': [
      of({
        variables: [
          { name: 'a', expression: '[1]' },
          { name: 'b', expression: 'variables.a.size()' },
        ],
        validations: [{ expression: 'variables.b > 1' }],
      }),
      [],
    ],
    'a variable of one behind': [
      of({
        variables: [
          { name: 'a', expression: 'variables.b' },
          { name: 'b', expression: '1' },
        ],
      }),
      ['Invalid spec.variables[0].expression'],
    ],
    'a variable of another type': [
      of({ variables: [{ name: 'a', expression: '1' }], validations: [{ expression: "variables.a == 'b'" }] }),
      ['Invalid spec.validations[0].expression'],
    ],
    'variables in a condition': [
      of({ variables: [{ name: 'a', expression: '1' }], matchConditions: [{ name: 'c', expression: 'variables.a == 1' }] }),
      ['Invalid spec.matchConditions[0].expression'],
    ],
    'audit annotations alone': [audit({ key: 'a', valueExpression: "'b'" }), []],
    'a bad key and no value': [
      audit({ key: '?' }),
      ['Invalid spec.auditAnnotations[0].key', 'Required spec.auditAnnotations[0].valueExpression'],
    ],
    'a key twice': [
      audit({ key: 'a', valueExpression: 'null' }, { key: 'a', valueExpression: "'1'" }),
      ['Duplicate spec.auditAnnotations[1].key'],
    ],
    'a value of 5 KiB': [audit({ key: 'a', valueExpression: `'${'x'.repeat(5118)}'` }), []],
    'a value of more': [audit({ key: 'a', valueExpression: 'x'.repeat(5121) }), ['Required spec.auditAnnotations[0].valueExpression']],
    'too many annotations': [
      audit(...Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'1'" }))),
      ['Invalid spec.auditAnnotations'],
    ],
  })

  it('defaults its constraints, increments the generation and prints', async () => {
    const cases = new KindCases(createValidatingAdmissionPolicyResource())
    const { metadata, spec, status } = await cases.create({
      ...of({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      status: { observedGeneration: 9 },
    })
    expect([metadata.generation, status]).to.deep.equal([1, {}])
    expect(spec.failurePolicy).to.equal('Fail')
    expect(spec.matchConstraints).to.deep.equal({
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ ...rule, scope: '*' }],
    })
    expect(cases.cells()).to.deep.equal(['x', 1, 'v1/ConfigMap', '0s'])
    expect((await cases.update(of({ failurePolicy: 'Ignore' }))).metadata.generation).to.equal(2)
    expect(cases.cells()).to.deep.equal(['x', 1, '<unset>', '0s'])
  })

  it('updates only the status through its subresource', async () => {
    const cases = new KindCases(createValidatingAdmissionPolicyResource())
    await cases.create(of(), { labels: { a: 'b' } })
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'Done', message: '' }
    const status = {
      observedGeneration: 1,
      conditions: [condition],
      typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0]', warning: 'w' }] },
    }
    const next = await cases.update({ ...of({ failurePolicy: 'Ignore' }), status }, { labels: { c: 'd' } }, 'status')
    expect([next.spec.failurePolicy, next.metadata.labels, next.metadata.generation, next.status]).to.deep.equal([
      'Fail',
      { a: 'b' },
      1,
      status,
    ])
  })

  it('validates the status', async () => {
    const cases = new KindCases(createValidatingAdmissionPolicyResource())
    await cases.create(of())
    const status = {
      typeChecking: { expressionWarnings: [{}] },
      conditions: [{ type: 'Ready', status: 'Yes', reason: 'R', lastTransitionTime: null }],
    }
    expect(await messagesOf(cases.update({ ...of(), status }, {}, 'status'))).to.deep.equal([
      'status.typeChecking.expressionWarnings[0].warning: Required value',
      'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value: must be set',
    ])
  })
})
