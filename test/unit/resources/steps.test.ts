import { expect } from 'chai'
import type { ValidatingAdmissionPolicy } from '../../../src/api/admissionregistration/v1.types.ts'
import type { KubeObject } from '../../../src/api/meta/object.ts'
import type { Steps } from '../../../src/lib/steps.ts'
import { validateAdmissionPolicy } from '../../../src/resources/admissionregistration/validating-admission-policy/validation.ts'
import { validateWebhooks } from '../../../src/resources/admissionregistration/webhook/validation.ts'
import { limitRangeResource } from '../../../src/resources/core/limit-range/definition.ts'
import { validateEndpointSlice } from '../../../src/resources/discovery/endpoint-slice/validation.ts'
import { hookContext } from '../../support/hook-context.ts'

const COUNT = 20_000

function stepsOf(steps: Steps<unknown>): number {
  let count = 0
  while (!steps.next().done) count++
  return count
}

const policy = (spec: object): ValidatingAdmissionPolicy =>
  ({ metadata: { name: 'p' }, spec: { failurePolicy: 'Fail', ...spec } }) as unknown as ValidatingAdmissionPolicy
const expressions = (count: number) => Array.from({ length: count }, (_, i) => ({ expression: `size(object.spec) < ${i}` }))

const wide: Record<string, () => Steps<unknown>> = {
  'the addresses of an endpoint': () => {
    const endpoints = [{ addresses: Array<string>(COUNT).fill('10.1.2.3'), conditions: {} }]
    return validateEndpointSlice(
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: {}, addressType: 'IPv4', endpoints, ports: null },
      undefined,
      hookContext(),
    )
  },
  'the validations of a policy': () => validateAdmissionPolicy(policy({ validations: expressions(COUNT / 512) }), undefined, hookContext()),
  'the variables of a policy': () =>
    validateAdmissionPolicy(
      policy({ variables: expressions(COUNT / 512).map((each, i) => ({ name: `v${i}`, ...each })), validations: [{ expression: 'true' }] }),
      undefined,
      hookContext(),
    ),
  'the conditions of webhooks': () =>
    validateWebhooks(
      {
        webhooks: [
          { name: 'w', clientConfig: {}, matchConditions: expressions(COUNT / 512).map((each, i) => ({ name: `c${i}`, ...each })) },
        ],
      } as never,
      undefined,
      hookContext(),
    ),
  'defaults of limit ranges': () => {
    const max = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`example.io/r${i}`, '1']))
    return limitRangeResource.hub.setDefaults?.({ spec: { limits: [{ type: 'Container', max }] } } as unknown as KubeObject) as Steps<void>
  },
}

describe('hooks of kinds', () => {
  for (const [what, steps] of Object.entries(wide))
    it(`process long values in steps: ${what}`, () => {
      expect(stepsOf(steps())).to.be.at.least(Math.floor(COUNT / 512))
    })
})
