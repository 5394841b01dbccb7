import type { MapEntry, SourceNode } from '../../upgrade/source/nodes.ts'
import type { InputObject } from '../input/input-object.ts'
import type { CheckFinding, CheckSeverity } from '../types.ts'
import { objectFinding } from './finding.ts'

/**
 * Findings about repeated keys. kubectl, Helm and clients send the last one, so the server sees no other; a server that
 * gets the text itself refuses the object with this message.
 */
export const duplicateFindings = (object: InputObject, severity: CheckSeverity): CheckFinding[] =>
  [...repeatedKeys(object.node, '')].map(({ path, entry: { keyStart, keyEnd, value } }) =>
    objectFinding(object, 'duplicate-field', severity, `duplicate field "${path}"`, {
      field: path,
      at: { range: { start: keyStart, end: keyEnd }, node: value, path, isExact: true },
      advice: 'remove one of both: kubectl sends the last one',
    }),
  )

interface RepeatedKey {
  readonly path: string
  readonly entry: MapEntry
}

/** Yields members whose key an earlier member of their map has. Aliases are not followed. */
function* repeatedKeys(node: SourceNode, path: string): Generator<RepeatedKey> {
  if (node.kind === 'list') for (const [i, item] of node.items.entries()) yield* repeatedKeys(item, `${path}[${i}]`)
  if (node.kind !== 'map') return
  const seen = new Set<string>()
  for (const entry of node.pairs) {
    const inner = path === '' ? entry.key : `${path}.${entry.key}`
    if (seen.has(entry.key)) yield { path: inner, entry }
    seen.add(entry.key)
    yield* repeatedKeys(entry.value, inner)
  }
}
