import { MANY_MEMBERS, noteMembers } from '../lib/wide-objects.ts'
import type { SelectableLabels } from '../meta/label-matcher.ts'
import { PackedLabels } from '../meta/packed-labels.ts'
import { findMetadata, memberAt, skipValue, textAt } from './json-splice.ts'
import { SharedValues } from './shared-values.ts'

/** Reads single members of JSON that this program wrote, without parsing the rest. `header` is that of `Encoded`. */

/** Labels of an object. Shared: never mutate. */
export type SharedLabels = Readonly<Record<string, string>>

const NO_LABELS: SharedLabels = {}
const LABELS = Buffer.from('labels')
/** A long member that follows all the members read here, in struct order as well as in sorted order. */
const MANAGED_FIELDS = Buffer.from('managedFields')

/** Objects of one workload have the same labels. */
const shared = new SharedValues((text): SharedLabels => JSON.parse(text))

/**
 * Size in bytes from which labels take milliseconds to parse. They are searched in the JSON instead, and not shared.
 */
const LONG = 64 * 1024

/** Returns the labels of an object. The result is shared by all objects with the same labels: never mutate it. */
export function readLabels(json: Buffer, header: number): SelectableLabels {
  const [at, end] = extentOf(json, header)
  if (end - at < LONG) return labelsIn(json, at, end)
  return PackedLabels.read(json, at, end) ?? noteMembers<SharedLabels>(JSON.parse(json.toString('utf8', at, end)), MANY_MEMBERS + 1)
}

/** `readLabels`, unless they take long to parse. Most objects with so many labels are never selected by one. */
export function fewLabelsOf(json: Buffer, header: number): SharedLabels | undefined {
  const [at, end] = extentOf(json, header)
  return end - at < LONG ? labelsIn(json, at, end) : undefined
}

const labelsIn = (json: Buffer, at: number, end: number): SharedLabels =>
  at === end ? NO_LABELS : shared.of(json.toString('utf8', at, end))

/** Offsets at which the labels begin and end. They are equal if there are none. */
function extentOf(json: Buffer, header: number): [at: number, end: number] {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, LABELS, MANAGED_FIELDS)
  return at < 0 ? [0, 0] : [at, skipValue(json, at)]
}

const NAMES = { name: Buffer.from('name'), namespace: Buffer.from('namespace'), uid: Buffer.from('uid') }

/** Returns the name, namespace or uid of an object; empty if it is absent. */
export function metadataText(json: Buffer, header: number, member: keyof typeof NAMES): string {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, NAMES[member])
  return at < 0 ? '' : textAt(json, at)
}
