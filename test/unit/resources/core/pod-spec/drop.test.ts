import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { dropDisabledPodFields } from '../../../../../src/resources/core/pod-spec/drop.ts'
import { clearTurnedOff, featuresOf, hookContext } from '../../../../support/hook-context.ts'
import { podWith } from '../../../../support/pod.ts'

/** The pod that remains after dropping disabled fields, both marked ones and those handled in code. */
function dropped(pod: Pod, old?: Pod, ...gates: string[]): Pod {
  const context = hookContext({ features: featuresOf(...gates) })
  clearTurnedOff(podResource, context, pod, old)
  dropDisabledPodFields(pod.spec, old?.spec, context.features)
  return pod
}

const container = { name: 'c', volumeMounts: [{ name: 'v' }], lifecycle: { stopSignal: 'SIGHUP' }, resources: { claims: [{ name: 'x' }] } }
const full = () =>
  podWith({
    resources: { limits: { cpu: '1' } },
    resourceClaims: [{ name: 'x' }],
    volumes: [
      { name: 'v', image: {} },
      { name: 'w', projected: { sources: [{ clusterTrustBundle: {} }] } },
    ],
    containers: [container],
  })
const plain = () => podWith({ volumes: [{ name: 'w', projected: { sources: [{}] } }], containers: [{ name: 'c' }] })
const withStatus = (status: object) => podWith({}, {}, status)
const status = () =>
  withStatus({
    observedGeneration: 1,
    conditions: [{ type: 'Ready', observedGeneration: 1 }],
    resourceClaimStatuses: [{ name: 'x' }],
    containerStatuses: [
      {
        name: 'c',
        allocatedResources: { cpu: '1' },
        allocatedResourcesStatus: [{ name: 'a' }],
        resources: {},
        stopSignal: 'SIGHUP',
        user: {},
      },
    ],
  })

describe('resources/core/pod-spec/drop', () => {
  it('drops fields of disabled features', () => expect(dropped(full())).to.deep.equal(plain()))

  it('keeps fields that the old object has', () => {
    const old = full()
    old.spec.resources = { requests: { cpu: '1' } }
    old.spec.volumes?.push({ name: 'w', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } })
    expect(dropped(full(), old)).to.deep.equal(full())
  })

  it('keeps fields of enabled features', () => {
    const { spec } = dropped(full(), undefined, 'DynamicResourceAllocation=true')
    expect(spec.resourceClaims).to.deep.equal([{ name: 'x' }])
    expect(spec.containers?.[0]?.resources).to.deep.equal({ claims: [{ name: 'x' }] })
    expect(spec).not.to.have.property('resources')
  })

  it('drops status fields of disabled features', () => {
    const left = [{ name: 'c', allocatedResources: { cpu: '1' }, resources: {}, stopSignal: 'SIGHUP', user: {} }]
    expect(dropped(status(), withStatus({}))).to.deep.equal(withStatus({ conditions: [{ type: 'Ready' }], containerStatuses: left }))
    expect(dropped(status(), withStatus({}), 'DynamicResourceAllocation=true').status.resourceClaimStatuses).to.deep.equal([{ name: 'x' }])
    // The status of devices is dropped in any case, and claims are in use by the spec.
    const { resourceClaimStatuses: _, ...rest } = status().status
    expect(dropped(status(), status()).status).to.deep.equal({
      ...rest,
      containerStatuses: withStatus({ containerStatuses: left }).status.containerStatuses,
    })
  })

  const sleep = { sleep: { seconds: 1 } }
  const cases: Record<string, [gate: string, given: object, left: object, used: object]> = {
    hostUsers: ['UserNamespacesSupport', { hostUsers: false }, {}, { hostUsers: true }],
    'the policy of groups': [
      'SupplementalGroupsPolicy',
      { securityContext: { supplementalGroupsPolicy: 'Strict' } },
      { securityContext: {} },
      { securityContext: { supplementalGroupsPolicy: 'Merge' } },
    ],
    'the policy of SELinux': [
      'SELinuxChangePolicy',
      { securityContext: { seLinuxChangePolicy: 'Recursive' } },
      { securityContext: {} },
      { securityContext: { seLinuxChangePolicy: 'Recursive' } },
    ],
    'keys of a spread': [
      'MatchLabelKeysInPodTopologySpread',
      { topologySpreadConstraints: [{ topologyKey: 'k', matchLabelKeys: ['a'] }] },
      { topologySpreadConstraints: [{ topologyKey: 'k' }] },
      { topologySpreadConstraints: [{ topologyKey: 'l' }, { topologyKey: 'm', matchLabelKeys: ['a'] }] },
    ],
    'policies of resizing': [
      'InPlacePodVerticalScaling',
      {
        containers: [{ name: 'c', resizePolicy: [{ resourceName: 'cpu' }] }],
        ephemeralContainers: [{ name: 'e', resizePolicy: [{ resourceName: 'cpu' }] }],
      },
      { containers: [{ name: 'c' }], ephemeralContainers: [{ name: 'e' }] },
      { initContainers: [{ name: 'i', resizePolicy: [{ resourceName: 'cpu' }] }] },
    ],
    'sleep, and the handler that is left empty': [
      'PodLifecycleSleepAction',
      {
        containers: [
          { name: 'c', lifecycle: { preStop: sleep } },
          { name: 'd', lifecycle: { postStart: sleep, preStop: { exec: {} } } },
        ],
      },
      { containers: [{ name: 'c' }, { name: 'd', lifecycle: { preStop: { exec: {} } } }] },
      { initContainers: [{ name: 'i', lifecycle: { postStart: sleep } }] },
    ],
    'another view of /proc, which becomes the default': [
      'ProcMountType',
      {
        containers: [
          { name: 'c', securityContext: { procMount: 'Unmasked' } },
          { name: 'd', securityContext: {} },
        ],
      },
      {
        containers: [
          { name: 'c', securityContext: { procMount: 'Default' } },
          { name: 'd', securityContext: {} },
        ],
      },
      { containers: [{ name: 'x', securityContext: { procMount: 'Unmasked' } }] },
    ],
  }
  for (const [what, [gate, given, left, used]] of Object.entries(cases)) {
    it(`clears ${what} while ${gate} is off`, () => {
      expect(dropped(podWith(given), undefined, `${gate}=false`)).to.deep.equal(podWith(left))
      expect(dropped(podWith(given), podWith({}), `${gate}=false`)).to.deep.equal(podWith(left))
      expect(dropped(podWith(given), podWith(used), `${gate}=false`)).to.deep.equal(podWith(given))
      expect(dropped(podWith(given), undefined, `${gate}=true`)).to.deep.equal(podWith(given))
    })
  }
})
