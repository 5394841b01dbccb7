import { importsOf } from './imports.ts'
import type { SourceFile } from './source-files.ts'

type Imports = ReadonlyMap<string, readonly string[]>

/** Returns the groups of nodes that reach each other, by Tarjan's algorithm. Edges to unknown nodes are ignored. */
export function cyclesOf(imports: Imports): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const mine = order.size
    order.set(node, mine)
    lowest.set(node, mine)
    path.push(node)
    for (const next of imports.get(node) ?? []) {
      if (!imports.has(next)) continue
      const reached = !order.has(next) ? visit(next) : path.includes(next) ? (order.get(next) as number) : mine
      lowest.set(node, Math.min(lowest.get(node) as number, reached))
    }
    if (lowest.get(node) === mine) {
      const group = path.splice(path.indexOf(node))
      if (group.length > 1 || imports.get(node)?.includes(node)) cycles.push(group)
    }
    return lowest.get(node) as number
  }
  for (const node of imports.keys()) if (!order.has(node)) visit(node)
  return cycles
}

/** Reports files that import each other, if only types. */
export const fileCycles = (files: readonly SourceFile[]): string[] =>
  cyclesOf(new Map(files.map(file => [file.path, importsOf(file)]))).map(
    group => `these files import each other:\n  ${group.sort().join('\n  ')}`,
  )

const RESOURCES = /^src\/resources\/(?=[^/]+\/)/

/**
 * Folder of a file in `src/resources`, of its group (1) or its kind (2). Undefined for other files and those of
 * `src/resources` itself.
 */
function folderOf(path: string, depth: 1 | 2): string | undefined {
  if (!RESOURCES.test(path)) return undefined
  return path
    .split('/')
    .slice(0, -1)
    .slice(0, 2 + depth)
    .join('/')
}

/**
 * Reports groups of `src/resources` that import each other, and kinds. `shared` counts as a group, so it cannot import
 * one.
 */
export const folderCycles = (files: readonly SourceFile[]): string[] => ([1, 2] as const).flatMap(depth => cyclesAt(files, depth))

function cyclesAt(files: readonly SourceFile[], depth: 1 | 2): string[] {
  const arrows = new Map<string, Map<string, string>>()
  for (const file of files) {
    const from = folderOf(file.path, depth)
    if (from === undefined) continue
    const targets = arrows.get(from) ?? new Map<string, string>()
    arrows.set(from, targets)
    for (const imported of importsOf(file)) {
      const to = folderOf(imported, depth)
      if (to !== undefined && to !== from) targets.set(to, `${file.path} imports ${imported}`)
    }
  }
  return cyclesOf(new Map([...arrows].map(([from, targets]) => [from, [...targets.keys()]]))).map(group => {
    const examples = group.flatMap(from => [...(arrows.get(from) ?? [])].flatMap(([to, example]) => (group.includes(to) ? [example] : [])))
    return `these folders import each other: ${group.sort().join(', ')}\n  ${examples.sort().join('\n  ')}`
  })
}
