import { findMetadata, memberAt, skipValue, textAt } from './json-splice.ts'

/** Looks at single members of JSON that this program made, without parsing the rest. `header`: as of Encoded. */

export type Labels = Readonly<Record<string, string>>

const NO_LABELS: Labels = {}
const LABELS = Buffer.from('labels')

/** Label maps by their text: objects of one workload have the same. Two generations, so that few are kept for long. */
const GENERATION = 2048
let young = new Map<string, Labels>()
let old = new Map<string, Labels>()

/** Shared with all objects that have the same labels: never mutate. */
export function labelsOf(json: Buffer, header: number): Labels {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, LABELS)
  if (at < 0) return NO_LABELS
  const text = json.toString('utf8', at, skipValue(json, at))
  let labels = young.get(text)
  if (labels === undefined) {
    labels = old.get(text) ?? (JSON.parse(text) as Labels)
    if (young.size >= GENERATION) {
      old = young
      young = new Map()
    }
    young.set(text, labels)
  }
  return labels
}

const NAMES = { name: Buffer.from('name'), namespace: Buffer.from('namespace') }

/** Empty where it is absent. */
export function metadataText(json: Buffer, header: number, member: keyof typeof NAMES): string {
  const metadata = findMetadata(json, header)
  const at = metadata < 0 ? -1 : memberAt(json, metadata, NAMES[member])
  return at < 0 ? '' : textAt(json, at)
}
