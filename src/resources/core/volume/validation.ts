import type { GitRepoVolumeSource, ImageVolumeSource, Volume, VolumeSource } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { validateDnsLabel } from '../checks.ts'
import { validateClaimTemplate } from './claim-template.ts'
import type { HostIPsUse } from './downward-api.ts'
import { validateDownwardSource, validateKeyedSource, validateProjected } from './files.ts'
import { ISCSI_NAME_TOO_LONG, validateIscsi } from './iscsi.ts'
import { validateDescendingPath } from './paths.ts'
import { rulesFor, type SourceRule } from './source-rules.ts'
import { commonSources, podSources } from './sources.ts'

/** Rules that depend on gates and on the old object. */
export interface VolumeOptions {
  readonly release: Release
  /** Whether the volumes belong to a pod, not to a template. */
  readonly resourceIsPod: boolean
  /** Whether the old object has a token at a path outside of its volume. */
  readonly allowNonLocalTokenPath: boolean
  readonly hostIPs: HostIPsUse
}

/** Valid volumes by name, which mounts may refer to. */
export type VolumesByName = ReadonlyMap<string, Volume>

const rule = rulesFor<VolumeSource, VolumeOptions>()

const PULL_POLICIES = enumValues('core.PullPolicy')
/** Permission bits of a directory, with the sticky bit. */
const MOST_DIRECTORY_BITS = 0o1777

const validateGitRepo = ({ repository, directory = '' }: GitRepoVolumeSource, path: FieldPath): FieldError[] => [
  ...(repository === '' ? [required(path.child('repository'))] : []),
  ...validateDescendingPath(directory, path.child('directory')),
]

/**
 * Validates an image volume. Before 1.37 a template may lack the reference, which the controller or tool that creates
 * the pods sets. A pod may not.
 */
function validateImage(
  { reference, pullPolicy }: ImageVolumeSource,
  path: FieldPath,
  { resourceIsPod, release }: VolumeOptions,
): FieldError[] {
  const errors = (resourceIsPod || isSince(release, '1.37')) && !reference ? [required(path.child('reference'))] : []
  if (!pullPolicy) return [...errors, required(path.child('pullPolicy'))]
  return PULL_POLICIES.includes(pullPolicy) ? errors : [...errors, notSupported(path.child('pullPolicy'), pullPolicy, PULL_POLICIES)]
}

/**
 * Sources in upstream's order. If there are two, the later one is rejected. `downwarAPI` is upstream’s misspelling in
 * that error.
 */
const RULES: readonly SourceRule<VolumeSource, VolumeOptions>[] = [
  rule('emptyDir', ({ sizeLimit, mode }, path) => [
    ...(sizeLimit !== undefined && compareQuantity(sizeLimit, 0) < 0
      ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : []),
    ...(mode !== undefined && (mode < 0 || mode > MOST_DIRECTORY_BITS)
      ? [invalid(path.child('mode'), mode, 'must be a number between 0 and 01777 (octal), both inclusive')]
      : []),
  ]),
  rule('hostPath', commonSources.hostPath),
  rule('gitRepo', validateGitRepo),
  rule('gcePersistentDisk', commonSources.gcePersistentDisk, { shown: 'persistentDisk' }),
  rule('awsElasticBlockStore', commonSources.awsElasticBlockStore),
  rule('secret', (source, path) => validateKeyedSource(source, source.secretName, 'secretName', path)),
  rule('nfs', commonSources.nfs),
  rule('iscsi', (source, path) => validateIscsi(source, path)),
  rule('glusterfs', podSources.glusterfs),
  rule('flocker', commonSources.flocker),
  rule('persistentVolumeClaim', ({ claimName }, path) => (claimName === '' ? [required(path.child('claimName'))] : [])),
  rule('rbd', commonSources.rbd),
  rule('cinder', podSources.cinder),
  rule('cephfs', commonSources.cephfs, { refused: 'cephFS' }),
  rule('quobyte', commonSources.quobyte),
  rule('downwardAPI', validateDownwardSource, { refused: 'downwarAPI' }),
  rule('fc', commonSources.fc),
  rule('flexVolume', commonSources.flexVolume),
  rule('configMap', (source, path) => validateKeyedSource(source, source.name, 'name', path)),
  rule('azureFile', podSources.azureFile),
  rule('vsphereVolume', commonSources.vsphereVolume),
  rule('photonPersistentDisk', commonSources.photonPersistentDisk),
  rule('portworxVolume', commonSources.portworxVolume),
  rule('azureDisk', commonSources.azureDisk),
  rule('storageos', podSources.storageos),
  rule('projected', validateProjected),
  rule('scaleIO', commonSources.scaleIO),
  rule('csi', podSources.csi),
  rule('ephemeral', ({ volumeClaimTemplate: template }, path, { release }) =>
    template ? validateClaimTemplate(template, path.child('volumeClaimTemplate'), release) : [required(path.child('volumeClaimTemplate'))],
  ),
  rule('image', validateImage),
]

/**
 * Validates the sources of a volume. `pod` is the name of the pod, or empty for a template. If there are several
 * sources, only the first is validated. The length of an iscsi name is checked even for a rejected source, the name of
 * an ephemeral claim only for the first source.
 */
function validateVolumeSources(volume: Volume, pod: string, path: FieldPath, options: VolumeOptions): FieldError[] {
  const errors: FieldError[] = []
  const { name } = volume
  let count = 0
  for (const { kind, shown = kind, refused = kind, validate } of RULES) {
    if (volume[kind] === undefined) continue
    if (count > 0) errors.push(forbidden(path.child(refused), 'may not specify more than 1 volume type'))
    else errors.push(...validate(volume, path.child(shown), options))
    count++
    if (kind === 'iscsi' && volume.iscsi?.initiatorName !== undefined && `${name}:${volume.iscsi.targetPortal}`.length > 64) {
      errors.push(invalid(path.child('name'), name, ISCSI_NAME_TOO_LONG))
    }
    if (kind === 'ephemeral' && count === 1 && pod !== '' && name !== '')
      errors.push(...validateClaimName(`${pod}-${name}`, name, path.child('name')))
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'))
  return errors
}

/** Checks the name of the claim that is created for an ephemeral volume. */
const validateClaimName = (claim: string, volume: string, path: FieldPath): FieldError[] =>
  nameIsDnsSubdomain(claim, false).map(text => invalid(path, volume, `PVC name ${JSON.stringify(claim)}: ${text}`))

/**
 * Validates volumes, in steps. `pod` is the name of the pod, or empty for a template. `passed` leaves out invalid volumes, so
 * mounts of them are reported, too. A name is a duplicate only if the earlier one is valid. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateVolumes(
  volumes: readonly Volume[],
  pod: string,
  path: FieldPath,
  options: VolumeOptions,
): Steps<{ readonly errors: FieldError[]; readonly passed: VolumesByName }> {
  const errors: FieldError[] = []
  const passed = new Map<string, Volume>()
  // Names of claims that do not exist yet: a controller creates them for the ephemeral volumes of this pod.
  const created = new Set(pod === '' ? [] : volumes.filter(volume => volume.ephemeral).map(volume => `${pod}-${volume.name}`))
  for (const [i, volume] of volumes.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { name } = volume
    const before = errors.length
    errors.push(...validateVolumeSources(volume, pod, at, options))
    if (name === '') errors.push(required(at.child('name')))
    else errors.push(...validateDnsLabel(name, at.child('name')))
    if (passed.has(name)) errors.push(duplicate(at.child('name'), name))
    if (errors.length === before) passed.set(name, volume)
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && created.has(claim)) {
      errors.push(
        invalid(
          at.child('persistentVolumeClaim', 'claimName'),
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      )
    }
  }
  return { errors, passed }
}
