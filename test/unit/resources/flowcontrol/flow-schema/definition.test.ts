import { expect } from 'chai'
import { MANDATORY_SCHEMAS } from '../../../../../src/resources/flowcontrol/bootstrap/mandatory.ts'
import { SUGGESTED_SCHEMAS } from '../../../../../src/resources/flowcontrol/bootstrap/suggested.ts'
import { flowSchemaResource } from '../../../../../src/resources/flowcontrol/flow-schema/definition.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf, serverOf } from '../../../../support/workloads.ts'

const subject = { kind: 'User', user: { name: 'u' } }
const resourceRule = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'], namespaces: ['*'] }
const level = { name: 'global-default' }
const of = (parts: object = {}): object => ({
  spec: { priorityLevelConfiguration: level, rules: [{ subjects: [subject], resourceRules: [resourceRule] }], ...parts },
})
const by = (one: object): object => of({ rules: [{ subjects: [one], resourceRules: [resourceRule] }] })
const ruled = (parts: object): object => of({ rules: [{ subjects: [subject], resourceRules: [{ ...resourceRule, ...parts }] }] })
const paths = (parts: object): object =>
  of({ rules: [{ subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'], ...parts }] }] })
const account = (serviceAccount?: object): object => by({ kind: 'ServiceAccount', ...(serviceAccount && { serviceAccount }) })
const RULE = 'spec.rules[0].resourceRules[0]'
const PATHS = 'spec.rules[0].nonResourceRules[0]'
const SUBJECT = 'spec.rules[0].subjects[0]'

describe('FlowSchema', () => {
  validates(flowSchemaResource, {
    'a schema': [of(), []],
    'no rules': [of({ rules: [] }), []],
    'no level': [of({ priorityLevelConfiguration: {} }), ['Required spec.priorityLevelConfiguration.name']],
    'a bad level': [of({ priorityLevelConfiguration: { name: 'a_b' } }), ['Invalid spec.priorityLevelConfiguration.name']],
    'precedence below zero': [of({ matchingPrecedence: -1 }), ['Invalid spec.matchingPrecedence']],
    'precedence above all': [of({ matchingPrecedence: 10_001 }), ['Invalid spec.matchingPrecedence']],
    'precedence before all': [of({ matchingPrecedence: 1 }), ['Invalid spec.matchingPrecedence']],
    'an unknown method': [of({ distinguisherMethod: { type: 'ByMoon' } }), ['NotSupported spec.distinguisherMethod.type']],
    'an empty rule': [of({ rules: [{}] }), ['Required spec.rules[0].subjects', 'Required spec.rules[0]']],
    'an unknown subject': [by({ kind: 'Robot' }), [`NotSupported ${SUBJECT}.kind`]],
    'a user without name': [by({ kind: 'User', user: {} }), [`Required ${SUBJECT}.user.name`]],
    'a group that is not there': [by({ kind: 'Group' }), [`Required ${SUBJECT}.group`]],
    'subjects of three kinds': [
      by({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'ns' }, user: { name: 'u' }, group: { name: 'g' } }),
      [`Forbidden ${SUBJECT}.user`, `Forbidden ${SUBJECT}.group`],
    ],
    'an account without anything': [
      account({}),
      [`Required ${SUBJECT}.serviceAccount.name`, `Required ${SUBJECT}.serviceAccount.namespace`],
    ],
    'an account with bad names': [
      account({ name: 'a_b', namespace: 'a.b' }),
      [`Invalid ${SUBJECT}.serviceAccount.name`, `Invalid ${SUBJECT}.serviceAccount.namespace`],
    ],
    'no account': [account(), [`Required ${SUBJECT}.serviceAccount`]],
    'no verbs': [ruled({ verbs: [] }), [`Required ${RULE}.verbs`]],
    'all verbs and one': [ruled({ verbs: ['*', 'get'] }), [`Invalid ${RULE}.verbs`]],
    'an unknown verb': [ruled({ verbs: ['get', 'connect'] }), [`NotSupported ${RULE}.verbs`]],
    'empty lists': [ruled({ apiGroups: [], resources: [] }), [`Required ${RULE}.apiGroups`, `Required ${RULE}.resources`]],
    'stars and others': [
      ruled({ apiGroups: ['*', 'a'], resources: ['*', 'a'], namespaces: ['*', 'a'] }),
      [`Invalid ${RULE}.apiGroups`, `Invalid ${RULE}.resources`, `Invalid ${RULE}.namespaces`],
    ],
    'no namespaces': [ruled({ namespaces: [] }), [`Required ${RULE}.namespaces`]],
    'no namespaces, beside them': [ruled({ namespaces: [], clusterScope: true }), []],
    'a bad namespace': [ruled({ namespaces: ['a', 'a.b'] }), [`Invalid ${RULE}.namespaces[1]`]],
    'no paths': [paths({ nonResourceURLs: [] }), [`Required ${PATHS}.nonResourceURLs`]],
    'all paths and one': [paths({ nonResourceURLs: ['*', '/x'] }), [`Invalid ${PATHS}.nonResourceURLs`]],
    'good paths': [paths({ nonResourceURLs: ['/', '/a/*', '/b'] }), []],
    'bad paths': [
      paths({ nonResourceURLs: ['', 'x', '/a b', '//', '/a*', '/*/*'] }),
      [0, 1, 2, 3, 4, 5].map(i => `Invalid ${PATHS}.nonResourceURLs[${i}]`),
    ],
  })

  for (const schema of [...MANDATORY_SCHEMAS, ...SUGGESTED_SCHEMAS])
    it(`allows the server to create ${schema.metadata.name} without defaults`, async () => {
      const { server, gr } = serverOf(flowSchemaResource)
      const { spec } = await server.create(gr, '', schema)
      expect(spec).to.deep.equal(schema.spec)
    })

  it('protects the mandatory ones', async () => {
    const { server, gr } = serverOf(flowSchemaResource)
    const [exempt] = MANDATORY_SCHEMAS
    await server.create(gr, '', exempt!)
    const changed = server.update(gr, '', 'exempt', o => ({ ...o, spec: { ...o.spec, matchingPrecedence: 2 } }))
    const [message] = await messagesOf(changed)
    expect(message).to.match(/^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/)
    expect(await causesOf(server.update(gr, '', 'exempt', o => ({ ...o, metadata: { ...o.metadata, labels: { a: 'b' } } })))).to.deep.equal(
      [],
    )
  })

  it('has a default precedence, increments the generation and prints', async () => {
    const cases = new KindCases(flowSchemaResource)
    const { metadata, spec, status } = await cases.create({
      ...of({ matchingPrecedence: 0 }),
      status: { conditions: [{ type: 'Dangling' }] },
    })
    expect([metadata.generation, spec.matchingPrecedence, status]).to.deep.equal([1, 1000, {}])
    expect(cases.cells()).to.deep.equal(['x', 'global-default', 1000, '<none>', '0s', '?'])
    const next = await cases.update(of({ distinguisherMethod: { type: 'ByUser' } }))
    expect(next.metadata.generation).to.equal(2)
    const told = { ...of(), status: { conditions: [{ type: 'Dangling', status: 'False' }] } }
    expect((await cases.update(told, { labels: { a: 'b' } }, 'status')).metadata)
      .to.deep.include({ generation: 2 })
      .and.not.have.property('labels')
    expect(cases.cells()).to.deep.equal(['x', 'global-default', 1000, 'ByUser', '0s', 'False'])
  })

  it('lists in the order of precedence', () => {
    const all = [...SUGGESTED_SCHEMAS, ...MANDATORY_SCHEMAS].sort(flowSchemaResource.hub.table?.order)
    expect(all.map(({ metadata }) => metadata.name)).to.deep.equal([
      ...[
        'exempt',
        'probes',
        'system-leader-election',
        'endpoint-controller',
        'workload-leader-election',
        'system-node-high',
        'system-nodes',
      ],
      ...['kube-controller-manager', 'kube-scheduler', 'kube-system-service-accounts', 'service-accounts', 'global-default', 'catch-all'],
    ])
  })

  it('validates conditions', async () => {
    const cases = new KindCases(flowSchemaResource)
    await cases.create(of())
    const status = { conditions: [{ type: 'A' }, { type: 'A' }, {}] }
    expect(await messagesOf(cases.update({ ...of(), status }, {}, 'status'))).to.deep.equal([
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[2].type: Required value: must not be empty',
    ])
  })
})
