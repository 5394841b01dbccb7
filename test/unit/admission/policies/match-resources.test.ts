import { expect } from 'chai'
import { matchResources, readMatchResources } from '../../../../src/admission/policies/match-resources.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { configMapResource } from '../../../../src/resources/core/config-map/definition.ts'
import { eventResourceWithTtl } from '../../../../src/resources/core/event/definition.ts'
import { admissionRequest } from '../../../support/admission-request.ts'
import { CONFIG_MAP_RULES } from '../../../support/policy-world.ts'

const NAMESPACES = { red: { colour: 'red' } }
const getNamespace = async (name: string) => {
  if (name !== 'red') throw notFoundError({ group: '', resource: 'namespaces' }, name)
  return { kind: 'Namespace', apiVersion: 'v1', metadata: { name, labels: NAMESPACES.red } }
}
const configMap = (parts: object = {}) =>
  admissionRequest(configMapResource, { metadata: { name: 'a', labels: { size: 'big' } } }, { namespace: 'red', name: 'a', ...parts })
const ANY = { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' }
const matched = async (match: object, request = configMap()) => {
  const found = await matchResources(readMatchResources({ ...ANY, ...match }), request, getNamespace).catch((error: Error) => error.message)
  return typeof found === 'object' ? Object.values(found.resource).join('/') : found
}

describe('matchResources', () => {
  const red = { matchLabels: { colour: 'red' } }
  const blue = { matchLabels: { colour: 'blue' } }
  const CASES: [what: string, match: object, request: ReturnType<typeof configMap>, found: string | undefined][] = [
    ['everything, without rules', {}, configMap(), '/v1/configmaps'],
    ['what a rule says', { resourceRules: CONFIG_MAP_RULES }, configMap(), '/v1/configmaps'],
    ['nothing else', { resourceRules: [{ ...CONFIG_MAP_RULES[0], operations: ['DELETE'] }] }, configMap(), undefined],
    ['nothing that is excluded', { excludeResourceRules: [{ ...CONFIG_MAP_RULES[0], resourceNames: ['a'] }] }, configMap(), undefined],
    ['what is excluded under another name', { excludeResourceRules: [{ ...CONFIG_MAP_RULES[0], resourceNames: ['b'] }] }, configMap(), '/v1/configmaps'],
    ['a namespace', { namespaceSelector: red }, configMap(), '/v1/configmaps'],
    ['no other namespace', { namespaceSelector: blue }, configMap(), undefined],
    ['an object', { objectSelector: { matchLabels: { size: 'big' } } }, configMap(), '/v1/configmaps'],
    ['no other object', { objectSelector: { matchLabels: { size: 'small' } } }, configMap(), undefined],
    ['a namespace that is not there', { namespaceSelector: red }, configMap({ namespace: 'x' }), 'namespaces "x" not found'],
    [
      'nothing by its rules, whatever the namespace',
      { namespaceSelector: red, resourceRules: [{ ...CONFIG_MAP_RULES[0], resources: ['pods'] }] },
      configMap({ namespace: 'x' }),
      undefined,
    ],
    [
      'no other object, whatever the namespace',
      { namespaceSelector: red, objectSelector: { matchLabels: { size: 'small' } } },
      configMap({ namespace: 'x' }),
      undefined,
    ],
  ]
  for (const [what, match, request, found] of CASES) it(what, async () => expect(await matched(match, request)).to.equal(found))

  it('matches another version of the same object', async () => {
    const rules = [{ ...CONFIG_MAP_RULES[0], apiGroups: ['events.k8s.io'], resources: ['events'] }]
    const eventResource = eventResourceWithTtl(3600)
    const core = eventResource.versions.find(({ group }) => group === '')
    const request = admissionRequest(eventResource, { metadata: { name: 'a' } }, { served: { definition: eventResource, version: core } })
    expect(await matched({ resourceRules: rules }, request)).to.equal('events.k8s.io/v1/events')
    expect(await matched({ resourceRules: rules, matchPolicy: 'Exact' }, request)).to.equal(undefined)
  })
})
