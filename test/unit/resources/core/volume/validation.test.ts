import { expect } from 'chai'
import type { Volume } from '../../../../../src/api/core/v1.types.ts'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { typesOf } from '../../../../../src/catalog/types.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { type VolumeOptions, validateVolumes } from '../../../../../src/resources/core/volume/validation.ts'
import { decode } from '../../../../../src/schema/decode.ts'
import { applyDefaults } from '../../../../../src/schema/default.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

// The newest release has every volume source.
const schema = typesOf('1.36').type('core.Volume')

/** A volume with the defaults of its types, but not those of its pod, so that a volume without a source keeps none. */
function decoded(volume: object): Volume {
  const object = decode(schema, volume as JsonObject)
  applyDefaults(schema, object)
  return object as unknown as Volume
}

const OPTIONS: VolumeOptions = { resourceIsPod: true, allowNonLocalTokenPath: false, hostIPs: 'allowed', release: '1.33' }

const check = (volumes: object[], pod = 'p'): string[] =>
  runAtOnce(validateVolumes(volumes.map(decoded), pod, fieldPath('v'), OPTIONS)).errors.map(fieldErrorText)
const claim = { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } } }

/** One volume, named `n` by default, and its errors, without the prefix `v[0]`. */
const cases: Record<string, [volume: object, ...errors: string[]]> = {
  'no source': [{}, ': Required value: must specify a volume type'],
  'two sources': [{ emptyDir: {}, cephfs: { monitors: ['m'] } }, '.cephFS: Forbidden: may not specify more than 1 volume type'],
  'no name': [{ name: undefined, emptyDir: {} }, '.name: Required value'],
  'empty dir': [{ emptyDir: { sizeLimit: '-1' } }, '.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  'host path': [
    { hostPath: { path: '/a/..', type: 'Dir' } },
    `.hostPath.path: Invalid value: "/a/..": must not contain '..'`,
    '.hostPath.type: Unsupported value: "Dir": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
  ],
  git: [
    { gitRepo: { directory: '/a' } },
    '.gitRepo.repository: Required value',
    '.gitRepo.directory: Invalid value: "/a": must be a relative path',
  ],
  gce: [
    { gcePersistentDisk: { partition: 256 } },
    '.persistentDisk.pdName: Required value',
    '.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
  ],
  aws: [{ awsElasticBlockStore: {} }, '.awsElasticBlockStore.volumeID: Required value'],
  secret: [
    { secret: { defaultMode: 512, items: [{ key: 'k', path: '..a' }] } },
    '.secret.secretName: Required value',
    '.secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    `.secret.items[0].path: Invalid value: "..a": must not start with '..'`,
  ],
  nfs: [{ nfs: { path: 'a' } }, '.nfs.server: Required value', '.nfs.path: Invalid value: "a": must be an absolute path'],
  iscsi: [
    { iscsi: { targetPortal: 'p', iqn: 'abc', lun: -1, chapAuthSession: true } },
    '.iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
    '.iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive',
    '.iscsi.secretRef: Required value',
  ],
  'iscsi initiator': [
    { iscsi: { targetPortal: 'p'.repeat(63), iqn: 'iqn.2015-02.example.com:init', initiatorName: 'iqn.x' } },
    '.iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
    '.name: Invalid value: "n": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
  ],
  flocker: [
    { flocker: { datasetName: 'a/b', datasetUUID: 'c' } },
    '.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
    `.flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
  ],
  claim: [{ persistentVolumeClaim: {} }, '.persistentVolumeClaim.claimName: Required value'],
  rbd: [{ rbd: {} }, '.rbd.monitors: Required value', '.rbd.image: Required value'],
  cinder: [{ cinder: { volumeID: 'a', secretRef: {} } }, '.cinder.secretRef.name: Required value'],
  quobyte: [
    { quobyte: { registry: 'a', volume: 'v' } },
    '.quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas',
  ],
  fc: [{ fc: { targetWWNs: ['w'] } }, '.fc.lun: Required value: lun is required if targetWWNs is specified'],
  flex: [
    { flexVolume: { driver: 'd', options: { 'x.K8s.io/a': '1', 'example.com/k8s.io': '2' } } },
    '.flexVolume.options[x.K8s.io/a]: Invalid value: "x.K8s.io/a": kubernetes.io and k8s.io namespaces are reserved',
  ],
  'azure disk': [
    { azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Managed', cachingMode: 'All' } },
    '.azureDisk.cachingMode: Unsupported value: "All": supported values: "None", "ReadOnly", "ReadWrite"',
    '.azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
  ],
  csi: [{ csi: { driver: 'a', nodePublishSecretRef: {} } }, '.csi.nodePublishSecretRef.name: Required value'],
  'downward files': [
    { downwardAPI: { items: [{ path: 'a' }, { path: 'b', resourceFieldRef: { resource: 'limits.cpu' } }] } },
    '.downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    '.downwardAPI.resourceFieldRef.containerName: Required value',
  ],
  projected: [
    {
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
          { configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] }, serviceAccountToken: { path: '../t', expirationSeconds: 1 } },
        ],
      },
    },
    '.projected: Invalid value: "m": conflicting duplicate paths',
    '.projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    `.projected.path: Invalid value: "../t": must not contain '..'`,
    '.projected.sources[1]: Forbidden: may not specify more than 1 volume type per source',
  ],
  'trust bundles': [
    {
      projected: { sources: [{ clusterTrustBundle: { path: 'a' } }, { clusterTrustBundle: { name: 'b', path: 'b', labelSelector: {} } }] },
    },
    '.projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified',
    '.projected.sources[1].clusterTrustBundle.labelSelector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: labelSelector must be unset if name is specified',
  ],
  'certificates of pods': [
    {
      projected: {
        sources: [
          { podCertificate: { signerName: 'a.io/b', keyType: 'ED25519', credentialBundlePath: 'a', maxExpirationSeconds: 3600 } },
          {
            podCertificate: {
              signerName: 'kubernetes.io/b',
              keyType: 'RSA',
              keyPath: 'a',
              certificateChainPath: '../c',
              maxExpirationSeconds: 90_000,
            },
          },
          { podCertificate: { signerName: 'a.io/b', keyType: 'RSA4096', userAnnotations: { a: 'b' } } },
        ],
      },
    },
    '.projected.sources[1].podCertificate.keyType: Unsupported value: "RSA": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
    '.projected.sources[1].podCertificate.maxExpirationSeconds: Invalid value: 90000: if provided, maxExpirationSeconds must be <= 86400',
    '.projected: Invalid value: "a": conflicting duplicate paths',
    `.projected.sources[1].podCertificate.certificateChainPath: Invalid value: "../c": must not contain '..'`,
    '.projected.sources[2].podCertificate.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
    '.projected.sources[2].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
  ],
  ephemeral: [{ ephemeral: {} }, '.ephemeral.volumeClaimTemplate: Required value'],
  'ephemeral claim': [
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: 'x' },
          spec: { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'], resources: { requests: { storage: '0' } } },
        },
      },
    },
    '.ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
    '.ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    '.ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
  ],
  image: [{ image: { pullPolicy: 'Always' } }, '.image.reference: Required value'],
}

describe('resources/core/volume/validation', () => {
  for (const [name, [volume, ...errors]] of Object.entries(cases)) {
    it(name, () => expect(check([{ name: 'n', ...volume }])).to.deep.equal(errors.map(error => `v[0]${error}`)))
  }

  it('duplicate names', () => {
    expect(
      check([
        { name: 'a', emptyDir: {} },
        { name: 'a', emptyDir: {} },
      ]),
    ).to.deep.equal(['v[1].name: Duplicate value: "a"'])
  })

  it('the claim of an ephemeral volume in the same pod', () => {
    const volumes = [
      { name: 'a', ephemeral: claim },
      { name: 'b', persistentVolumeClaim: { claimName: 'p-a' } },
    ]
    expect(check(volumes)).to.deep.equal([
      'v[1].persistentVolumeClaim.claimName: Invalid value: "p-a": must not reference a PVC that gets created for an ephemeral volume',
    ])
    expect(check(volumes, '')).to.deep.equal([])
  })

  it('takes steps for many volumes', () => {
    const volumes = Array.from({ length: 5000 }, (_, i) => decoded({ name: `v${i}`, emptyDir: {} }))
    const { result, yields } = countedSteps(validateVolumes(volumes, 'p', fieldPath('v'), OPTIONS))
    expect([result.errors, result.passed.size]).to.deep.equal([[], 5000])
    expect(yields).to.be.at.least(5000 / 32 - 1)
  })
})
