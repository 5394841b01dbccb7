import type { Json } from '../api/meta/object.ts'
import { yamlBytes } from '../codec/yaml-writer.ts'
import type { FaultSpec } from '../faults/fault-spec.ts'
import { hasMembers } from '../meta/equal.ts'
import { readManifests } from '../upgrade/manifests.ts'

/** Writes faults as objects, one document each. */
export const faultFile = (faults: readonly FaultSpec[]): string =>
  faults.map((spec, index) => yamlBytes(faultObject(spec, index + 1)).toString()).join('---\n')

function faultObject(spec: FaultSpec, number: number): Json {
  // A FaultSpec has only values of JSON.
  const plain: Json = JSON.parse(JSON.stringify(spec))
  return { apiVersion: 'binnacle.dev/v1alpha1', kind: 'Fault', metadata: { name: `explore-${number}` }, spec: plain }
}

/** Reads the faults of a file. Throws an Error if an object of it is no Fault. */
export function readFaultFile(text: string): FaultSpec[] {
  return readManifests('fault file', text).objects.map(({ value, kind }) => {
    if (kind !== 'Fault' || !('spec' in value) || !hasMembers(value.spec))
      throw new Error(`fault file: ${kind || 'an object'} is not a Fault with a spec`)
    // Whether its values are valid is checked when the fault is added.
    return value.spec as FaultSpec
  })
}
