import type { IncomingHttpHeaders } from 'node:http'
import { load } from 'js-yaml'
import { at, isObject, keysOf, type Tree, type TreeObject } from './tree.ts'

const KEPT_HEADERS = [
  'content-type',
  'content-encoding',
  'warning',
  'retry-after',
  'location',
  'allow',
  'www-authenticate',
  'vary',
  'etag',
  'accept-patch',
] as const

/**
 * A body as it is recorded: parsed JSON; `$yaml`; `$text` of a short text; otherwise `$bytes`, its length, and `$head`,
 * its first four bytes.
 */
export function parseBody(bytes: Buffer, type = ''): Tree {
  const text = bytes.toString('utf8')
  if (/json/.test(type)) {
    const value = attempt(() => JSON.parse(text) as Tree)
    if (value !== undefined) return value
  }
  if (/yaml/.test(type)) {
    const value = attempt(() => load(text) as Tree)
    if (value !== undefined) return { $yaml: value }
  }
  if (/^text\/|^$/.test(type) && text.length < 4000) return { $text: text }
  return { $bytes: bytes.length, $head: bytes.subarray(0, 4).toString('hex') }
}

export function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** The value in a parsed body, whatever its format. */
export const contentOf = (body: Tree): Tree => (isObject(body) && body.$yaml !== undefined ? body.$yaml : body)

/** `raw`: names and values in turn, for headers that come more than once. */
export function keptHeaders(headers: IncomingHttpHeaders, raw: readonly string[] = []): TreeObject {
  const kept: TreeObject = {}
  for (const name of KEPT_HEADERS) {
    const value = headers[name]
    if (value !== undefined) kept[name] = value
  }
  const warnings = raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'warning')
  if (warnings.length > 0) kept.warning = warnings
  return kept
}

/** Returns the recorded part of a body: only the paths of `keep`, or all except those of `drop`. */
export function cut(body: Tree, { keep, drop }: { readonly keep?: readonly string[]; readonly drop?: readonly string[] }): Tree {
  // Read back from JSON, as recorded rows are: what is undefined there is missing.
  if (keep) return Object.fromEntries(keep.flatMap(path => entryOf(path, at(body, path))))
  if (!drop) return body
  const copy = structuredClone(body)
  for (const path of drop) {
    const keys = keysOf(path)
    const last = keys.pop()
    const holder = at(copy, keys.join('.'))
    if (last !== undefined && isObject(holder)) delete holder[last]
  }
  return copy
}

const entryOf = (path: string, value: Tree | undefined): [string, Tree][] => (value === undefined ? [] : [[path, value]])
