import { goJson } from '../../codec/json.ts'
import type { SourceNode } from '../../upgrade/source/nodes.ts'

/**
 * Writes a node as JSON. Of repeated keys the last one counts, as in kubectl. Members of merged maps come first.
 * @param without values that are left out, with their keys
 */
export function nodeJson(node: SourceNode, without: ReadonlySet<SourceNode>): string {
  switch (node.kind) {
    case 'scalar':
      return goJson(node.value)
    case 'alias':
      return nodeJson(node.target, without)
    case 'list':
      return `[${node.items
        .filter(item => !without.has(item))
        .map(item => nodeJson(item, without))
        .join(',')}]`
    case 'map': {
      const own = new Map(node.pairs.map(pair => [pair.key, pair]))
      return `{${[...mergedMembers(node.merged, own, without), ...members([...own.values()], without)].join(',')}}`
    }
  }
}

interface Member {
  readonly key: string
  readonly value: SourceNode
}

const members = (pairs: readonly Member[], without: ReadonlySet<SourceNode>): string[] =>
  pairs.filter(({ value }) => !without.has(value)).map(({ key, value }) => `${goJson(key)}:${nodeJson(value, without)}`)

/** Members of merged maps that the map does not set itself. */
function mergedMembers(merged: readonly SourceNode[], own: ReadonlyMap<string, Member>, without: ReadonlySet<SourceNode>): string[] {
  const found = new Map<string, Member>()
  const collect = (node: SourceNode): void => {
    const map = node.kind === 'alias' ? node.target : node
    if (map.kind !== 'map') return
    for (const inner of map.merged) collect(inner)
    for (const pair of map.pairs) if (!own.has(pair.key)) found.set(pair.key, pair)
  }
  for (const node of merged) collect(node)
  return members([...found.values()], without)
}
