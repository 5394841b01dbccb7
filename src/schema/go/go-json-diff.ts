import type { Json } from '../../api/meta/object.ts'
import { hunksText } from '../../lib/unified-diff.ts'
import type { StructSchema } from '../schema.ts'
import { goJson, isCutOff } from './go-json.ts'
import { matchingLines } from './line-matcher.ts'

/**
 * Formats the difference between two values of a declared type like upstream's messages since 1.34: as a unified diff
 * of their JSON, indented by one space a level. Source: k8s.io/apimachinery/pkg/util/diff.
 */
export function goJsonDifference(schema: StructSchema, old: Json, next: Json): string {
  const [before, after] = [goJson(schema, old), goJson(schema, next)]
  const diff = isCutOff(before) || isCutOff(after) ? undefined : unifiedDiff(indentedLines(before), indentedLines(after))
  return diff ?? 'There is too much to compare to tell what differs.\n'
}

/**
 * Returns the unified diff of two texts, given as lines with their ends. Undefined if there is too much to compare.
 * Source: go-difflib.
 */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string | undefined {
  const matches = matchingLines(a, b)
  return matches && hunksText(matches, a, b)
}

/** Splits compact JSON into the lines that json.MarshalIndent writes. */
function indentedLines(json: string): string[] {
  const lines: string[] = []
  let line = ''
  let depth = 0
  const end = (): void => {
    lines.push(`${line}\n`)
    line = ' '.repeat(depth)
  }
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      line += token
      depth++
      end()
    } else if (token === '}' || token === ']') {
      depth--
      end()
      line += token
    } else if (token === ',') {
      line += token
      end()
    } else line += token === ':' ? ': ' : token
  }
  lines.push(`${line}\n`)
  return lines
}
