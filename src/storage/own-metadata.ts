import { findMetadata, memberAt, skipValue, textAt } from './json-splice.ts'
import { SharedValues } from './shared-values.ts'

/** Looks at single members of JSON that this program made, without parsing the rest. `header`: as of Encoded. */

export type Labels = Readonly<Record<string, string>>

const NO_LABELS: Labels = {}
const LABELS = Buffer.from('labels')
/** Long, and behind all that is looked for, in the order of Go's structs as in that of names. */
const MANAGED_FIELDS = Buffer.from('managedFields')

/** Objects of one workload have the same. */
const shared = new SharedValues((text): Labels => JSON.parse(text))

/** Shared with all objects that have the same labels: never mutate. */
export function labelsOf(json: Buffer, header: number): Labels {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, LABELS, MANAGED_FIELDS)
  return at < 0 ? NO_LABELS : shared.of(json.toString('utf8', at, skipValue(json, at)))
}

const NAMES = { name: Buffer.from('name'), namespace: Buffer.from('namespace') }

/** Empty where it is absent. */
export function metadataText(json: Buffer, header: number, member: keyof typeof NAMES): string {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, NAMES[member])
  return at < 0 ? '' : textAt(json, at)
}
