import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/core/v1.types.ts'
import { bestVolume } from '../../../src/cluster/controllers/persistentvolumebinder/claim-decision.ts'
import { decideReclaim, decideVolume } from '../../../src/cluster/controllers/persistentvolumebinder/volume-decision.ts'
import { hasOtherMode } from '../../../src/cluster/shared/volumes.ts'

interface VolumeIn {
  readonly id: string
  readonly capacity: string
  readonly accessModes: readonly string[]
  readonly class?: string
  readonly attributesClass?: string
  readonly labels?: Record<string, string>
  readonly mode?: string
  readonly claimRefUid?: string
  readonly phase?: string
}

interface ClaimIn {
  readonly request: string
  readonly accessModes: readonly string[]
  readonly class?: string
  readonly attributesClass?: string
  readonly selector?: Record<string, string>
  readonly mode?: string
  readonly delayed?: boolean
}

const volumeOf = (given: VolumeIn): PersistentVolume =>
  ({
    metadata: { name: given.id, labels: given.labels },
    spec: {
      capacity: { storage: given.capacity },
      accessModes: given.accessModes,
      storageClassName: given.class,
      volumeAttributesClassName: given.attributesClass,
      volumeMode: given.mode,
      ...(given.claimRefUid && { claimRef: { namespace: 'other', name: 'other', uid: given.claimRefUid } }),
    },
    status: { phase: given.phase },
  }) as unknown as PersistentVolume

/**
 * Access modes of a claim. The entries list those of upstream's `makePVC`, ReadOnlyMany and ReadWriteOnce, as
 * ReadWriteOnce alone.
 */
const modesOf = ({ accessModes, class: className, selector }: ClaimIn): readonly string[] =>
  className === undefined && selector === undefined && accessModes.join() === 'ReadWriteOnce'
    ? ['ReadOnlyMany', 'ReadWriteOnce']
    : accessModes

const claimOf = (given: ClaimIn): PersistentVolumeClaim =>
  ({
    metadata: { name: 'claim01', namespace: 'myns' },
    spec: {
      accessModes: modesOf(given),
      resources: { requests: { storage: given.request } },
      storageClassName: given.class,
      volumeAttributesClassName: given.attributesClass,
      volumeMode: given.mode,
      ...(given.selector && { selector: { matchLabels: given.selector } }),
    },
    status: {},
  }) as unknown as PersistentVolumeClaim

/** Volumes of the table `match`, which the file of the oracle lists. */
function testVolumes(): PersistentVolume[] {
  const folder = process.env.CLUSTER_ORACLE ?? join(import.meta.dirname, '../../fixtures/cluster')
  const text = readFileSync(join(folder, 'controllers/persistentvolume-binder.yaml'), 'utf8')
  return (load(text) as { testVolumes: VolumeIn[] }).testVolumes.map(volumeOf)
}

/** Phase of a volume in a situation that an entry describes in words. */
function phaseOf(situation: string): string {
  const claimRef = situation.includes('claimRef unset')
    ? undefined
    : { namespace: 'ns', name: 'c', ...(!situation.includes('without uid') && { uid: 'u' }) }
  const policy = /Recycle|Delete|Retain/.exec(situation)?.[0] ?? 'Retain'
  const volume = {
    metadata: { name: 'v' },
    spec: { claimRef, persistentVolumeReclaimPolicy: policy },
    status: {},
  } as unknown as PersistentVolume
  const isBound = !/deleted|gone|policy/.test(situation)
  const claim = { metadata: { name: 'c', uid: 'u' }, spec: { volumeName: 'v' }, status: {} } as unknown as PersistentVolumeClaim
  const decision = decideVolume(volume, isBound ? claim : undefined)
  if (decision.action === 'set phase') return decision.phase
  return decideReclaim(volume, true).action === 'fail' ? 'Failed' : 'Released'
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  match: (given: ClaimIn) =>
    bestVolume(claimOf(given), testVolumes(), { matchAttributes: true, isDelayed: given.delayed ?? false })?.metadata.name ?? '',
  'volume-mode': ({ claim, volume }: { claim?: string; volume?: string }) =>
    hasOtherMode(
      { spec: { ...(claim && { volumeMode: claim }), resources: {} } } as unknown as PersistentVolumeClaim,
      { spec: { ...(volume && { volumeMode: volume }) } } as unknown as PersistentVolume,
    ),
  phases: phaseOf,
  events: 'the entries describe situations in words, and unit and integration tests check the events',
}
