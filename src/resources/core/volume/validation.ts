import { duplicate, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDnsLabel } from '../checks.ts'
import { checkClaimTemplate } from './claim-template.ts'
import { checkDownwardSource, checkKeyedSource, checkProjected } from './files.ts'
import { checkIscsi, ISCSI_NAME_TOO_LONG } from './iscsi.ts'
import { checkDescendingPath } from './paths.ts'
import type { SourceCheck } from './sources.ts'
import { commonSources, podSources } from './sources.ts'

export interface VolumeOptions {
  /** The volumes are a pod's, not a template's. */
  readonly resourceIsPod: boolean
  /** An older object already has a token at a path that leaves its volume. */
  readonly allowNonLocalTokenPath: boolean
}

/** Volumes that passed, by name: what mounts may refer to. */
export type VolumesByName = ReadonlyMap<string, ApiStruct>

interface SourceRule {
  readonly kind: string
  /** The name in paths, where upstream says another than the field's. */
  readonly shown?: string
  /** The same of the message that a second source is too many. */
  readonly refused?: string
  check(source: ApiStruct, path: FieldPath, errors: Errors, context: Context): void
}
interface Context {
  readonly volume: string
  readonly pod: string
  readonly options: VolumeOptions
}

const rule = (kind: keyof typeof commonSources | keyof typeof podSources, names?: { shown?: string; refused?: string }): SourceRule => ({
  kind,
  check: ({ ...commonSources, ...podSources } as Record<string, SourceCheck>)[kind] as SourceCheck,
  ...names,
})

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']

/** In the order in which upstream looks: of two sources, the later one is refused. */
const RULES: readonly SourceRule[] = [
  {
    kind: 'emptyDir',
    check(source, path, errors) {
      if (source.sizeLimit !== undefined && compareQuantity(source.sizeLimit, 0) < 0) {
        errors.push(forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'))
      }
    },
  },
  rule('hostPath'),
  {
    kind: 'gitRepo',
    check(source, path, errors) {
      if (!source.repository) errors.push(required(path.child('repository')))
      checkDescendingPath(source.directory ?? '', path.child('directory'), errors)
    },
  },
  rule('gcePersistentDisk', { shown: 'persistentDisk' }),
  rule('awsElasticBlockStore'),
  { kind: 'secret', check: (source, path, errors) => checkKeyedSource(source, 'secretName', path, errors) },
  rule('nfs'),
  { kind: 'iscsi', check: (source, path, errors) => checkIscsi(source, path, errors) },
  rule('glusterfs'),
  rule('flocker'),
  {
    kind: 'persistentVolumeClaim',
    check(source, path, errors) {
      if (!source.claimName) errors.push(required(path.child('claimName')))
    },
  },
  rule('rbd'),
  rule('cinder'),
  rule('cephfs', { refused: 'cephFS' }),
  rule('quobyte'),
  { kind: 'downwardAPI', refused: 'downwarAPI', check: (source, path, errors) => checkDownwardSource(source, path, errors) },
  rule('fc'),
  rule('flexVolume'),
  { kind: 'configMap', check: (source, path, errors) => checkKeyedSource(source, 'name', path, errors) },
  rule('azureFile'),
  rule('vsphereVolume'),
  rule('photonPersistentDisk'),
  rule('portworxVolume'),
  rule('azureDisk'),
  rule('storageos'),
  { kind: 'projected', check: (source, path, errors, { options }) => checkProjected(source, path, options, errors) },
  rule('scaleIO'),
  rule('csi'),
  {
    kind: 'ephemeral',
    check(source, path, errors) {
      if (!source.volumeClaimTemplate) errors.push(required(path.child('volumeClaimTemplate')))
      else checkClaimTemplate(source.volumeClaimTemplate, path.child('volumeClaimTemplate'), errors)
    },
  },
  {
    kind: 'image',
    check(source, path, errors, { options }) {
      if (options.resourceIsPod && !source.reference) errors.push(required(path.child('reference')))
      if (!source.pullPolicy) errors.push(required(path.child('pullPolicy')))
      else if (!PULL_POLICIES.includes(source.pullPolicy)) errors.push(notSupported(path.child('pullPolicy'), source.pullPolicy, PULL_POLICIES))
    },
  },
]

function checkSource(volume: ApiStruct, path: FieldPath, context: Context, errors: Errors): void {
  let count = 0
  for (const { kind, shown = kind, refused = kind, check } of RULES) {
    const source = volume[kind]
    if (source === undefined) continue
    if (count > 0) errors.push(forbidden(path.child(refused), 'may not specify more than 1 volume type'))
    else check(source, path.child(shown), errors, context)
    count++
    if (kind === 'iscsi' && source.initiatorName !== undefined && `${context.volume}:${source.targetPortal ?? ''}`.length > 64) {
      errors.push(invalid(path.child('name'), context.volume, ISCSI_NAME_TOO_LONG))
    }
    if (kind === 'ephemeral' && count === 1 && context.pod !== '' && context.volume !== '') {
      const claim = `${context.pod}-${context.volume}`
      for (const text of nameIsDnsSubdomain(claim, false))
        errors.push(invalid(path.child('name'), context.volume, `PVC name ${JSON.stringify(claim)}: ${text}`))
    }
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'))
}

/** `pod`: the name of the pod, '' for a template. Volumes with errors are not in the answer: mounts of them are told, too. */
export function checkVolumes(volumes: readonly ApiStruct[], pod: string, path: FieldPath, options: VolumeOptions, errors: Errors): VolumesByName {
  const byName = new Map<string, ApiStruct>()
  const created = new Set(pod === '' ? [] : volumes.filter(volume => volume.ephemeral).map(volume => `${pod}-${volume.name}`))
  volumes.forEach((volume, i) => {
    const at = path.index(i)
    const name: string = volume.name ?? ''
    const before = errors.length
    checkSource(volume, at, { volume: name, pod, options }, errors)
    if (name === '') errors.push(required(at.child('name')))
    else checkDnsLabel(name, at.child('name'), errors)
    if (byName.has(name)) errors.push(duplicate(at.child('name'), name))
    if (errors.length === before) byName.set(name, volume)
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && created.has(claim)) {
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claim, 'must not reference a PVC that gets created for an ephemeral volume'))
    }
  })
  return byName
}
