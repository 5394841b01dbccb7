import type { SourceText } from '../input/position.ts'
import type { CheckedName, CheckFinding, CheckResult, CheckSeverity } from '../types.ts'

/** Input of a format. */
export interface CheckReport {
  readonly result: CheckResult
  /** Texts of the input, by name. */
  readonly texts: ReadonlyMap<string, SourceText>
  /** Least severity that makes the check fail. */
  readonly failOn: CheckSeverity
}

export const SEVERITIES: readonly CheckSeverity[] = ['error', 'warning', 'note']

/** Reports whether a severity is at or above another one. */
export const isAtLeast = (severity: CheckSeverity, least: CheckSeverity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least)

/** Reports whether a result has findings that make the check fail, or a case that failed. */
export const isFailed = ({ findings, cases }: CheckResult, failOn: CheckSeverity): boolean =>
  findings.some(({ severity }) => isAtLeast(severity, failOn)) || cases.some(({ passed }) => !passed)

/** `Deployment shop/web`. */
export const nameText = ({ kind, namespace, name }: CheckedName): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name === '' ? '(no name)' : name}`

/** `-` is shown as standard input. */
export const fileText = (file: string): string => (file === '-' ? '<stdin>' : file)

/** Message of a finding, with the version that it is about if that is not the one of the object. */
export const findingText = ({ as, message }: CheckFinding): string => (as === undefined ? message : `as ${as}: ${message}`)

/** Message of a finding, with the object that it is about and what to do. */
export const messageText = ({ object, advice, ...finding }: CheckFinding): string =>
  `${object ? `${nameText(object)}: ` : ''}${findingText(finding)}${advice === undefined ? '' : ` (${advice})`}`

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `35 objects checked with Kubernetes 1.36: 2 errors, 1 warning`. */
export function summaryText({ release, objects, findings, cases }: CheckResult): string {
  const counts = SEVERITIES.map(severity => ({ severity, count: findings.filter(finding => finding.severity === severity).length })).filter(
    ({ count }) => count > 0,
  )
  const found = counts.length === 0 ? 'no findings' : counts.map(({ severity, count }) => plural(count, severity)).join(', ')
  const failed = cases.filter(({ passed }) => !passed).length
  const tested = cases.length === 0 ? '' : `, ${plural(cases.length, 'case')}, ${failed} failed`
  return `${plural(objects.length, 'object')} checked with Kubernetes ${release}: ${found}${tested}`
}
