import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RULES } from '../findings/finding.ts'
import type { CaseResult, CheckFinding } from '../types.ts'
import { type CheckReport, messageText, nameText } from './report.ts'

/**
 * Prints SARIF 2.1.0, which editors and code hosts show next to the code.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
export function sarifReport({ result: { release, findings, cases } }: CheckReport): string {
  const failed = cases.filter(({ passed }) => !passed)
  const ids = [...new Set([...findings.map(({ rule }) => rule), ...(failed.length > 0 ? [CASE_FAILED] : [])])]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'binnacle check', rules: ids.map(id => ({ id, shortDescription: { text: `${describe(id)}.` } })) } },
        columnKind: 'utf16CodeUnits',
        properties: { release },
        results: [
          ...findings.map(finding => sarifResult(finding, ids.indexOf(finding.rule))),
          ...failed.map(each => caseResult(each, ids.indexOf(CASE_FAILED))),
        ],
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

/** Rule of cases that failed. They are no findings. */
const CASE_FAILED = 'case-failed'

const DESCRIPTIONS = new Map<string, string>(Object.entries({ ...RULES, [CASE_FAILED]: 'The result of a case is not the expected one' }))

const describe = (rule: string): string => DESCRIPTIONS.get(rule) ?? rule

function sarifResult(finding: CheckFinding, ruleIndex: number): object {
  const { rule, severity, object, position, field, by, diff } = finding
  const name = object && nameText(object)
  const logicalLocations =
    name === undefined ? undefined : [{ name, ...(field !== undefined && { fullyQualifiedName: `${name}: ${field}` }), kind: 'resource' }]
  const physicalLocation = position && {
    artifactLocation: { uri: uriOf(position.file) },
    region: { startLine: position.line, startColumn: position.column, endLine: position.endLine, endColumn: position.endColumn },
  }
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: messageText(finding) },
    ...((physicalLocation || logicalLocations) && {
      locations: [{ ...(physicalLocation && { physicalLocation }), ...(logicalLocations && { logicalLocations }) }],
    }),
    properties: { field, by, diff },
  }
}

const caseResult = ({ name, file, message = '' }: CaseResult, ruleIndex: number): object => ({
  ruleId: CASE_FAILED,
  ruleIndex,
  level: 'error',
  message: { text: `${name}: ${message}` },
  locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) } } }],
})

/** Returns a URI. A relative path stays relative to the folder in which the command runs. */
const uriOf = (path: string): string =>
  path === '-'
    ? 'stdin'
    : isAbsolute(path)
      ? pathToFileURL(path).href
      : path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
