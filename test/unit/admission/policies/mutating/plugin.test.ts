import { expect } from 'chai'
import type { AdmissionPlugin } from '../../../../../src/admission/chain.ts'
import type { MutatingAdmissionPolicySpec, Mutation } from '../../../../../src/api/admissionregistration/v1.types.ts'
import { type AnyObject, loose } from '../../../../support/any-object.ts'
import { PolicyWorld } from '../../../../support/policy-world.ts'
import { refusal } from '../../../../support/test-registry.ts'

const apply = (expression: string): Mutation => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
const patch = (expression: string): Mutation => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
/** A mutation that appends a letter to the label `l`. */
const add = (letter: string) =>
  apply(`Object{metadata: Object.metadata{labels: {'l': object.metadata.?labels['l'].orValue('') + '${letter}'}}}`)
const label = ({ metadata }: AnyObject): string | undefined => metadata.labels?.l

async function world(spec: Partial<MutatingAdmissionPolicySpec>, binding: object = {}): Promise<PolicyWorld> {
  const made = new PolicyWorld()
  await made.mutatingPolicy('p', { reinvocationPolicy: 'Never', ...spec }, binding)
  return made
}

describe('MutatingAdmissionPolicy', () => {
  it('changes the object before it is stored, in order of policy names', async () => {
    const made = await world({ mutations: [add('b'), add('c')] })
    await made.mutatingPolicy('o', { mutations: [add('a')] })
    expect(label(await made.configMap('a'))).to.equal('abc')
    expect((await made.t.access().get({ group: '', resource: 'configmaps' }, 'ns', 'a')).metadata.labels).to.deep.equal({ l: 'abc' })
  })
  it('skips objects that do not match', async () => {
    const made = await world({ mutations: [add('a')], matchConditions: [{ name: 'c', expression: 'object.metadata.name == "b"' }] })
    expect(label(await made.configMap('a'))).to.equal(undefined)
    expect(label(await made.configMap('b'))).to.equal('a')
    made.mutatingIndex.removeBinding('p')
    expect(label(await made.configMap('bb'))).to.equal(undefined)
  })
  it('matches the object as received, and mutates the result of earlier policies', async () => {
    const objectSelector = { matchLabels: { l: 'a' } }
    const made = await world({ mutations: [add('b')], matchConstraints: { objectSelector } })
    await made.mutatingPolicy('o', { mutations: [add('a')] })
    expect(label(await made.configMap('a'))).to.equal('a')
    expect(label(await made.configMap('b', { metadata: { labels: { l: 'a' } } }))).to.equal('aab')
  })
  it('is visible to validating policies', async () => {
    const made = await world({ mutations: [add('a')] })
    await made.policy('v', { validations: [{ expression: 'object.metadata.labels.l == "b"', message: 'no' }] })
    expect((await refusal(made.configMap('a'))).message).to.contain("ValidatingAdmissionPolicy 'v' with binding 'v' denied request: no")
  })
  it('sees params, and is evaluated once for each', async () => {
    const mutation = apply("Object{metadata: Object.metadata{labels: {'l': object.metadata.?labels['l'].orValue('') + params.data.x}}}")
    const made = new PolicyWorld()
    const labels = { param: 'y' }
    await made.configMap('one', { data: { x: '1' }, metadata: { labels } })
    await made.configMap('two', { data: { x: '2' }, metadata: { labels } })
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
    await made.mutatingPolicy('p', { paramKind, mutations: [mutation] }, { paramRef: { selector: { matchLabels: labels } } })
    expect(label(await made.configMap('a'))).to.equal('12')
  })
  it('rejects with its own Status if a mutation fails, and names all failures', async () => {
    const made = await world({ mutations: [apply('Object{nope: 1}'), patch("[JSONPatch{op: 'remove', path: '/nope'}]")] })
    const { status } = await refusal(made.configMap('a'))
    const first =
      "policy 'p' with binding 'p' denied request: error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema"
    const second =
      "policy 'p' with binding 'p' denied request: JSON Patch: error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value"
    expect(status).to.deep.include({ code: 403, reason: 'Invalid', message: first })
    expect(status.details).to.deep.equal({ name: 'a', kind: 'configmaps', causes: [{ message: first }, { message: second }] })
  })
  it('keeps earlier mutations if one fails and failurePolicy is Ignore', async () => {
    const made = await world({ failurePolicy: 'Ignore', mutations: [add('a'), apply('Object{nope: 1}'), add('b')] })
    expect(label(await made.configMap('a'))).to.equal('ab')
  })
  it('rejects a JSON patch that changes the kind even with failurePolicy Ignore', async () => {
    const made = await world({ failurePolicy: 'Ignore', mutations: [patch("[JSONPatch{op: 'add', path: '/nope', value: 1}]")] })
    const { status } = await refusal(made.configMap('a'))
    expect(status).to.deep.include({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: strict decoding error: unknown field "nope"',
    })
  })
  const CONFIGURATION: [what: string, spec: Partial<MutatingAdmissionPolicySpec>, binding: object, text: string][] = [
    [
      'a missing kind of parameters',
      { paramKind: { apiVersion: 'v1', kind: 'Nope' } },
      {},
      `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nope'`,
    ],
    [
      'missing parameters',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      { paramRef: { name: 'nope', parameterNotFoundAction: 'Deny' } },
      "policy 'p' with binding 'p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
  ]
  for (const [what, spec, binding, text] of CONFIGURATION) {
    it(`rejects ${what}`, async () => {
      const { status } = await refusal((await world({ mutations: [add('a')], ...spec }, binding)).configMap('a'))
      expect(status).to.deep.include({ code: 403, reason: 'Forbidden', message: text })
    })
    it(`ignores ${what} with failurePolicy Ignore`, async () => {
      await (await world({ mutations: [add('a')], failurePolicy: 'Ignore', ...spec }, binding)).configMap('a')
    })
  }
  it('rejects if a match condition cannot be evaluated', async () => {
    const made = await world({ mutations: [add('a')], matchConditions: [{ name: 'c', expression: 'object.nope == 1' }] })
    const { status } = await refusal(made.configMap('a'))
    const text = "policy 'p' with binding 'p' denied request: expression 'object.nope == 1' resulted in error: no such key: nope"
    expect(status).to.deep.include({ code: 403, reason: 'Invalid', message: text })
  })
  it('does not own the fields it sets', async () => {
    const made = await world({ mutations: [add('a')] })
    const { metadata } = await made.configMap('a', { data: { x: '1' } })
    expect(JSON.stringify(metadata.managedFields)).to.contain('f:data').and.not.contain('f:labels')
  })
  it('cannot invalidate managed fields', async () => {
    const made = await world({
      mutations: [patch("[JSONPatch{op: 'replace', path: '/metadata/managedFields', value: [{'manager': 'x'}]}]")],
    })
    const { metadata } = await made.configMap('a', { data: { x: '1' } })
    expect(metadata.managedFields?.map(({ manager }) => manager)).to.deep.equal(['tester'])
    expect(made.t.warnings[0]).to.contain('.metadata.managedFields was in an invalid state after admission')
  })
  it('counts conditions that are false or fail', async () => {
    const conditions = ['object.nope == 1', 'object.metadata.name == "b"', 'object.nope == 2'].map((expression, i) => ({
      name: `c${i}`,
      expression,
    }))
    const made = await world({ mutations: [add('a')], matchConditions: conditions })
    await made.policy('v', {
      validations: [{ expression: 'true' }],
      matchConditions: [{ name: 'c', expression: 'object.metadata.name == "a"' }],
    })
    await made.configMap('a')
    await refusal(made.configMap('b'))
    const samples = made.conditionMetrics.families().flatMap(family => [...family.samples()])
    const counts = samples.filter(({ metricName }) => /_(?:total|count)$/.test(metricName))
    expect(
      counts.map(({ metricName, labels, value }) => [metricName.replace(/^.*condition_/, ''), ...Object.values(labels), value].join(' ')),
    ).to.have.members(['evaluation_errors_total p policy validate CREATE 3', 'evaluation_seconds_count p policy validate CREATE 2'])
  })
  it('counts mutations', async () => {
    const made = await world({ failurePolicy: 'Ignore', mutations: [add('a'), apply('Object{nope: 1}'), apply('Object{x: nope}')] })
    await made.configMap('a')
    const [checks, durations] = made.mutatingMetrics.families()
    expect([...(checks?.samples() ?? [])].map(({ labels, value }) => [...Object.values(labels), value].join(' '))).to.have.members([
      'p p no_error 1',
      'p p invalid_error 1',
      'p p compile_error 1',
    ])
    expect([...(durations?.samples() ?? [])].filter(({ le }) => le === '+Inf')).to.have.length(3)
  })
})

describe('reinvocation of mutating policies', () => {
  const setting = (letter: string): AdmissionPlugin => ({
    name: 'Other',
    handles: () => true,
    mutate: async ({ object }) => {
      const { metadata } = loose(object)
      metadata.labels = { ...metadata.labels, [letter]: 'x' }
      return object
    },
  })

  async function asked(policies: Record<string, 'Never' | 'IfNeeded'>, others: AdmissionPlugin[] = []): Promise<string | undefined> {
    const made = new PolicyWorld(undefined, others)
    for (const [name, reinvocationPolicy] of Object.entries(policies))
      await made.mutatingPolicy(name, { reinvocationPolicy, mutations: [add(name)] })
    return label(await made.configMap('a'))
  }

  it('includes those with IfNeeded, after any mutation', async () => {
    expect(await asked({ a: 'Never' })).to.equal('a')
    expect(await asked({ a: 'IfNeeded', b: 'Never' })).to.equal('aba')
    expect(await asked({ a: 'Never', b: 'IfNeeded' })).to.equal('abb')
    expect(await asked({ a: 'IfNeeded', b: 'IfNeeded' })).to.equal('abab')
  })
  it('shows them changes of later plugins', async () => {
    const made = new PolicyWorld(undefined, [setting('other')])
    const copy = apply("Object{metadata: Object.metadata{annotations: {'seen': string(has(object.metadata.labels.other))}}}")
    await made.mutatingPolicy('p', {
      reinvocationPolicy: 'IfNeeded',
      mutations: [copy],
      matchConditions: [{ name: 'c', expression: 'has(object.metadata.labels)' }],
    })
    expect((await made.configMap('a', { metadata: { labels: { l: '' } } })).metadata.annotations).to.deep.equal({ seen: 'true' })
  })
})
