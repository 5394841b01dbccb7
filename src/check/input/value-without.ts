import type { Json, JsonObject } from '../../api/meta/object.ts'
import { setMember } from '../../meta/equal.ts'
import { type MapNode, nodeValue, type SourceNode } from '../../upgrade/source/nodes.ts'

/**
 * Returns the value of a node. Of repeated keys the last one counts, as in kubectl.
 * @param without values that are left out, with their keys
 */
export function valueWithout(node: SourceNode, without: ReadonlySet<SourceNode>): Json {
  if (without.size === 0) return nodeValue(node)
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'alias':
      return valueWithout(node.target, without)
    case 'list':
      return node.items.filter(item => !without.has(item)).map(item => valueWithout(item, without))
    case 'map': {
      const object: JsonObject = {}
      for (const [key, value] of membersOf(node)) if (!without.has(value)) setMember(object, key, valueWithout(value, without))
      return object
    }
  }
}

/** Members of a map and of those that it merges, by key. Its own members take precedence. */
function membersOf(map: MapNode): Map<string, SourceNode> {
  const members = new Map<string, SourceNode>()
  const add = ({ merged, pairs }: MapNode): void => {
    for (const node of merged) {
      const inner = node.kind === 'alias' ? node.target : node
      if (inner.kind === 'map') add(inner)
    }
    for (const { key, value } of pairs) members.set(key, value)
  }
  add(map)
  return members
}
