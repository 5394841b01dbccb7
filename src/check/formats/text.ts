import { onOneLine, printable } from '../../lib/printable.ts'
import type { SourceText } from '../input/position.ts'
import type { CaseResult, CheckedObject, CheckFinding } from '../types.ts'
import { type CheckReport, fileText, findingText, nameText, summaryText } from './report.ts'

/** Characters of a line that are shown. */
const WIDTH = 160

/** Prints findings for people, grouped by file, with the lines that they are about. */
export function textReport({ result, texts }: CheckReport): string {
  const blocks: string[] = []
  for (const [file, findings] of byFile(result.findings)) {
    const lines = withSameMessage(findings).flatMap(group => groupLines(group, texts.get(file)))
    blocks.push([...(file === '' ? [] : [fileText(file)]), ...lines].join('\n'))
  }
  const diffs = result.objects.flatMap(({ diff = '', ...object }: CheckedObject) =>
    diff === '' ? [] : [`${nameText(object)}\n${diff.trimEnd()}`],
  )
  const cases = result.cases.map(caseLine)
  const remarks = result.remarks.map(remark => `note: ${remark}`)
  const parts = [
    ...blocks,
    ...diffs,
    ...(cases.length > 0 ? [cases.join('\n')] : []),
    ...(remarks.length > 0 ? [remarks.join('\n')] : []),
    summaryText(result),
  ]
  return printable(`${parts.join('\n\n')}\n`)
}

function byFile(findings: readonly CheckFinding[]): Map<string, CheckFinding[]> {
  const files = new Map<string, CheckFinding[]>()
  for (const finding of findings) {
    const file = finding.position?.file ?? ''
    const known = files.get(file)
    if (known) known.push(finding)
    else files.set(file, [finding])
  }
  return files
}

/** Groups findings of one file that have the same rule and message. */
function withSameMessage(findings: readonly CheckFinding[]): CheckFinding[][] {
  const groups = new Map<string, CheckFinding[]>()
  for (const finding of findings) {
    const key = `${finding.rule} ${findingText(finding)}`
    const known = groups.get(key)
    if (known) known.push(finding)
    else groups.set(key, [finding])
  }
  return [...groups.values()]
}

function groupLines(group: readonly CheckFinding[], text: SourceText | undefined): string[] {
  const [finding, ...more] = group
  if (finding === undefined) return []
  const { severity, rule, advice, object, position, diff } = finding
  const place = position === undefined ? '' : `${position.line}:${position.column} `
  const source = position?.source === undefined ? [] : [`      from ${position.source}`]
  return [
    `  ${place}${severity} ${rule}${object ? `: ${nameText(object)}` : ''}`,
    ...messageLines(finding).map(line => `      ${line}`),
    ...(position && text
      ? offendingLine(text, position.line, position.column, position.endLine === position.line ? position.endColumn : undefined)
      : []),
    ...(diff === undefined
      ? []
      : diff
          .trimEnd()
          .split('\n')
          .map(line => `      ${line}`)),
    ...(advice === undefined ? [] : [`      → ${advice}`]),
    ...source,
    ...othersText(finding, more),
  ]
}

/** Lines of a message that are shown. The server appends a diff to some. */
const MOST_LINES = 16

function messageLines(finding: CheckFinding): string[] {
  const lines = findingText(finding).trimEnd().split('\n')
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `… ${lines.length - MOST_LINES + 1} more lines (-o json has all)`]
}

/** Names that are listed of further findings. */
const MOST_OTHERS = 10

/** Lines of further findings with the same message, or their objects if they have the same line. */
function othersText({ position }: CheckFinding, more: readonly CheckFinding[]): string[] {
  if (more.length === 0) return []
  const lines = [...new Set(more.map(each => each.position?.line ?? 0))]
  const isSameLine = lines.length === 1 && lines[0] === position?.line
  const names = isSameLine ? [...new Set(more.flatMap(({ object }) => (object ? [nameText(object)] : [])))] : lines.map(String)
  const listed = `${names.slice(0, MOST_OTHERS).join(', ')}${names.length > MOST_OTHERS ? ', …' : ''}`
  return [`      and ${more.length} more: ${isSameLine ? '' : lines.length === 1 ? 'line ' : 'lines '}${listed}`]
}

/** The line of a position, with carets below the range. */
function offendingLine(text: SourceText, number: number, column: number, endColumn: number | undefined): string[] {
  const line = text.line(number).replaceAll('\t', ' ')
  const gutter = String(number)
  const width = Math.max(1, Math.min(endColumn ?? line.length + 1, WIDTH + 1) - column)
  const shown = onOneLine(line.slice(0, WIDTH))
  return [
    `      ${gutter} | ${shown}`,
    ...(column <= WIDTH ? [`      ${' '.repeat(gutter.length)} | ${' '.repeat(column - 1)}${'^'.repeat(width)}`] : []),
  ]
}

function caseLine({ name, file, passed, message, skipped }: CaseResult): string {
  const state = skipped === undefined ? (passed ? 'pass' : 'FAIL') : 'skip'
  return `${state} ${fileText(file)}: ${name}${message === undefined ? '' : `: ${message}`}${skipped === undefined ? '' : `: ${skipped}`}`
}
