import type { Row } from './probe-case.ts'
import { child, isObject, type Tree } from './tree.ts'

const MOST = 6
const text = (value: Tree | undefined): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing'

/** Where rows differ from those recorded, a line each; the order of members does not count. */
export function differences(want: readonly Row[], got: readonly Row[]): string[] {
  const out: string[] = []
  for (const [i, row] of want.entries()) compare(row, got[i], String(row.id), out)
  for (const row of got.slice(want.length)) out.push(`${row.id}: not recorded, got ${text(row)}`)
  return out
}

function compare(want: Tree | undefined, got: Tree | undefined, path: string, out: string[]): void {
  if (out.length >= MOST) return
  const nested = Array.isArray(want) ? Array.isArray(got) : isObject(want) && isObject(got)
  if (nested) {
    const keys = new Set([...Object.keys(want as object), ...Object.keys(got as object)])
    for (const key of keys) compare(child(want, key), child(got, key), Array.isArray(want) ? `${path}[${key}]` : `${path}.${key}`, out)
  } else if (JSON.stringify(want) !== JSON.stringify(got)) out.push(`${path}: want ${text(want)} got ${text(got)}`)
}
