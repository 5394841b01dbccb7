import { endOf } from '../../../lifecycle/lifecycle.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { lineCounter } from '../../source/line-counter.ts'
import { standingIn } from '../../versions/old-versions.ts'
import type { Finding } from '../finding.ts'

/** A document with one apiVersion and one kind, neither of which is a template action. */
interface NamedObject {
  readonly apiVersion: string
  readonly kind: string
  /** Offset of the apiVersion in the text. */
  readonly start: number
  /** Whether the document is inside a conditional of the template. */
  readonly isConditional: boolean
}

/**
 * Reports removed versions in a text that is a template or invalid YAML, whose objects are otherwise unknown. A
 * document that chooses between versions is skipped.
 */
export function unreadVersionFindings(file: string, text: string, to: Release): Finding[] {
  const lineOf = lineCounter(text)
  return objectsIn(text).flatMap(({ apiVersion, kind, start, isConditional }): Finding[] => {
    const standing = standingIn(to, { apiVersion, kind })
    if (standing === undefined || (standing.state !== 'removed' && standing.state !== 'deprecated')) return []
    const { state, life, warning } = standing
    const since = state === 'removed' ? endOf(life) : life.deprecated
    return [
      {
        rule: state === 'removed' ? 'removed-version' : 'deprecated-version',
        level: state === 'removed' && !isConditional ? 'blocking' : 'warning',
        subject: kind,
        place: { file, line: lineOf(start) },
        message: state === 'removed' ? `${apiVersion} ${kind} is not served by ${to}` : warning,
        ...(life.replacement !== undefined && { advice: `use ${life.replacement}` }),
        ...(since !== undefined && { since }),
      },
    ]
  })
}

/** Returns the number of blocks that a template text opens without closing. */
function openedBy(text: string): number {
  let depth = 0
  for (const [, word] of text.matchAll(/\{\{-?\s*(if|range|with|define|block|end)\b/g)) depth += word === 'end' ? -1 : 1
  return depth
}

/**
 * Finds objects in a text that is no YAML (a template), by their two lines. A part with several of either is skipped.
 * `start`: offset in the text.
 */
function objectsIn(text: string): NamedObject[] {
  const found: NamedObject[] = []
  let [start, depth] = [0, 0]
  for (const part of text.split(/^(?=---)/m)) {
    const [version, otherVersion] = [...part.matchAll(/^apiVersion:[ \t]*["']?([\w./-]+)["']?[ \t]*(?:#.*)?$/gm)]
    const [kind, otherKind] = [...part.matchAll(/^kind:[ \t]*["']?(\w+)["']?[ \t]*(?:#.*)?$/gm)]
    if (version?.[1] !== undefined && kind?.[1] !== undefined && !otherVersion && !otherKind)
      found.push({
        apiVersion: version[1],
        kind: kind[1],
        start: start + version.index,
        isConditional: depth + openedBy(part.slice(0, version.index)) > 0,
      })
    start += part.length
    depth += openedBy(part)
  }
  return found
}
