import type { CheckFinding, CheckSeverity } from '../types.ts'
import { type CheckReport, messageText, summaryText } from './report.ts'

const COMMANDS: Readonly<Record<CheckSeverity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/**
 * Prints workflow commands, which GitHub shows as annotations of the files.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubReport({ result }: CheckReport): string {
  const cases = result.cases
    .filter(({ passed }) => !passed)
    .map(({ name, file, message = '' }) => `::error file=${property(file)},title=${property(name)}::${data(message)}`)
  return `${[...result.findings.map(annotation), ...cases, summaryText(result)].join('\n')}\n`
}

function annotation(finding: CheckFinding): string {
  const { severity, rule, position } = finding
  const place =
    position && position.file !== '-'
      ? { file: position.file, line: position.line, endLine: position.endLine, col: position.column, endColumn: position.endColumn }
      : {}
  const properties = Object.entries({ ...place, title: rule }).map(([name, value]) => `${name}=${property(String(value))}`)
  return `::${COMMANDS[severity]} ${properties.join(',')}::${data(messageText(finding))}`
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
