import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { previousRelease, type Release } from '../../../src/lifecycle/release.ts'
import { validatingWebhookConfigurationResource } from '../../../src/resources/admissionregistration/validating-webhook-configuration/definition.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { persistentVolumeResource } from '../../../src/resources/core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { runtimeClassResource } from '../../../src/resources/node/runtime-class/definition.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { csiStorageCapacityResource } from '../../../src/resources/storage/csi-storage-capacity/definition.ts'
import { storageClassResource } from '../../../src/resources/storage/storage-class/definition.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { KindCases } from '../../support/kind-cases.ts'

const casesIn = (release: Release, definition: ResourceDefinition): KindCases => {
  const cases = new KindCases(definition)
  cases.server.features = parseGates(release)
  return cases
}

const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_OF_C = 'container.seccomp.security.alpha.kubernetes.io/c'
const APP_ARMOR_OF_C = 'container.apparmor.security.beta.kubernetes.io/c'
const podIn = (release: Release, spec: object, annotations: object = {}): Promise<AnyObject> =>
  casesIn(release, podResource).create(
    { spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 's', ...spec } },
    { annotations },
  )

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } }
const hostPath = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } }
const OLD_LABEL = 'beta.kubernetes.io/os'
const BETA_CLASS = { annotations: { 'volume.beta.kubernetes.io/storage-class': 'c' } }
const FRACTION = 'fractional byte value "1500m" is invalid, must be an integer'
const CLASS_WARNING =
  'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead'

/** Warnings with the release that introduced them. */
const FIRST: readonly (readonly [
  since: Release,
  definition: ResourceDefinition,
  body: object,
  warning: RegExp | string,
  metadata?: object,
])[] = [
  [
    '1.25',
    storageClassResource,
    { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: [{ key: OLD_LABEL, values: ['v'] }] }] },
    /^allowedTopologies/,
  ],
  ['1.25', csiStorageCapacityResource, { storageClassName: 's', nodeTopology: { matchLabels: { [OLD_LABEL]: 'v' } } }, /^nodeTopology/],
  ['1.25', runtimeClassResource, { handler: 'h', scheduling: { nodeSelector: { [OLD_LABEL]: 'v' } } }, /^scheduling.nodeSelector/],
  ['1.26', persistentVolumeClaimResource, { spec: claimSpec }, `spec.resources.requests[storage]: ${FRACTION}`],
  ['1.28', persistentVolumeClaimResource, { spec: { ...claimSpec, resources: { requests: { storage: '1' } } } }, CLASS_WARNING, BETA_CLASS],
  ['1.28', persistentVolumeResource, { spec: hostPath }, CLASS_WARNING, BETA_CLASS],
  [
    '1.30',
    persistentVolumeResource,
    { spec: { ...hostPath, persistentVolumeReclaimPolicy: 'Recycle' } },
    /^spec.persistentVolumeReclaimPolicy/,
  ],
  [
    '1.31',
    persistentVolumeResource,
    { spec: hostPath },
    /mount-options/,
    { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } },
  ],
  [
    '1.36',
    validatingWebhookConfigurationResource,
    {},
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
    { name: 'a.static.k8s.io' },
  ],
  [
    '1.26',
    statefulSetResource,
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: claimSpec }],
      },
    },
    `spec.volumeClaimTemplates[0].resources.requests[storage]: ${FRACTION}`,
  ],
]

describe('writes by release', () => {
  it('convert seccomp annotations to fields before 1.27, and fields to annotations in 1.24', async () => {
    const annotations = { [SECCOMP]: 'docker/default', [SECCOMP_OF_C]: 'localhost/p' }
    const fields = async (release: Release) => {
      const { securityContext, containers } = (await podIn(release, {}, annotations)).spec
      return [securityContext?.seccompProfile, containers[0].securityContext?.seccompProfile]
    }
    expect(await fields('1.26')).to.deep.equal([{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'p' }])
    expect(await fields('1.27')).to.deep.equal([undefined, undefined])
    const spec = { securityContext: { seccompProfile: { type: 'Unconfined' } } }
    expect((await podIn('1.24', spec)).metadata.annotations).to.deep.equal({ [SECCOMP]: 'unconfined' })
    expect((await podIn('1.25', spec)).metadata.annotations?.[SECCOMP]).to.equal(undefined)
  })

  it('convert AppArmor fields to annotations from 1.30 to 1.33', async () => {
    const spec = { securityContext: { appArmorProfile: { type: 'Unconfined' } } }
    const annotationIn = async (release: Release) => (await podIn(release, spec)).metadata.annotations?.[APP_ARMOR_OF_C]
    expect([await annotationIn('1.33'), await annotationIn('1.34')]).to.deep.equal(['unconfined', undefined])
  })

  it('initialize the status of volumes as their release does', async () => {
    const statusIn = async (release: Release) =>
      (await casesIn(release, persistentVolumeResource).create({ spec: hostPath, status: { phase: 'Bound' } })).status
    expect(await statusIn('1.24')).to.deep.equal({ phase: 'Bound' })
    expect(await statusIn('1.28')).to.deep.equal({ phase: 'Pending' })
    expect((await statusIn('1.29')).lastPhaseTransitionTime).to.be.a('string')
  })

  it('increment the generation of CSI drivers', async () => {
    const generationIn = async (release: Release, change: object) => {
      const cases = casesIn(release, csiDriverResource)
      await cases.create({ spec: {} })
      return (await cases.update({ spec: change })).metadata.generation
    }
    const capacity = { storageCapacity: true }
    expect([await generationIn('1.29', capacity), await generationIn('1.30', capacity)]).to.deep.equal([undefined, 1])
    expect(await generationIn('1.29', { requiresRepublish: true })).to.equal(1)
  })

  for (const [since, definition, body, warning, metadata] of FIRST)
    it(`warn since ${since}: ${warning}`, async () => {
      const warningsIn = async (release: Release): Promise<string[]> => {
        const cases = casesIn(release, definition)
        await cases.create(body, metadata)
        return cases.server.warnings.filter(text => (typeof warning === 'string' ? text === warning : warning.test(text)))
      }
      expect([(await warningsIn(previousRelease(since))).length, (await warningsIn(since)).length]).to.deep.equal([0, 1])
    })
})
