import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import type { Strategy } from '../../../src/catalog/strategy.ts'
import { runIfSteps, type Steps } from '../../../src/lib/steps.ts'
import { jobResource } from '../../../src/resources/batch/job/definition.ts'
import { validatePodCertificateRequest } from '../../../src/resources/certificates/pod-certificate-request/validation.ts'
import { deviceClassResource } from '../../../src/resources/resource/device-class/definition.ts'
import { createResourceClaimResource } from '../../../src/resources/resource/resource-claim/definition.ts'
import { resourceClaimTemplateResource } from '../../../src/resources/resource/resource-claim-template/definition.ts'
import { classBasedClaimTemplateResource } from '../../../src/resources/resource/v1alpha2/resource-claim-template.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { csiNodeResource } from '../../../src/resources/storage/csi-node/definition.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { hookContext } from '../../support/hook-context.ts'
import { KindServer } from '../../support/kind-server.ts'

const MANY = 5632
/** Comparisons end a step after 512 values. */
const STEPS = MANY / 512

const list = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i))
const map = (): Record<string, string> => Object.fromEntries(list(i => [`k${i}`, 'v']))
const ANYTHING = { authorize: () => Promise.resolve({ decision: 'allow' as const, reason: '' }) }

const parameters = [{ opaque: { driver: 'e.io', parameters: { a: list(i => i) } } }]
const containers = [{ name: 'c', image: 'i' }]
const expressions = list(i => ({ key: `k${i}`, operator: 'Exists' }))

const kinds: Record<string, [ResourceDefinition, body: object, hook: 'prepare' | 'validate', strategy?: 'status']> = {
  'configurations of a ResourceClaim': [createResourceClaimResource(ANYTHING), { spec: { devices: { config: parameters } } }, 'validate'],
  'an allocation of a ResourceClaim': [
    createResourceClaimResource(ANYTHING),
    { spec: {}, status: { allocation: { nodeSelector: { nodeSelectorTerms: [{ matchExpressions: expressions }] } } } },
    'validate',
    'status',
  ],
  'labels of a ResourceClaimTemplate': [resourceClaimTemplateResource, { spec: { metadata: { labels: map() }, spec: {} } }, 'validate'],
  'labels of a ResourceClaimTemplate of v1alpha2': [
    classBasedClaimTemplateResource,
    { spec: { metadata: { labels: map() }, spec: { resourceClassName: 'c' } } },
    'validate',
  ],
  'configurations of a DeviceClass': [deviceClassResource, { spec: { config: parameters } }, 'validate'],
  'the selector of a Job': [
    jobResource,
    { spec: { manualSelector: true, selector: { matchLabels: map() }, template: { spec: { containers, restartPolicy: 'Never' } } } },
    'validate',
  ],
  'token requests of a CSIDriver': [csiDriverResource, { spec: { tokenRequests: list(i => ({ audience: `a${i}` })) } }, 'prepare'],
  'topology keys of a CSINode': [
    csiNodeResource,
    { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: list(i => `k${i}`) }] } },
    'validate',
  ],
}

function* results(strategy: Strategy | undefined, hook: 'prepare' | 'validate', next: never, old: never): Steps<readonly string[]> {
  if (hook === 'validate') return (yield* runIfSteps(strategy?.validate?.(next, old, hookContext()) ?? [])).map(({ body }) => body)
  yield* runIfSteps(strategy?.prepare?.(next, old, hookContext()) ?? undefined)
  return []
}

describe('updates compare very many values in steps', () => {
  for (const [what, [definition, body, hook, subresource]] of Object.entries(kinds))
    it(what, () => {
      const { hub } = definition
      const decode = (): never =>
        new KindServer([definition]).decode({ group: hub.group, resource: hub.names.plural }, { metadata: { name: 'x' }, ...body }) as never
      const strategy = subresource ? hub.subresources?.[subresource]?.strategy : definition.strategy
      const { result, yields } = countedSteps(results(strategy, hook, decode(), decode()))
      expect(result.filter(text => text.includes('immutable'))).to.deep.equal([])
      expect(yields).to.be.at.least(Math.floor(STEPS))
    })

  it('annotations of a PodCertificateRequest', () => {
    const request = (): never => ({ metadata: {}, spec: { unverifiedUserAnnotations: map() } }) as never
    const { result, yields } = countedSteps(validatePodCertificateRequest(request(), request(), '1.37'))
    expect(result).to.deep.equal([])
    expect(yields).to.be.at.least(Math.floor(STEPS))
  })
})
