import type { MapEntry, SourceNode } from '../../upgrade/source/nodes.ts'
import type { InputObject } from '../input/input-object.ts'
import type { CheckFinding, CheckSeverity } from '../types.ts'
import { objectFinding } from './finding.ts'

/**
 * Findings about repeated keys. kubectl, Helm and clients send the last one, so the server sees no other; a server that
 * gets the text itself refuses the object with this message.
 */
export const duplicateFindings = (object: InputObject, severity: CheckSeverity): CheckFinding[] =>
  repeatedKeys(object.node).map(({ path, entry: { keyStart, keyEnd, value } }) =>
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

/** Returns the members whose key an earlier member of their map has. Aliases are not followed. */
function repeatedKeys(root: SourceNode): RepeatedKey[] {
  const repeated: RepeatedKey[] = []
  const visit = (node: SourceNode, path: string): void => {
    if (node.kind === 'list') for (const [i, item] of node.items.entries()) visit(item, `${path}[${i}]`)
    if (node.kind !== 'map') return
    const seen = new Set<string>()
    for (const entry of node.pairs) {
      const inner = path === '' ? entry.key : `${path}.${entry.key}`
      if (seen.has(entry.key)) repeated.push({ path: inner, entry })
      seen.add(entry.key)
      visit(entry.value, inner)
    }
  }
  visit(root, '')
  return repeated
}
