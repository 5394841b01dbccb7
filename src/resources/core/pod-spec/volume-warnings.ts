import type { PersistentVolumeClaimSpec, Volume, VolumeSource } from '../../../api/core/v1.types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fractionalByteWarnings } from '../resource-list.ts'
import { overlapWarnings } from './overlap-warnings.ts'

const DEPRECATED: readonly (readonly [kind: keyof VolumeSource, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
]
/** Warnings of releases before 1.27 for volumes that were removed since. 1.24 has none for the last. */
const OLD_TEXTS: Readonly<Record<string, string>> = {
  flocker: 'deprecated in v1.22, support removal is planned in v1.26',
  storageos: 'deprecated in v1.22, support removal is planned in v1.26',
  quobyte: 'deprecated in v1.22, support removal is planned in v1.26',
  glusterfs: 'deprecated in v1.25, this feature will be removed soon after in a subsequent release',
}
/** These warnings follow those of ephemeral volumes. */
const DEPRECATED_LATER: typeof DEPRECATED = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

/** Warnings for deprecated sources, and for sources that overwrite each other’s paths. */
export function* volumeWarnings(volumes: readonly Volume[], features: Features, path: FieldPath): Steps<string[]> {
  const warnings: string[] = []
  const cloned = isSince(features.release, '1.33') && !features.enabled('GitRepoVolumeDriver') ? ', and disabled by default in v1.33+' : ''
  const before27 = !isSince(features.release, '1.27')
  for (const [i, volume] of volumes.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    for (const [kind, shown, text] of DEPRECATED)
      if (volume[kind] && (kind !== 'glusterfs' || isSince(features.release, '1.25')))
        warnings.push(`${at.child(shown)}: ${(before27 ? OLD_TEXTS[kind] : undefined) ?? text}${kind === 'gitRepo' ? cloned : ''}`)
    const claim = volume.ephemeral?.volumeClaimTemplate
    if (claim && isSince(features.release, '1.26'))
      warnings.push(...claimSpecWarnings(claim.spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec')))
    if (isSince(features.release, '1.28'))
      for (const [kind, shown, text] of DEPRECATED_LATER) if (volume[kind]) warnings.push(`${at.child(shown)}: ${text}`)
  }
  yield
  return [...warnings, ...overlapWarnings(volumes, features.release)]
}

/** Warnings for the spec of a claim. */
export const claimSpecWarnings = ({ resources }: PersistentVolumeClaimSpec, path: FieldPath): string[] =>
  (['requests', 'limits'] as const).flatMap(list => fractionalByteWarnings(resources[list], ['storage'], path.child('resources', list)))
