import { expect } from 'chai'
import { matchResources, readMatchResources } from '../../../../src/admission/policies/match-resources.ts'
import type { MatchResources } from '../../../../src/api/admissionregistration/v1.types.ts'
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
const ANY: MatchResources = { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' }
const matched = async (match: object, request = configMap()) => {
  const found = await matchResources(readMatchResources({ ...ANY, ...match }), request, getNamespace).catch((error: Error) => error.message)
  return typeof found === 'object' ? Object.values(found.resource).join('/') : found
}

describe('matchResources', () => {
  const red = { matchLabels: { colour: 'red' } }
  const blue = { matchLabels: { colour: 'blue' } }
  const CASES: [what: string, match: object, request: ReturnType<typeof configMap>, found: string | undefined][] = [
    ['matches everything without rules', {}, configMap(), '/v1/configmaps'],
    ['matches the objects of a rule', { resourceRules: CONFIG_MAP_RULES }, configMap(), '/v1/configmaps'],
    [
      'does not match operations without a rule',
      { resourceRules: [{ ...CONFIG_MAP_RULES[0], operations: ['DELETE'] }] },
      configMap(),
      undefined,
    ],
    ['does not match excluded names', { excludeResourceRules: [{ ...CONFIG_MAP_RULES[0], resourceNames: ['a'] }] }, configMap(), undefined],
    [
      'matches other names than the excluded ones',
      { excludeResourceRules: [{ ...CONFIG_MAP_RULES[0], resourceNames: ['b'] }] },
      configMap(),
      '/v1/configmaps',
    ],
    ['matches the labels of the namespace', { namespaceSelector: red }, configMap(), '/v1/configmaps'],
    ['does not match namespaces with other labels', { namespaceSelector: blue }, configMap(), undefined],
    ['matches the labels of the object', { objectSelector: { matchLabels: { size: 'big' } } }, configMap(), '/v1/configmaps'],
    ['does not match objects with other labels', { objectSelector: { matchLabels: { size: 'small' } } }, configMap(), undefined],
    ['reports a missing namespace', { namespaceSelector: red }, configMap({ namespace: 'x' }), 'namespaces "x" not found'],
    [
      'does not look for the namespace if no rule matches',
      { namespaceSelector: red, resourceRules: [{ ...CONFIG_MAP_RULES[0], resources: ['pods'] }] },
      configMap({ namespace: 'x' }),
      undefined,
    ],
    [
      'does not look for the namespace if the labels of the object do not match',
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
