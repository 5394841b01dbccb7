import { isJsonObject } from '../../api/meta/object.ts'
import type { Version } from '../../catalog/definition.ts'
import { decodeObject } from '../../registry/decode-object.ts'
import { DecodeError } from '../../schema/decode.ts'
import { nodeValue, type SourceNode } from '../../upgrade/source/nodes.ts'
import type { InputObject } from '../input/input-object.ts'
import { eachScalar, type FieldLocation } from '../input/position.ts'

/** Number of values that are tried. */
const MOST_VALUES = 2000

/**
 * Finds the value that cannot be decoded, if the error does not name its field: quantities, times and base64. Decodes
 * the object without each of its values in turn. Undefined if none of them alone is the reason.
 */
export function culpritOf(object: InputObject, version: Version, without: ReadonlySet<SourceNode>): FieldLocation | undefined {
  const fault = decodeFault(object, version, without)
  if (fault === undefined) return undefined
  let left = MOST_VALUES
  for (const location of eachScalar(object.node)) {
    if (--left < 0) return undefined
    if (!without.has(location.node) && decodeFault(object, version, new Set([...without, location.node])) !== fault) return location
  }
  return undefined
}

function decodeFault({ node, apiVersion, kind }: InputObject, version: Version, without: ReadonlySet<SourceNode>): string | undefined {
  const value = nodeValue(node, { without })
  try {
    if (isJsonObject(value)) decodeObject(version, { ...value, apiVersion, kind }, () => {})
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}
