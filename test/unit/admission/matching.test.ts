import { expect } from 'chai'
import { isExempt, type MatchPolicy, matchRules, namespaceMatches, objectMatches, Selector } from '../../../src/admission/matching.ts'
import type { NamedRuleWithOperations } from '../../../src/api/admissionregistration/v1.types.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { notFoundError } from '../../../src/meta/status.ts'
import type { AdmissionRequest } from '../../../src/registry/types.ts'
import { refusal } from '../../support/admission-request.ts'

const version = (group: string, name: string, plural: string, kind: string, subresources: object = {}) => ({
  group,
  name,
  kind,
  names: { plural },
  subresources,
})
const definitionOf = (...versions: ReturnType<typeof version>[]): ResourceDefinition =>
  ({ versions, hub: versions[0] }) as unknown as ResourceDefinition
const scale = { kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } }
const PODS = definitionOf(version('', 'v1', 'pods', 'Pod', { status: {} }))
const NAMESPACES = definitionOf(version('', 'v1', 'namespaces', 'Namespace'))
const NODES = definitionOf(version('', 'v1', 'nodes', 'Node'))
const WIDGETS = definitionOf(
  version('x.io', 'v1', 'widgets', 'Widget', { scale, status: {} }),
  version('x.io', 'v1beta1', 'widgets', 'OldWidget', { scale }),
)
const EVENTS = definitionOf(version('', 'v1', 'events', 'Event'), version('events.k8s.io', 'v1', 'events', 'Event'))

const request = (definition: ResourceDefinition, parts: object = {}): AdmissionRequest =>
  ({
    operation: 'CREATE',
    subresource: '',
    namespace: '',
    name: '',
    served: { definition, version: definition.hub },
    ...parts,
  }) as unknown as AdmissionRequest

const ALL: NamedRuleWithOperations = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }

describe('rules', () => {
  const CASES: [what: string, rule: NamedRuleWithOperations, request: AdmissionRequest, matches: boolean][] = [
    ['everything', ALL, request(PODS), true],
    ['another operation', { ...ALL, operations: ['UPDATE', 'DELETE'] }, request(PODS), false],
    ['its operation', { ...ALL, operations: ['UPDATE', 'CREATE'] }, request(PODS), true],
    ['another group', { ...ALL, apiGroups: ['apps'] }, request(PODS), false],
    ['the core group', { ...ALL, apiGroups: [''] }, request(PODS), true],
    ['another version', { ...ALL, apiVersions: ['v2'] }, request(PODS), false],
    ['another resource', { ...ALL, resources: ['nodes'] }, request(PODS), false],
    ['a star does not match a subresource', ALL, request(PODS, { subresource: 'status' }), false],
    ['its subresource', { ...ALL, resources: ['pods/status'] }, request(PODS, { subresource: 'status' }), true],
    ['all its subresources', { ...ALL, resources: ['pods/*'] }, request(PODS, { subresource: 'status' }), true],
    ['all its subresources, and itself', { ...ALL, resources: ['pods/*'] }, request(PODS), true],
    ['this subresource of all', { ...ALL, resources: ['*/status'] }, request(PODS, { subresource: 'status' }), true],
    ['this subresource of all is not the object', { ...ALL, resources: ['*/status'] }, request(PODS), false],
    ['namespaced objects', { ...ALL, scope: 'Namespaced' }, request(PODS, { namespace: 'a' }), true],
    ['cluster-scoped objects are not namespaced', { ...ALL, scope: 'Namespaced' }, request(NODES, { name: 'n' }), false],
    ['cluster-scoped objects', { ...ALL, scope: 'Cluster' }, request(NODES, { name: 'n' }), true],
    ['a Namespace is cluster-scoped', { ...ALL, scope: 'Cluster' }, request(NAMESPACES, { name: 'a', namespace: 'a' }), true],
    ['a Namespace is not namespaced', { ...ALL, scope: 'Namespaced' }, request(NAMESPACES, { name: 'a', namespace: 'a' }), false],
    ['a name', { ...ALL, resourceNames: ['b', 'a'] }, request(PODS, { name: 'a' }), true],
    ['another name', { ...ALL, resourceNames: ['b'] }, request(PODS, { name: 'a' }), false],
    ['an empty rule', {}, request(PODS), false],
  ]
  for (const [what, rule, asked, matches] of CASES)
    it(what, () => expect(matchRules([rule], 'Exact', asked) !== undefined).to.equal(matches))

  const VERSIONS: [
    what: string,
    rules: NamedRuleWithOperations[],
    policy: MatchPolicy,
    request: AdmissionRequest,
    resource: string | undefined,
    kind?: string,
  ][] = [
    ['the version of the request first', [ALL], 'Equivalent', request(WIDGETS), 'x.io/v1/widgets', 'x.io/v1/Widget'],
    [
      'another version',
      [{ ...ALL, apiVersions: ['v1beta1'] }],
      'Equivalent',
      request(WIDGETS),
      'x.io/v1beta1/widgets',
      'x.io/v1beta1/OldWidget',
    ],
    ['no other version with Exact', [{ ...ALL, apiVersions: ['v1beta1'] }], 'Exact', request(WIDGETS), undefined],
    [
      'another group',
      [{ ...ALL, apiGroups: ['events.k8s.io'] }],
      'Equivalent',
      request(EVENTS),
      'events.k8s.io/v1/events',
      'events.k8s.io/v1/Event',
    ],
    [
      'a subresource of another kind',
      [{ ...ALL, apiVersions: ['v1beta1'], resources: ['widgets/scale'] }],
      'Equivalent',
      request(WIDGETS, { subresource: 'scale' }),
      'x.io/v1beta1/widgets',
      'autoscaling/v1/Scale',
    ],
    [
      'no version that lacks the subresource',
      [{ ...ALL, apiVersions: ['v1beta1'], resources: ['*/*'] }],
      'Equivalent',
      request(WIDGETS, { subresource: 'status' }),
      undefined,
    ],
    [
      'exactly by a later rule',
      [{ ...ALL, apiVersions: ['v1beta1'] }, ALL],
      'Equivalent',
      request(WIDGETS),
      'x.io/v1/widgets',
      'x.io/v1/Widget',
    ],
  ]
  for (const [what, rules, policy, asked, resource, kind] of VERSIONS)
    it(`matches ${what}`, () => {
      const found = matchRules(rules, policy, asked)
      expect(found && Object.values(found.resource).join('/')).to.equal(resource)
      expect(found && Object.values(found.kind).join('/')).to.equal(kind)
    })

  it('never match configurations of admission', () => {
    const of = (group: string, kind: string): AdmissionRequest => request(definitionOf(version(group, 'v1', 'x', kind)))
    expect(isExempt(of('admissionregistration.k8s.io', 'ValidatingWebhookConfiguration'))).to.equal(true)
    expect(isExempt(of('admissionregistration.k8s.io', 'MutatingAdmissionPolicyBinding'))).to.equal(true)
    expect(isExempt(of('example.com', 'ValidatingWebhookConfiguration'))).to.equal(false)
  })
})

describe('selectors', () => {
  const red = new Selector({ matchLabels: { colour: 'red' } })
  const labelled = (colour: string) => ({ metadata: { labels: { colour } } })
  const namespaces = async (name: string) => {
    if (name === 'none') throw notFoundError({ group: '', resource: 'namespaces' }, name)
    if (name === 'broken') throw new Error('no store')
    return { kind: 'Namespace', apiVersion: 'v1', ...labelled(name) }
  }
  const inNamespace = (asked: AdmissionRequest, selector = red) => namespaceMatches(selector, asked, namespaces)

  it('match the labels of the namespace', async () => {
    expect(await inNamespace(request(PODS, { namespace: 'red' }))).to.equal(true)
    expect(await inNamespace(request(PODS, { namespace: 'blue' }))).to.equal(false)
    expect(await inNamespace(request(PODS, { namespace: 'none' }), new Selector({}))).to.equal(true)
    expect(await inNamespace(request(PODS, { namespace: 'blue' }), new Selector(undefined))).to.equal(false)
  })
  it('match cluster-scoped objects', async () => expect(await inNamespace(request(NODES, { name: 'n' }))).to.equal(true))
  it('match the new labels of a created or updated namespace, and the stored ones of a deleted one', async () => {
    expect(await inNamespace(request(NAMESPACES, { name: 'blue', object: labelled('red') }))).to.equal(true)
    expect(await inNamespace(request(NAMESPACES, { name: 'red', object: labelled('blue'), operation: 'UPDATE' }))).to.equal(false)
    expect(await inNamespace(request(NAMESPACES, { name: 'red', operation: 'DELETE' }))).to.equal(true)
  })
  it('report a missing namespace, and one that cannot be read', async () => {
    expect(await refusal(inNamespace(request(PODS, { namespace: 'none' })))).to.equal('namespaces "none" not found')
    expect(await refusal(inNamespace(request(PODS, { namespace: 'broken' })))).to.equal('Internal error occurred: no store')
    const odd = new Selector({ matchExpressions: [{ key: 'a', operator: 'Odd' }] })
    expect(await refusal(inNamespace(request(PODS, { namespace: 'red' }), odd))).to.match(/^Internal error occurred: .*Odd/)
  })
  it('match the new and the old object', () => {
    expect(objectMatches(red, request(PODS, { object: labelled('blue') }))).to.equal(false)
    expect(objectMatches(red, request(PODS, { object: labelled('blue'), old: labelled('red') }))).to.equal(true)
    expect(objectMatches(red, request(PODS, { object: { kind: 'PodExecOptions' } }))).to.equal(false)
    expect(objectMatches(new Selector({}), request(PODS))).to.equal(true)
  })
})
