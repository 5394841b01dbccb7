import { onOneLine, printable } from '../../../lib/printable.ts'
import { countOf, type Finding, type Level, type Report } from '../finding.ts'

const HEADINGS: Readonly<Record<Level, string>> = { blocking: 'Blocking', warning: 'To review', note: 'For information' }

/**
 * Prints text for a terminal. Control characters from files and logs are removed. `withDiffs` adds the diff of each
 * converted object.
 */
export function textReport(report: Report, withDiffs: boolean): string {
  const { from, to, sources, findings } = report
  const levels = (['blocking', 'warning', 'note'] as const).filter(level => countOf(report, level) > 0)
  const sections = levels.map(level => {
    const own = findings.filter(finding => finding.level === level)
    return `${HEADINGS[level]} (${own.length})\n\n${grouped(own)
      .map(group => groupText(group, withDiffs))
      .join('\n')}`
  })
  const summary = `From ${from} to ${to}: ${objectCount(report)} of ${onOneLine(sources.join(', ')) || 'no source'}`
  return `${[summary, ...sections, verdict(report)].join('\n\n')}\n`
}

export const objectCount = ({ objects }: Report): string => (objects === 1 ? '1 object' : `${objects} objects`)

/** Prints in one sentence whether anything blocks the upgrade. */
export function verdict(report: Report): string {
  const [blocking, warnings] = [countOf(report, 'blocking'), countOf(report, 'warning')]
  const rest = warnings === 0 ? '' : `${blocking === 0 ? '; ' : ', '}${warnings} to review`
  return blocking === 0
    ? `Nothing blocks the upgrade to ${report.to}${rest}.`
    : `${blocking === 1 ? '1 finding blocks' : `${blocking} findings block`} the upgrade to ${report.to}${rest}.`
}

/** Groups findings by object, in their order. */
export function grouped(findings: readonly Finding[]): Finding[][] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const key = `${placeText(finding)} ${finding.subject}`
    const group = groups.get(key)
    if (group) group.push(finding)
    else groups.set(key, [finding])
  }
  return [...groups.values()]
}

/** Prints a place as `shop/web.yaml:12`. */
export const placeText = ({ place: { file, line, source } }: Finding): string =>
  file === undefined ? (source ?? '') : line === undefined ? file : `${file}:${line}`

function groupText(group: readonly Finding[], withDiffs: boolean): string {
  const [first] = group
  return first === undefined
    ? ''
    : `  ${onOneLine(first.subject)}  ${onOneLine(placeText(first))}\n${group.map(finding => findingText(finding, withDiffs)).join('')}`
}

function findingText({ message, advice, rule, usages = [], diff }: Finding, withDiffs: boolean): string {
  const users = usages.slice(0, 5).map(({ by, time }) => `      by ${onOneLine(by)}${time === undefined ? '' : `, ${onOneLine(time)}`}\n`)
  const shown = withDiffs && diff !== undefined ? diff.split('\n').map(line => `      ${printable(line)}\n`) : []
  const sentence = printable(`${message}${advice === undefined ? '' : ` → ${advice}`}`).replaceAll('\n', '\n      ')
  return `    ${sentence} [${rule}]\n${users.join('')}${shown.join('')}`
}
