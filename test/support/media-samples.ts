import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/api/meta/object.ts'
import { readFixtures } from './probe/fixtures.ts'
import type { RequestStep, Step } from './probe/probe-case.ts'

/** An object that the server takes, and where. */
export interface MediaSample {
  /** Origin of the object. */
  readonly from: string
  /** Of the collection, with `{ns}` where the namespace goes. */
  readonly path: string
  readonly body: JsonObject & { readonly metadata: JsonObject & { readonly name: string } }
}

const ROUNDTRIP = join(import.meta.dirname, '..', 'fixtures', 'codec', 'roundtrip')

const isRequest = (step: Step | undefined): step is RequestStep => step !== undefined && 'do' in step

/**
 * Objects with a name of their own, created by the first step of a case that states success: nothing has to be there
 * before.
 */
function ofProbe(area: string): MediaSample[] {
  return readFixtures(area).flatMap(({ name: from, steps: [first] }) => {
    if (!isRequest(first) || (first.expect?.status ?? 201) !== 201) return []
    const [method, path] = first.do.split(' ') as [string, string]
    const body = first.body as MediaSample['body'] | undefined
    return method === 'POST' && !path.includes('?') && typeof body?.metadata?.name === 'string' ? [{ from, path, body }] : []
  })
}

/**
 * The serialized objects of `collections` (by the file's name without its ending), which fill every field and of which
 * few are valid.
 */
export function roundtripSamples(collections: Readonly<Record<string, string>>): MediaSample[] {
  const files = readdirSync(ROUNDTRIP).filter(file => file.endsWith('.json'))
  return files.flatMap(file => {
    const from = file.slice(0, -'.json'.length)
    const path = collections[from]
    if (path === undefined) return []
    const body = JSON.parse(readFileSync(join(ROUNDTRIP, file), 'utf8')) as MediaSample['body']
    return [{ from, path, body: { ...body, metadata: { name: 'serialized' } } }]
  })
}

export const probeSamples = (): MediaSample[] => ['defaults', 'printing', 'validation'].flatMap(ofProbe)

const own = (path: string, body: object): MediaSample => {
  const [, , group, version] = path.split('/') as [string, string, string, string]
  return { from: 'own', path, body: { apiVersion: `${group}/${version}`, ...body } as unknown as MediaSample['body'] }
}

const claimSpec = { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'gpu' } }] } }

/** Certificate of a CA, valid until 2126, whose key was discarded. */
const AUTHORITY = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBdjCCAR2gAwIBAgIUPpTuHdEaje4Y5Khac3QRLZPMiokwCgYIKoZIzj0EAwIw',
  'EDEOMAwGA1UEAwwFbWVkaWEwIBcNMjYxMTIxMTY0NTE2WhgPMjEyNjEwMjgxNjQ1',
  'MTZaMBAxDjAMBgNVBAMMBW1lZGlhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE',
  'laApSKVgE3XmMIgZ3Q5e82eBVUb55B1ZezR0mc2sTYr9uZlbXXwSHw5HVYJLxpQV',
  'onj3QfLblwmVlVJTOMTixKNTMFEwHQYDVR0OBBYEFKMqYUmPtWNyZPy0nh+IXnF2',
  'yuoVMB8GA1UdIwQYMBaAFKMqYUmPtWNyZPy0nh+IXnF2yuoVMA8GA1UdEwEB/wQF',
  'MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgXVE1snXKNjjbVDpXTONJVtqF/y6mwNhX',
  'WRx0DeCvrW4CICeL1qgw66EzNmgQqFYWB8jwXGp+JjXv27UMFMeLY/BW',
  '-----END CERTIFICATE-----',
  '',
].join('\n')

/** One of each kind that no case creates. */
export const ownSamples: readonly MediaSample[] = [
  own('/apis/certificates.k8s.io/v1beta1/clustertrustbundles', {
    kind: 'ClusterTrustBundle',
    metadata: { name: 'roots' },
    spec: { trustBundle: AUTHORITY },
  }),
  {
    from: 'own',
    path: '/api/v1/namespaces/{ns}/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' }, automountServiceAccountToken: false },
  },
  own('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    kind: 'ClusterRoleBinding',
    metadata: { name: 'readers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: 'ann' }],
  }),
  own('/apis/coordination.k8s.io/v1beta1/namespaces/{ns}/leasecandidates', {
    kind: 'LeaseCandidate',
    metadata: { name: 'one' },
    spec: {
      leaseName: 'l',
      binaryVersion: '1.33.0',
      emulationVersion: '1.33.0',
      strategy: 'OldestEmulationVersion',
      renewTime: '2026-01-02T03:04:05.000006Z',
    },
  }),
  own('/apis/internal.apiserver.k8s.io/v1alpha1/storageversions', {
    kind: 'StorageVersion',
    metadata: { name: 'apps.deployments' },
    spec: {},
  }),
  own('/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations', {
    kind: 'StorageVersionMigration',
    metadata: { name: 'one' },
    spec: { resource: { group: '', version: 'v1', resource: 'secrets' } },
  }),
  own('/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies', {
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'one' },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  }),
  own('/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings', {
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'one' },
    spec: { policyName: 'one' },
  }),
  own('/apis/resource.k8s.io/v1beta2/deviceclasses', { kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} }),
  own('/apis/resource.k8s.io/v1beta2/namespaces/{ns}/resourceclaims', {
    kind: 'ResourceClaim',
    metadata: { name: 'one' },
    spec: claimSpec,
  }),
  own('/apis/resource.k8s.io/v1beta2/namespaces/{ns}/resourceclaimtemplates', {
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'one' },
    spec: { spec: claimSpec },
  }),
  own('/apis/resource.k8s.io/v1beta2/resourceslices', {
    kind: 'ResourceSlice',
    metadata: { name: 'one' },
    spec: { driver: 'gpu.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices: [{ name: 'd' }] },
  }),
  own('/apis/resource.k8s.io/v1alpha3/devicetaintrules', {
    kind: 'DeviceTaintRule',
    metadata: { name: 'one' },
    spec: { taint: { key: 'example.com/broken', effect: 'NoSchedule' } },
  }),
  own('/apis/storage.k8s.io/v1beta1/volumeattributesclasses', {
    kind: 'VolumeAttributesClass',
    metadata: { name: 'fast' },
    driverName: 'csi.example.com',
    parameters: { iops: '4000' },
  }),
]
