import type { YAMLException } from 'js-yaml'

/** Messages of go-yaml by the message of js-yaml. The first match applies. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/tab characters must not be used/, 'found character that cannot start any token'],
  [/within a (single|double) quoted scalar/, 'found unexpected end of stream'],
  [/unknown escape sequence/, 'found unknown escape character'],
  [/unexpected end of the stream within a flow collection|missed comma/, "did not find expected ',' or ']'"],
  [/expected the node content/, 'did not find expected node content'],
  [/bad indentation of a sequence entry/, "did not find expected '-' indicator"],
  [/multiline key|bad indentation of a mapping entry|implicit/, 'mapping values are not allowed in this context'],
  [/name of an? (alias|anchor) node/, 'did not find expected alphabetic or numeric character'],
  [/null byte|non-printable/, 'control characters are not allowed'],
]

/**
 * Returns the message of a syntax error, in go-yaml's wording if it is known:
 * `yaml: line 4: found character that cannot start any token`.
 */
export function yamlFault(error: YAMLException, source: string): string {
  // go-yaml checks this before it parses.
  if (/(?![\t\n\r\u0085])[\p{Cc}\ufffe\uffff]/u.test(source)) return 'yaml: control characters are not allowed'
  const unclosed = atEnd(error, source)
  if (unclosed !== undefined) return unclosed
  const line = error.mark?.line ?? 0
  if (/unexpected end of the stream within a flow collection/.test(error.reason) && /[{[,]\s*$/.test(source)) {
    return `yaml: line ${line + 1}: did not find expected node content`
  }
  const depth = /^nesting exceeded maxDepth \((\d+)\)/.exec(error.reason)?.[1]
  if (depth !== undefined) return at(line + 1, `exceeded max depth of ${depth}`)
  const said = atProblem(error, source) ?? FAULTS.find(([pattern]) => pattern.test(error.reason))?.[1] ?? 'did not find expected key'
  return BY_PARSER.test(said) && line > 0 ? `yaml: line ${line}: ${said}` : at(line + 1, said)
}

/** Messages of go-yaml's parser rather than its scanner. It counts lines from zero. */
const BY_PARSER = /^did not find expected (?:key|node content|'|',)/

/** go-yaml does not print the number of the first line. */
const at = (line: number, text: string): string => (line <= 1 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`)

/** Recognises faults by the text at the position of the error, whatever js-yaml reports. */
function atProblem(error: YAMLException, source: string): string | undefined {
  const rest = source.slice(error.mark?.position ?? 0).trimStart()
  if (/^[%@`]/.test(rest)) return 'found character that cannot start any token'
  const before = source.slice(0, error.mark?.position ?? 0)
  if (/mapping entry/.test(error.reason)) {
    if (before.slice(before.lastIndexOf('\n') + 1).trim() === '') return 'did not find expected key'
    if (/^-(\s|$)/.test(rest)) return 'block sequence entries are not allowed in this context'
  }
  const inside = /missed comma|flow/.test(error.reason) ? innermost(before) : undefined
  if (inside !== undefined) return `did not find expected ',' or '${inside}'`
  return undefined
}

/**
 * A flow collection that does not end: go-yaml reports the line after the last, counted from zero, and what could have
 * followed.
 */
function atEnd({ reason, mark }: YAMLException, source: string): string | undefined {
  if (!/within a flow collection|deficient indentation/.test(reason) || source.slice(mark?.position ?? 0).trim() !== '') return undefined
  const open = innermost(source)
  if (open === undefined) return undefined
  const lines = source.split('\n')
  const line = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const wanted = /[[{,:]\s*$/.test(source) ? 'did not find expected node content' : `did not find expected ',' or '${open}'`
  return `yaml: line ${line}: ${wanted}`
}

/**
 * Matches a quoted text (up to the end if it is not closed, so that each is scanned only once), a comment, or a
 * bracket.
 */
const BRACKETS = /(?<=^|[\s[{,:])"(?:[^"\\]|\\.)*"?|(?<=^|[\s[{,:])'[^']*'?|(?<=\s)#[^\n]*|[[\]{}]/gs

/** Returns the bracket that would close the innermost open collection of a text. */
function innermost(text: string): ']' | '}' | undefined {
  const brackets: (']' | '}')[] = []
  for (const [token] of text.matchAll(BRACKETS)) {
    if (token === '[' || token === '{') brackets.push(token === '[' ? ']' : '}')
    else if (token === ']' || token === '}') brackets.pop()
  }
  return brackets.at(-1)
}
