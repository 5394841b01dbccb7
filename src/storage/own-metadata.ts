import { findMetadata, memberAt, skipValue, textAt } from './json-splice.ts'
import { SharedValues } from './shared-values.ts'

/** Reads single members of JSON that this program wrote, without parsing the rest. `header` is that of `Encoded`. */

/** Labels of an object. Shared: never mutate. */
export type Labels = Readonly<Record<string, string>>

const NO_LABELS: Labels = {}
const LABELS = Buffer.from('labels')
/** A long member that follows all the members read here, in struct order as well as in sorted order. */
const MANAGED_FIELDS = Buffer.from('managedFields')

/** Objects of one workload have the same labels. */
const shared = new SharedValues((text): Labels => JSON.parse(text))

/** Returns the labels of an object. The result is shared by all objects with the same labels: never mutate it. */
export function labelsOf(json: Buffer, header: number): Labels {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, LABELS, MANAGED_FIELDS)
  return at < 0 ? NO_LABELS : shared.of(json.toString('utf8', at, skipValue(json, at)))
}

const NAMES = { name: Buffer.from('name'), namespace: Buffer.from('namespace') }

/** Returns the name or namespace of an object; empty if it is absent. */
export function metadataText(json: Buffer, header: number, member: keyof typeof NAMES): string {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, NAMES[member])
  return at < 0 ? '' : textAt(json, at)
}
