#!/usr/bin/env -S node --import tsx
/** Reports files of src that import each other, if only types: a file in a cycle can't be understood, tested or moved without the others. */
import { importsOf } from './support/imports.ts'
import { report, sourceFiles } from './support/source-files.ts'

/** The groups of files that reach each other, by Tarjan's algorithm. */
function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): number => {
    const mine = order.size
    order.set(file, mine)
    lowest.set(file, mine)
    path.push(file)
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue
      const reached = !order.has(next) ? visit(next) : path.includes(next) ? (order.get(next) as number) : mine
      lowest.set(file, Math.min(lowest.get(file) as number, reached))
    }
    if (lowest.get(file) === mine) {
      const group = path.splice(path.indexOf(file))
      if (group.length > 1 || imports.get(file)?.includes(file)) cycles.push(group)
    }
    return lowest.get(file) as number
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return cycles
}

const cycles = cyclesOf(new Map(sourceFiles('src').map(file => [file.path, importsOf(file)])))
report(
  'import cycles',
  cycles.map(group => `these files import each other:\n  ${group.sort().join('\n  ')}`),
)
