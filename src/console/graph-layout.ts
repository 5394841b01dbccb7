import type { Kind } from './kinds.ts'

/** An object in the ownership graph. */
export interface Related {
  /** Identifies the node in edges. */
  readonly uid: string
  readonly kind: string
  readonly name: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  /** Optional. Omitted if the kind is not served. */
  readonly of?: Kind
  /** Uids of its owners. */
  readonly owners: readonly string[]
  /** Set if it is referred to as an owner but does not exist. */
  readonly isMissing?: true
}

/** A node with the position of its upper left corner, in pixels. */
export interface Placed {
  readonly node: Related
  readonly x: number
  readonly y: number
}

/** A laid-out graph. Edges lead from owner to dependent; sizes are in pixels. */
export interface Layout {
  /** Nodes in the order of kind and name. */
  readonly placed: readonly Placed[]
  /** Pairs of owner and dependent, both of which are placed. */
  readonly edges: readonly (readonly [Placed, Placed])[]
  /** Right edge of the rightmost node. */
  readonly width: number
  /** Bottom edge of the lowest node. */
  readonly height: number
  /** Number of objects that did not fit. */
  readonly left: number
}

/** Size of a node and gaps between nodes, in pixels. */
export const NODE = { width: 200, height: 44, gapX: 56, gapY: 12 }
/** Limit for nodes. Objects beyond it are only counted. */
const MOST_NODES = 120

/**
 * Lays out the graph: owners to the left, dependents to the right, each in the column of its distance from the object.
 */
export function layOut(objects: readonly Related[], centre: string): Layout {
  const byUid = new Map(objects.map(node => [node.uid, node]))
  const columns = columnsOf(objects, centre)
  const shown = objects.filter(({ uid }) => columns.has(uid)).slice(0, MOST_NODES)
  const least = Math.min(0, ...columns.values())
  const filled = new Map<number, number>()
  const order = [...shown].sort((a, b) => compareIds(a.kind, b.kind) || compareIds(a.name, b.name))
  const placed = new Map<string, Placed>()
  for (const node of order) {
    const column = (columns.get(node.uid) ?? 0) - least
    const row = filled.get(column) ?? 0
    filled.set(column, row + 1)
    placed.set(node.uid, { node, x: column * (NODE.width + NODE.gapX), y: row * (NODE.height + NODE.gapY) })
  }
  const edges = [...placed.values()].flatMap(child =>
    (byUid.get(child.node.uid)?.owners ?? []).flatMap(owner => {
      const parent = placed.get(owner)
      return parent ? [[parent, child] as const] : []
    }),
  )
  const all = [...placed.values()]
  return {
    placed: all,
    edges,
    width: Math.max(0, ...all.map(({ x }) => x)) + NODE.width,
    height: Math.max(0, ...all.map(({ y }) => y)) + NODE.height,
    left: objects.length - all.length,
  }
}

const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns columns by uid: negative for owners, positive for dependents. */
function columnsOf(objects: readonly Related[], centre: string): Map<string, number> {
  const owners = new Map(objects.map(({ uid, owners }) => [uid, owners]))
  const dependents = new Map<string, string[]>()
  for (const { uid, owners } of objects) for (const owner of owners) dependents.set(owner, [...(dependents.get(owner) ?? []), uid])
  const columns = new Map([[centre, 0]])
  for (const [next, step] of [
    [owners, -1],
    [dependents, 1],
  ] as const) {
    let level = [centre]
    for (let column = step as number; level.length > 0; column += step) {
      const found = level.flatMap(uid => next.get(uid) ?? []).filter(uid => !columns.has(uid))
      for (const uid of found) columns.set(uid, column)
      level = [...new Set(found)]
    }
  }
  return columns
}
